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
OTHERS = ("Name the release after its tag", "Why is the nightly build slow?", "Tidy the changelog")
SECOND = "`text[0]` and `lines[-1]` assume at least one character. A slice makes both total, and a blank text becomes an empty document."
DONE = """Done. `parse("")` and a file with only a BOM now give an empty `Document`; the public API is unchanged.

- `parse()` looks at `text[:1]`
- lines are split with `splitlines()`, which gives none for an empty text

The change can be taken back at any time, here or on the *Changes* page."""
MODEL = "qwen3-coder"
CONFIG = """
[[providers]]
name = "workstation"
type = "openai"
base_url = "{url}"

[[models]]
name = "qwen3-coder"
provider = "workstation"
model_id = "qwen3-coder-30b-a3b"
context_length = 262144

[[models]]
name = "gemma3"
provider = "workstation"
model_id = "gemma-3-12b-it"
context_length = 131072
"""
THIRD = "The file is written. I run its tests to be sure."
COMMAND = "python3 -m unittest -v tests/test_parser.py"
TEST = """import unittest


class Empty(unittest.TestCase):
    def test_empty_text(self) -> None:
        self.assertEqual("".splitlines(), [])
"""
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


CAREFUL = "The checks of the blocks are made stricter; the last one had a wrong comparison."
BLOCKS = "".join(
    f'def is_{name}(line: str) -> bool:\n    """Whether a line begins a {name}."""\n    text = line.strip()\n'
    f"    first = text[:1]\n    rest = text[1:]\n    return first == {mark!r} and rest != ''\n\n\n"
    for name, mark in (("heading", "#"), ("quote", ">"), ("list", "-"), ("rule", "*"), ("fence", "`"), ("table", "|"))
)
BLOCKS_NEW = (
    BLOCKS.replace("first == '#' and rest != ''", "first == '#' and rest.lstrip('#')[:1] == ' '")
    .replace("first == '-' and rest != ''", "first in '-+*' and rest[:1] == ' '")
    .replace("first == '|' and rest != ''", "first == '|' and rest != ''  # \u202e only tables \u2066")
)


def _header(number: int) -> dict[str, str]:
    return {
        "path": f"src/part_{number:02}.py",
        "content": f'"""Part {number} of the reader."""\n\nVERSION = {number}\n',
    }


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
        os.environ["HOME"] = name  # folders are then shown from ~ on
        runner.run(first_start(Path(name) / "empty"))
        runner.run(session(Path(name) / "home", Path(name) / "mdlite", server))


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(BOUND_S):
        while not is_so():  # noqa: ASYNC110 - any of many events may bring it
            await asyncio.sleep(0.02)


async def take(window: Any, name: str) -> None:
    """Let the window settle, then save what is on the screen."""
    from PySide6.QtGui import QCursor

    await asyncio.sleep(0.5)
    shown = window.geometry()
    QCursor.setPos(shown.bottomRight())  # nothing is hovered over
    await asyncio.sleep(0.1)
    picture = window.screen().grabWindow(0, shown.x(), shown.y(), shown.width(), shown.height())
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


class Person:
    """Clicks and types in the window."""

    def __init__(self, application: Any) -> None:
        self.window, self.content = application.window, application.content

    def part(self, name: str) -> Any:
        from PySide6.QtCore import QObject

        found = self.window.findChild(QObject, name)
        assert found is not None, name
        return found

    async def press(self, name: str) -> None:
        from PySide6.QtCore import Qt
        from PySide6.QtTest import QTest

        await until(lambda: self.part(name).isVisible() and self.part(name).isEnabled())
        await asyncio.sleep(0.7)  # for half a second after a request appears nothing decides it
        QTest.mouseClick(self.part(name), Qt.MouseButton.LeftButton)

    async def send(self, words: str) -> None:
        from PySide6.QtCore import Qt
        from PySide6.QtTest import QTest

        QTest.keyClicks(self.part("composer"), words)
        QTest.keyClick(self.part("composer"), Qt.Key.Key_Return)

    async def reads(self, words: str) -> None:
        """Until the chat shows these words."""
        await until(lambda: words in self.part("chatView").visible_text())

    async def take_both(self, name: str) -> None:
        """In light and in dark."""
        await take(self.window, f"{name}-light")
        self.content.appearance.toggle()
        await take(self.window, f"{name}-dark")
        self.content.appearance.toggle()


async def session(home: Path, folder: Path, server: Any) -> None:
    from placet.app import create_application
    from support.wire_server import call, stall, text

    for name in ("src", "tests"):
        (folder / name).mkdir(parents=True)
    (folder / "src" / "parser.py").write_text(PARSER)
    (folder / "tests" / "test_parser.py").write_text(TEST)
    (folder / "src" / "blocks.py").write_text(BLOCKS)
    home.mkdir()
    (home / "config.toml").write_text(CONFIG.format(url=server.url))
    half = FIRST.index("needs no guard")
    server.script(
        *([text("Done.")] for _ in OTHERS),
        [text(FIRST[:half]), stall(), text(FIRST[half:]), call("read_file", {"path": "src/parser.py"})],
        [text(SECOND), call("edit_file", {"path": "src/parser.py", "old_string": OLD, "new_string": NEW})],
        [text(THIRD), call("execute_cmd", {"command": COMMAND})],
        [text(DONE)],
        [text("ready")],
        [text(CAREFUL), call("write_file", {"path": "src/blocks.py", "content": BLOCKS_NEW})],
        [text("Thank you.")],
        [text("Each module gets its header."), *(call("write_file", _header(n)) for n in range(20))],
    )
    application = create_application(home)
    person = Person(application)
    try:
        await application.start(workdir=str(folder))
        await earlier_chats(person)
        await one_change(person, server)
        await other_places(person)
        await a_review(person)
        await an_inbox(person)
    finally:
        await application.aclose()


async def earlier_chats(person: Person) -> None:
    conversation = person.content.conversation
    for words in OTHERS:
        await person.send(words)
        await person.reads("Done.")
        await until(lambda: not conversation.is_running)
        before = conversation.session.id
        person.content.places.start_new_chat()
        await until(lambda was=before: conversation.session.id != was)
    await take(person.window, "empty-light")


async def one_change(person: Person, server: Any) -> None:
    """From the question over the diff and a command to the end of the turn."""
    await person.send('parse("") raises IndexError since 0.4.2. Make it accept empty input, keep the API.')
    await person.reads("A slice is total")
    await take(person.window, "streaming-light")
    server.release()
    await until(lambda: person.part("approveButton").isVisible())
    await person.take_both("waiting-diff")
    await person.press("approveButton")
    await person.reads(COMMAND)
    await until(lambda: person.part("approveButton").isVisible())
    await person.take_both("waiting-command")
    await person.press("approveButton")
    await person.reads("public API")
    await until(lambda: not person.content.conversation.is_running)
    await person.take_both("approved")


async def a_review(person: Person) -> None:
    """Both sides, a hunk that is skipped, hidden characters, and the new side in the editor."""
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest

    person.content.places.start_new_chat()
    await person.send("Make the checks of the blocks stricter.")
    await until(lambda: person.part("approveButton").isVisible() and person.part("approveButton").isEnabled())
    view = person.part("diffView")
    view.setFocus()
    for key in (Qt.Key.Key_F, Qt.Key.Key_V, Qt.Key.Key_N, Qt.Key.Key_S):
        QTest.keyClick(view, key)
        await asyncio.sleep(0.1)
    await person.take_both("side-by-side")
    QTest.keyClick(view, Qt.Key.Key_E)
    await asyncio.sleep(0.5)
    await person.take_both("edit-before-approving")
    QTest.keyClick(person.window.focusWidget(), Qt.Key.Key_Escape)
    await person.press("approveButton")
    await person.reads("Thank you.")
    await until(lambda: not person.content.conversation.is_running)


async def an_inbox(person: Person) -> None:
    """Twenty files of one turn."""
    await person.send("Give every part its header.")
    await until(lambda: len(person.content.review_model.requests) == 20)
    person.content.places.go_to("inbox")
    await asyncio.sleep(0.5)
    await person.take_both("inbox")


async def a_rule(person: Person) -> None:
    """A rule that is not saved, with what it would change."""
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QAbstractButton

    page = person.content.pages.settings
    page.show_section(2)
    await until(lambda: person.part("rulesTable").model().rowCount() > 0)
    await person.press("addRule")
    QTest.keyClicks(person.part("ruleTool"), "@fs_write")
    QTest.keyClicks(person.part("rulePath"), "*.py")
    page.permissions.edit.form.action.findChildren(QAbstractButton)[0].click()
    await until(lambda: person.part("dryRun").text().startswith("It would change 1"))
    await take(person.window, "permissions-light")
    page.permissions.edit.discard.click()


async def an_undo(person: Person) -> None:
    """What it would do; and again after somebody else edited the same place."""
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest

    page = person.content.pages.changes
    QTest.mouseClick(page.file.undo_button, Qt.MouseButton.LeftButton)
    await until(lambda: person.part("undoButton").isEnabled())
    await take(person.window, "undo-light")
    QTest.mouseClick(page.undo_view.cancel_button, Qt.MouseButton.LeftButton)
    file = Path(page.file.diff.diff.path)
    file.write_text(file.read_text().replace("text.splitlines()", "text.splitlines(keepends=True)"))
    QTest.mouseClick(page.file.undo_button, Qt.MouseButton.LeftButton)
    await until(person.part("threeWay").isVisible)
    await person.take_both("three-sides")
    QTest.mouseClick(page.undo_view.cancel_button, Qt.MouseButton.LeftButton)


async def other_places(person: Person) -> None:
    from PySide6.QtTest import QTest

    window, content = person.window, person.content
    content.places.go_to("changes")
    await person.take_both("changes")
    await an_undo(person)
    content.places.go_to("settings")
    content.catalogue.test(MODEL)
    await until(lambda: MODEL in content.catalogue.results)
    await take(window, "settings-light")
    await a_rule(person)
    content.places.go_to("detail")
    listed = content.pages.detail.list
    await until(lambda: listed.model().rowCount() > 3)
    rows = [listed.model().index(row, 0).data() for row in range(listed.model().rowCount())]
    listed.choose(next(at for at, row in enumerate(rows) if row.startswith("edit_file")))
    await person.take_both("debug-view")
    content.places.write()
    content.commands.toggle_palette()
    await take(window, "palette-light")
    content.commands.toggle_palette()
    content.places.search_everything()
    QTest.keyClicks(person.part("sessionSearch"), "parse")
    await take(window, "search-light")
    content.places.write()
    width = window.width()
    window.resize(700, window.height())
    await take(window, "narrow-light")
    window.resize(width, window.height())


if __name__ == "__main__":
    main()
