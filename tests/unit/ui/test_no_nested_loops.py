"""`D-4`: nothing in the window opens a nested event loop; the wake-ups of other tasks would be lost on stock qasync."""

from __future__ import annotations

import re
from pathlib import Path

import placet.ui

_BANNED = re.compile(r"\.exec_?\(|processEvents\(|QMessageBox\.(?:question|information|warning|critical|about)\(")


def _offences(folder: Path) -> list[str]:
    return [
        f"{file.relative_to(folder)}:{number}: {line.strip()}"
        for file in sorted(folder.rglob("*.py"))
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1)
        if _BANNED.search(line)
    ]


def test_the_window_opens_no_nested_event_loop() -> None:
    assert _offences(Path(placet.ui.__path__[0])) == []


def test_the_lint_sees_a_planted_offence(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("def f(dialog):\n    return dialog.exec()\n", "utf-8")
    assert _offences(tmp_path) == ["bad.py:2: return dialog.exec()"]
