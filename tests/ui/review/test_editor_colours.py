"""The editor colours what is in sight as the difference does, and only that."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from placet.ui.theme.theme import Theme
from placet.ui.widgets.editor.code_editor import CodeEditor

CODE = "".join(f'def walk_{n}(x):\n    return "{n}"  # {n}\n' for n in range(2000))


@pytest.fixture
def editor(qtbot: QtBot, theme: Theme) -> CodeEditor:
    made = CodeEditor(theme)
    qtbot.addWidget(made)
    made.resize(500, 400)
    made.show()
    return made


def turn() -> None:
    """Until nothing is left to colour."""
    for _ in range(20):
        QCoreApplication.processEvents()


def coloured(editor: CodeEditor, line: int, theme: Theme) -> dict[str, str]:
    """Each part of a line that has another colour, with the colour's name."""
    block = editor.document().findBlockByNumber(line)
    units = block.text().encode("utf-16-le")
    roles = {theme.color(role).name(): role for role in ("syn-keyword", "syn-string", "syn-comment", "warn-text")}
    found = {}
    for each in block.layout().formats():
        part = units[2 * each.start : 2 * (each.start + each.length)].decode("utf-16-le")
        found[part] = roles.get(each.format.foreground().color().name(), "")
    return found


def test_what_is_in_sight_has_the_colours_of_the_difference_and_nothing_else(editor: CodeEditor, theme: Theme) -> None:
    editor.set_content(CODE, language="python")
    turn()
    found = coloured(editor, 1, theme)
    assert (found["return"], found["# 0"]) == ("syn-keyword", "syn-comment")
    assert coloured(editor, 2000, theme) == {}
    editor.verticalScrollBar().setValue(2000)
    turn()
    assert coloured(editor, 2001, theme)["return"] == "syn-keyword"


def test_what_is_typed_is_coloured_with_the_key_and_undone_alone(editor: CodeEditor, theme: Theme) -> None:
    editor.set_content(CODE, language="python")
    turn()
    editor.moveCursor(QTextCursor.MoveOperation.End)
    turn()
    QTest.keyClicks(editor, "return 1")
    assert coloured(editor, 4000, theme)["return"] == "syn-keyword"
    editor.setFocus()
    while editor.document().isUndoAvailable():
        editor.undo()
    assert editor.content() == CODE


def test_a_pasted_page_is_coloured_where_it_is_seen(editor: CodeEditor, theme: Theme) -> None:
    editor.set_content("x = 1\n", language="python")
    turn()
    editor.insertPlainText("return\n" * 300)
    editor.verticalScrollBar().setValue(150)
    turn()
    assert coloured(editor, 151, theme) == {"return": "syn-keyword"}


def test_colours_stand_on_their_letters_behind_an_emoji_and_hidden_names_stand_out(
    editor: CodeEditor, theme: Theme
) -> None:
    editor.set_content('x = "👩👩"  # said\ny = "a\u202eb"\n', language="python")
    turn()
    assert coloured(editor, 0, theme)["# said"] == "syn-comment"
    assert coloured(editor, 1, theme)["<U+202E>"] == "warn-text"


def test_colours_follow_the_theme_and_leave_the_text_alone(editor: CodeEditor, theme: Theme) -> None:
    editor.set_content(CODE, language="python")
    turn()
    try:
        theme.use("dark")
        turn()
        assert coloured(editor, 1, theme)["return"] == "syn-keyword"
    finally:
        theme.use("light")
    assert editor.content() == CODE
    assert not editor.document().isModified()


@pytest.mark.parametrize("language", ["", "no such language"])
def test_a_text_of_no_known_language_is_plain(editor: CodeEditor, theme: Theme, language: str) -> None:
    editor.set_content(CODE, language=language)
    turn()
    QTest.keyClick(editor, Qt.Key.Key_A)
    assert coloured(editor, 1, theme) == {}
    assert editor.content() == f"a{CODE}"
