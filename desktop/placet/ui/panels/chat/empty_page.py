"""What a new chat shows: where one is, what may happen, and first things to ask for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Label
from placet.ui.widgets.plane import Plane, centred, column_of, row_of
from placet.ui.widgets.rows import ChoiceRow

COLUMN = 760
"""Width of the text column, of answers and of the composer, in pixels."""


class EmptyPage(Plane):
    """`suggested` gives a text for the composer; nothing is sent by a click here."""

    suggested = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.title = Label("", theme, px=20, weight=600)
        promise = self.tr(
            "The agent may read this folder. Each edit and each command is shown to you first, and nothing is "
            "written before you approve it."
        )
        self.promise = Label(promise, theme, "text-2", 14)
        self.promise.setWordWrap(True)
        rows = [ChoiceRow(title, sentence, theme, icon=icon) for icon, title, sentence, _ in self._suggestions()]
        for row, (*_, prompt) in zip(rows, self._suggestions(), strict=True):
            row.clicked.connect(lambda _=False, prompt=prompt: self.suggested.emit(prompt))
        rows[0].mark_end(first=True)
        rows[-1].mark_end(last=True)
        self.keys = Label("", theme, "text-3", 12)
        content = column_of(None, self.title, 6, self.promise, 18, *rows, 14, self.keys, None)
        content.setStretch(0, 2)
        content.setStretch(content.count() - 1, 3)
        column = QWidget()
        column.setLayout(content)
        row_of(centred(column, COLUMN, margins=(24, 0, 24, 0)), parent=self)
        self.show_folder("")

    def show_keys(self, spoken_of: Callable[[str], str]) -> None:
        """Name a few keys; an action that has none is left out."""
        named = (
            (spoken_of("palette"), self.tr("{} everything by name")),
            (spoken_of("chat.find"), self.tr("{} finds in the chat")),
            (spoken_of("chat.new"), self.tr("{} starts anew")),
        )
        always = [self.tr("Enter sends"), self.tr("Shift+Enter breaks the line")]
        self.keys.setText("    ".join([*always, *(words.format(keys) for keys, words in named if keys)]))

    def show_folder(self, folder: str) -> None:
        name = PurePath(folder).name if folder else ""
        words = self.tr("What should happen in {}?").format(name) if name else self.tr("What should happen?")
        self.title.setText(words)

    def _suggestions(self) -> list[tuple[str, str, str, str]]:
        return [
            (
                "bug",
                self.tr("Fix a failing test"),
                self.tr("Runs the tests, finds the cause, proposes the change"),
                self.tr("Run the tests, find out why one fails, and propose a fix."),
            ),
            (
                "compass",
                self.tr("Explain this project"),
                self.tr("Reads the README, the layout and the entry points; writes nothing"),
                self.tr("Explain this project: what it does, how it is laid out and where it starts. Write nothing."),
            ),
            (
                "file-pen-line",
                self.tr("Improve a text"),
                self.tr("Name a file, then say what it should become"),
                self.tr("Improve the text in "),
            ),
            (
                "git-compare",
                self.tr("Review my uncommitted changes"),
                self.tr("Reads the difference and says what it would question; writes nothing"),
                self.tr("Review my uncommitted changes. Say what you would question, most important first."),
            ),
        ]
