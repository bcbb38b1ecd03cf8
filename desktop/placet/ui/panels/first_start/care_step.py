"""First start, third step: how careful to be."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QWidget

from placet.core.domain.messages import Mode
from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Button, Label
from placet.ui.widgets.plane import column_of, row_of
from placet.ui.widgets.rows import ChoiceRow


class CareStep(QWidget):
    """`chosen` gives the mode the first chats begin with."""

    chosen = Signal(object)
    skipped = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        choices = {
            Mode.ASK: (self.tr("Ask"), self.tr("Reading is free. Each edit and each command is shown to you first.")),
            Mode.ASK_ALL: (self.tr("Ask all"), self.tr("Nothing happens without you, not even reading.")),
            Mode.EDITS: (self.tr("Edits"), self.tr("Edits in the folder pass, and can be undone. Commands ask.")),
        }
        self._rows = {mode: ChoiceRow(title, sentence, theme) for mode, (title, sentence) in choices.items()}
        self._rows[Mode.ASK].mark_end(first=True)
        self._rows[Mode.EDITS].mark_end(last=True)
        self._rows[Mode.ASK].setChecked(True)
        self._group = QButtonGroup(self)
        for row in self._rows.values():
            self._group.addButton(row)
        skip = Button(self.tr("Skip"), theme, kind="ghost", height=32, weight=400)
        self.go_on = Button(self.tr("Start"), theme, kind="primary", hint_icon="corner-down-left", height=32, pad=13)
        words = Label(self.tr("The dial under the text changes it at any time, for one chat."), theme, "text-2", 14)
        column_of(
            Label(self.tr("How careful should it be?"), theme, px=20, weight=600), 4, words, 18, *self._rows.values(),
            24, row_of(None, skip, 4, self.go_on), parent=self,
        )  # fmt: skip
        skip.clicked.connect(self.skipped)
        self.go_on.clicked.connect(self._finish)

    def _finish(self) -> None:
        self.chosen.emit(next((mode for mode, row in self._rows.items() if row.isChecked()), Mode.ASK))
