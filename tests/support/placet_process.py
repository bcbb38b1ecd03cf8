"""The real program as a child process: its command line, its event stream, its death."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).resolve().parents[2] / "desktop"
BOUND_S = 60.0


def write_config(home: Path, url: str, dialect: str = "openai") -> None:
    """Declare one provider on `url` and one model."""
    home.mkdir(parents=True, exist_ok=True)
    (home / "config.toml").write_text(
        f'[[providers]]\nname = "local"\ntype = "{dialect}"\nbase_url = "{url}"\n\n'
        '[[models]]\nname = "small"\nprovider = "local"\nmodel_id = "small"\ncontext_length = 128000\n'
    )


@dataclass
class Ended:
    """How a call ended."""

    code: int
    out: str
    err: str

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line)["event"] for line in self.out.splitlines()]

    @property
    def types(self) -> list[str]:
        """Event types without deltas and repeated notices."""
        skipped = {"text_delta", "tool_args_delta", "session_changed", "new_session", "tool_output"}
        return [event["type"] for event in self.events if event["type"] not in skipped]

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass
class Program:
    """`placet` with its own data folder. `extra` is added to the environment."""

    home: Path
    extra: dict[str, str] = field(default_factory=dict)

    def environment(self) -> dict[str, str]:
        dropped = ("_API_KEY", "PYTHONDONTWRITEBYTECODE")  # no keys; and bytecode, as an installed program has it
        kept = {key: value for key, value in os.environ.items() if not key.endswith(dropped)}
        return {
            **kept,
            "PLACET_HOME": str(self.home),
            "PYTHONPATH": str(SOURCE),
            "PYTHONWARNINGS": "error",
            "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
            **self.extra,
        }

    def call(self, *arguments: str, stdin: str | None = None, cwd: Path | None = None) -> Ended:
        """Run one call to its end."""
        done = subprocess.run(
            [sys.executable, "-m", "placet", *arguments],
            env=self.environment(),
            cwd=cwd,
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            text=True,
            timeout=BOUND_S,
            check=False,
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    def at_terminal(
        self, *arguments: str, answers: dict[str, str], repeat: bool = False, in_turn: Sequence[str] = ()
    ) -> tuple[str, int]:
        """Run a call on a terminal of its own; when a key of `answers` is shown, its value is typed, once.

        With `repeat` the answers are typed again each time their question is shown again; `in_turn` has what is typed
        for the one question of `answers` when it is shown again, and again.

        Returns what the terminal showed, without colours, and the exit code.
        """
        child, terminal = pty.fork()
        if child == 0:
            os.execve(sys.executable, [sys.executable, "-m", "placet", *arguments], self.environment())
        shown, waiting, typed_to, later = "", dict(answers), 0, list(in_turn)
        try:
            while True:
                ready, _, _ = select.select([terminal], [], [], BOUND_S)
                assert ready, f"nothing more is shown after: {shown}"
                try:
                    data = os.read(terminal, 65536)
                except OSError:  # the other side is closed
                    break
                if not data:
                    break
                shown += data.decode("utf-8", "replace")
                for question in [question for question in waiting if question in shown[typed_to:]]:
                    os.write(terminal, waiting.pop(question).encode())
                    if repeat or later:
                        typed_to, waiting = len(shown), {question: later.pop(0)} if later else dict(answers)
        finally:
            os.close(terminal)
            _, status = os.waitpid(child, 0)
        return re.sub(r"\x1b\[[0-9;]*m", "", shown), os.waitstatus_to_exitcode(status)

    @contextmanager
    def started(self, *arguments: str) -> Iterator[Running]:
        """Start a call and read its events while it runs; it is killed at the end if it still runs."""
        child = subprocess.Popen(
            [sys.executable, "-m", "placet", *arguments],
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        running = Running(child)
        try:
            yield running
        finally:
            running.kill()


class Running:
    """A call that runs."""

    def __init__(self, child: subprocess.Popen[str]) -> None:
        self._child = child
        self.seen: list[dict[str, Any]] = []

    def next_event(self) -> dict[str, Any] | None:
        """The next line of the event stream; None at its end."""
        assert self._child.stdout is not None
        line = self._child.stdout.readline()
        if not line:
            return None
        self.seen.append(json.loads(line)["event"])
        return self.seen[-1]

    def until(self, kind: str) -> dict[str, Any]:
        while (event := self.next_event()) is not None:
            if event["type"] == kind:
                return event
        raise AssertionError(f"the program ended before {kind}: {[e['type'] for e in self.seen]}")

    def kill(self, number: signal.Signals = signal.SIGKILL) -> int:
        if self._child.poll() is None:
            self._child.send_signal(number)
        code = self._child.wait(BOUND_S)
        assert self._child.stdout is not None
        self._child.stdout.close()
        return code
