"""Make the pictures of docs/pictures: the real program under Xvfb, on a scripted model server, driven by clicks.

    sh packaging/pictures.sh

Needs Xvfb. Each run makes the same pictures, but for times of day.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "desktop")]
PICTURES = ROOT / "docs" / "pictures"
SIZE = "1440x900"
BOUND_S = 20.0

PARSER = '''"""A small Markdown reader."""

from mdlite.blocks import Document


class Cursor:
    """Walks over lines."""

    def __init__(self, lines: list[str]) -> None:
        self.lines, self.pos = lines, 0

    def peek(self) -> str:
        return self.lines[self.pos]


def parse(text: str, *, strict: bool = False) -> Document:
    """Return the document tree of *text*."""
    if text[0] == "\\ufeff":
        text = text[1:]
    lines = text.split("\\n")
    if lines[-1] == "":
        lines.pop()
    cursor = Cursor(lines)
    return Document.read(cursor, strict=strict)
'''
FIRST = """The first character is read **before any length check**, so an empty text fails:

```python
>>> parse("")
Traceback (most recent call last):
  ...
IndexError: string index out of range
```

Two places assume at least one character:

| place | assumes | remedy |
|---|---|---|
| `parse()` | `text[0]` exists | a slice, `text[:1]` |
| `Cursor.peek()` | a line at `pos` | an empty string past the end |

A slice is total, so `text[:1]` needs no guard. I read the file first, then propose the change.
"""
SECOND = "`text[0]` and `lines[-1]` assume at least one character. A slice makes both total, and a blank text becomes an empty document."
DONE = """Done. `parse("")` and a file with only a BOM now give an empty `Document`; the public API is unchanged.

- `parse()` looks at `text[:1]`
- lines are split with `splitlines()`, which gives none for an empty text

The change can be taken back at any time, here or on the *Changes* page."""
OLD = """    if text[0] == "\\ufeff":
        text = text[1:]
    lines = text.split("\\n")
    if lines[-1] == "":
        lines.pop()
"""
NEW = """    if text[:1] == "\\ufeff":
        text = text[1:]
    lines = text.splitlines()
"""


def main() -> None:
    if "--inside" in sys.argv:
        take_all()
        return
    reading, writing = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", f"{SIZE}x24", "-nolisten", "tcp"],
        pass_fds=(writing,), stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(writing)
    try:
        with os.fdopen(reading) as told:
            display = f":{told.readline().strip()}"
        environment = {**os.environ, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb"}
        environment["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"
        subprocess.run([sys.executable, __file__, "--inside"], env=environment, check=True)
    finally:
        server.terminate()
        server.wait()


def take_all() -> None:
    """Runs on the virtual screen."""
    from PySide6.QtWidgets import QApplication

    from placet.ui.loop import FastEventLoop
    from support.wire_server import WireServer

    app = QApplication(["placet"])
    PICTURES.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as name,
        WireServer() as server,
        asyncio.Runner(loop_factory=lambda: FastEventLoop(app)) as runner,
    ):
        runner.run(first_start(Path(name) / "empty"))
        runner.run(session(Path(name) / "home", Path(name) / "mdlite", server))


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(BOUND_S):
        while not is_so():
            await asyncio.sleep(0.02)


async def take(window: Any, name: str) -> None:
    """Let the window settle, then save what is on the screen."""
    await asyncio.sleep(0.5)
    picture = window.screen().grabWindow(0)
    picture.save(str(PICTURES / f"{name}.png"))
    print(f"docs/pictures/{name}.png")


async def first_start(home: Path) -> None:
    from placet.app import create_application

    application = create_application(home)
    try:
        await application.start()
        await take(application.window, "first-start-light")
    finally:
        await application.aclose()


async def session(home: Path, folder: Path, server: Any) -> None:
    from PySide6.QtCore import QObject, Qt
    from PySide6.QtTest import QTest

    from placet.app import create_application
    from support.placet_process import write_config
    from support.wire_server import call, stall, text

    (folder / "src").mkdir(parents=True)
    (folder / "src" / "parser.py").write_text(PARSER)
    write_config(home, server.url)
    application = create_application(home)
    window = application.window

    def part(name: str) -> Any:
        found = window.findChild(QObject, name)
        assert found is not None, name
        return found

    async def press(name: str) -> None:
        await until(lambda: part(name).isVisible() and part(name).isEnabled())
        await asyncio.sleep(0.7)  # for half a second after a request appears nothing decides it
        QTest.mouseClick(part(name), Qt.MouseButton.LeftButton)

    pieces = [FIRST[i : i + 12] for i in range(0, len(FIRST), 12)]
    half = len(pieces) * 2 // 3
    server.script(
        [text(*pieces[:half]), stall(), text(*pieces[half:]), call("read_file", {"path": "src/parser.py"})],
        [text(SECOND), call("edit_file", {"path": "src/parser.py", "old_string": OLD, "new_string": NEW})],
        [text(DONE)],
    )
    try:
        await application.start(workdir=str(folder))
        await take(window, "empty-light")
        QTest.keyClicks(
            part("composer"), 'parse("") raises IndexError since 0.4.2. Make it accept empty input, keep the API.'
        )
        QTest.keyClick(part("composer"), Qt.Key.Key_Return)
        await until(lambda: part("chatView").message_count() > 1)
        await take(window, "streaming-light")
        server.release()
        await until(lambda: part("approveButton").isVisible())
        await take(window, "waiting-diff-light")
        window.appearance.toggle()
        await take(window, "waiting-diff-dark")
        await press("approveButton")
        await until(lambda: "Done." in part("chatView").visible_text())
        await take(window, "approved-dark")
        window.appearance.toggle()
        await take(window, "approved-light")
        for place in ("changes", "settings"):
            window.go_to(place)
            await take(window, f"{place}-light")
    finally:
        await application.aclose()


if __name__ == "__main__":
    main()
