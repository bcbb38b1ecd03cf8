"""`S-4` with real processes: a second start hands over, and nothing on the socket does harm."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from placet.ui.window_lock import name_in, take_lock
from unit.project.tree import ROOT

BOUND_S = 60

# The program with its window; it says a line when it listens, and what a later start hands over.
WATCHED = """
import sys
from placet import cli
import placet.app
import placet.ui.single_instance as single

single.PATIENCE_S = float(sys.argv[1])
listen = placet.app.Application.listen

def watched(application, lock, home):
    listen(application, lock, home)
    places = application.content.places
    places.open_session = lambda session: print("session", session, flush=True)
    places.go_home = lambda: print("home", flush=True)
    application.content.show_error = lambda error: print("error", error.message, flush=True)
    print("listens", flush=True)

placet.app.Application.listen = watched
sys.exit(cli.main(sys.argv[2:]))
"""


class Windows:
    """Starts programs on one data folder and ends them with the test."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._made: list[subprocess.Popen[str]] = []

    def start(self, *arguments: str, patience_s: float = 30.0, folder: Path | None = None) -> subprocess.Popen[str]:
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT / "desktop"),
            "PLACET_HOME": str(self.home),
            "QT_QPA_PLATFORM": "offscreen",
            "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
        }
        made = subprocess.Popen(
            [sys.executable, "-c", WATCHED, str(patience_s), *arguments],
            env=environment, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self._made.append(made)
        return made

    def end(self) -> None:
        for each in self._made:
            if each.poll() is None:
                each.kill()
            each.communicate(timeout=BOUND_S)


def said(window: subprocess.Popen[str]) -> str:
    assert window.stdout is not None
    return window.stdout.readline().strip()


def ended(window: subprocess.Popen[str]) -> tuple[int, str]:
    _, errors = window.communicate(timeout=BOUND_S)
    return window.returncode, errors


@pytest.fixture
def windows(tmp_path: Path) -> Iterator[Windows]:
    home = tmp_path / "home"
    home.mkdir()
    made = Windows(home)
    yield made
    made.end()


def test_s_4_a_second_start_hands_its_folder_to_the_first_and_ends_with_0(windows: Windows, tmp_path: Path) -> None:
    first = windows.start()
    assert said(first) == "listens"
    (tmp_path / "thesis").mkdir()
    assert ended(windows.start("--workdir", "thesis", folder=tmp_path))[0] == 0
    assert said(first) == "home"


def test_s_4_a_session_that_is_not_there_is_told_in_the_first_window(windows: Windows) -> None:
    first = windows.start()
    assert said(first) == "listens"
    assert ended(windows.start("--session", "nobody"))[0] == 0
    assert said(first).startswith("error ")


def test_s_4_of_two_starts_at_one_moment_one_is_the_window_and_the_other_ends(windows: Windows) -> None:
    pair = [windows.start(), windows.start()]
    first = next(window for window in pair if said(window) == "listens")
    other = next(window for window in pair if window is not first)
    assert ended(other)[0] == 0
    assert first.poll() is None


def test_s_4_a_window_that_died_leaves_nothing_in_the_way(windows: Windows) -> None:
    first = windows.start()
    assert said(first) == "listens"
    first.kill()
    first.wait(BOUND_S)
    assert said(windows.start()) == "listens"


def test_s_4_a_window_that_hangs_is_told_and_none_is_opened_beside_it(windows: Windows) -> None:
    first = windows.start()
    assert said(first) == "listens"
    first.send_signal(signal.SIGSTOP)
    try:
        code, errors = ended(windows.start(patience_s=1.0))
    finally:
        first.send_signal(signal.SIGCONT)
    assert code == 1
    assert "does not answer" in errors
    assert "Traceback" not in errors


def test_s_4_side_by_side_is_refused_where_nobody_listens(windows: Windows) -> None:
    lock = take_lock(windows.home)
    assert lock is not None
    try:
        code, errors = ended(windows.start(patience_s=1.0))
    finally:
        lock.release()
    assert code == 1
    assert "Nothing was opened" in errors
    assert not (windows.home / "placet.db").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="speaks to a socket file")
@pytest.mark.parametrize(
    "data",
    [
        b"\n",
        b"not json\n",
        b'{"workdir": 5}\n',
        b'{"workdir": "relative"}\n',
        b'{"session": "a\\u0000b"}\n',
        b'{"session": "x", "approve": "all"}\n',
        b'{"session": "' + b"x" * 5000 + b'"}\n',
        b"[" * 15000 + b"\n",
        b"x" * 100_000,
        b"\xff\xfe\n",
        b"",
    ],
)
def test_s_4_hostile_data_opens_nothing_and_the_next_start_is_heard(windows: Windows, data: bytes) -> None:
    first = windows.start()
    assert said(first) == "listens"
    file = Path(tempfile.gettempdir()) / name_in(windows.home)
    assert file.stat().st_mode & 0o077 == 0  # only its owner can call
    with socket.socket(socket.AF_UNIX) as caller:
        caller.settimeout(BOUND_S)
        caller.connect(str(file))
        try:
            caller.sendall(data)
            assert caller.recv(100) == b""  # closed without a word
        except (BrokenPipeError, ConnectionResetError):  # already closed, before all of it was said
            pass
    assert ended(windows.start("--session", "nobody"))[0] == 0
    assert said(first).startswith("error ")
