"""How the program starts, in a process of its own: the frame at once, then everything into that very window."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from placet.ui.window_lock import name_in
from unit.project.tree import ROOT

# `Frame` is watched from inside, as the program runs it. Each says one line.
WATCHED = """
import sys
import placet.ui
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QAbstractButton
from placet import cli
from placet.ui.frame import Frame
import placet.start

def say(*words):
    print(*words, flush=True)

def is_imported(name):
    return name in sys.modules

class Watched(Frame):
    def __init__(self, preferences):
        super().__init__(preferences)
        self.painted.connect(self.on_painted)

    def on_painted(self):
        self.painted.disconnect(self.on_painted)
        self.first = (self.winId(), self.geometry())
        say("painted", is_imported("asyncio"), is_imported("msgspec"), is_imported("placet.ui.window"))
{painted}

    def reveal(self):
        super().reveal()
        shown = [window for window in QApplication.topLevelWidgets() if window.isVisible()]
        say("filled", shown == [self], (self.winId(), self.geometry()) == self.first)
        self.close()

placet.start.Frame = Watched
{before}
sys.exit(cli.main({arguments}))
"""


def _start(home: Path, painted: str = "", before: str = "", arguments: str = "[]") -> tuple[int, list[str]]:
    """Run the window until it ends; returns the exit code and what was said."""
    script = WATCHED.format(painted=f"        {painted}", before=before, arguments=arguments)
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "desktop"),
        "PLACET_HOME": str(home),
        "QT_QPA_PLATFORM": "offscreen",
    }
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout.splitlines()


def test_the_frame_is_painted_before_the_rest_is_imported_and_is_the_window_that_is_filled(tmp_path: Path) -> None:
    code, said = _start(tmp_path)
    assert said == ["painted False False False", "filled True True"]
    assert code == 0


def test_d_9_a_person_starts_again_with_another_zoom_and_nothing_else_of_this_start(tmp_path: Path) -> None:
    before = """
import os
from PySide6.QtCore import QTimer

def again(path, arguments):
    say("again", *arguments[1:])
    os._exit(0)

os.execv = again
Watched.close = lambda self: QTimer.singleShot(0, self.findChild(QAbstractButton, "startAgain").click)
go = placet.ui.frame.Frame.fill

def fill(self, content):
    go(self, content)
    content.places.go_to("settings")

Watched.fill = fill
"""
    code, said = _start(tmp_path, before=before, arguments=repr(["--workdir", str(tmp_path)]))
    assert said[-1] == "again -m placet"
    assert code == 0
    assert name_in(tmp_path)  # it had been the window, and let go of it in order


def test_closing_the_empty_frame_ends_the_start(tmp_path: Path) -> None:
    code, said = _start(tmp_path, painted="self.close()")
    assert said == ["painted False False False"]
    assert code == 0
    assert not (tmp_path / "placet.db").exists()


def test_a_session_that_does_not_exist_is_told_on_the_command_line(tmp_path: Path) -> None:
    code, said = _start(tmp_path, arguments='["--session", "none"]')
    assert said == ["painted False False False"]
    assert code == 2


def test_a_data_folder_that_cannot_be_made_is_told_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert _start(tmp_path / "file") == (2, [])


PRESS = """
def press():
    for button in QApplication.activeModalWidget().findChildren(QAbstractButton, {name!r}):
        say("asked over", type(button.window().parentWidget()).__name__)
        button.click()

def look():
    if QApplication.activeModalWidget() is not None:
        timer.stop()
        press()

timer = QTimer()
timer.setInterval(10)
timer.timeout.connect(look)
"""


def test_s3_a_database_that_cannot_be_used_is_told_over_the_frame(tmp_path: Path) -> None:
    (tmp_path / "placet.db").write_bytes(b"no database" * 100)
    code, said = _start(tmp_path, painted="timer.start()", before=PRESS.format(name="quitButton"))
    assert said == ["painted False False False", "asked over Watched"]
    assert code == 1


def test_s3_beginning_anew_goes_on_in_the_same_window(tmp_path: Path) -> None:
    (tmp_path / "placet.db").write_bytes(b"no database" * 100)
    code, said = _start(tmp_path, painted="timer.start()", before=PRESS.format(name="beginAnew"))
    assert said == ["painted False False False", "asked over Watched", "filled True True"]
    assert code == 0
