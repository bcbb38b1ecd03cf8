"""First start, second step: a folder to work in."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Button, Label
from placet.ui.widgets.fields import TextField
from placet.ui.widgets.plane import column_of, row_of


class FolderStep(QWidget):
    """`chosen` gives an absolute path; `skipped` leaves the folder as it is."""

    chosen = Signal(str)
    skipped = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.path = TextField(self.tr("Folder"), mono=True)
        self.browse = Button(self.tr("Choose…"), theme, icon="folder-open")
        self.skip = Button(self.tr("Skip"), theme, kind="ghost", height=32, weight=400)
        self.go_on = Button(self.tr("Continue"), theme, kind="primary", hint_icon="corner-down-left", height=32, pad=13)
        words = Label(
            self.tr("The agent reads and proposes edits here. Outside of it, it asks before it reads."),
            theme, "text-2", 14,
        )  # fmt: skip
        words.setWordWrap(True)
        note = Label(self.tr("Every chat can have its own folder."), theme, "text-2", 12)
        column_of(
            Label(self.tr("Which folder do you work in?"), theme, px=20, weight=600), 4, words, 18,
            row_of(self.path, 8, self.browse), 24, row_of(note, None, self.skip, 4, self.go_on), parent=self,
        )  # fmt: skip
        self.browse.clicked.connect(self._browse)
        self.skip.clicked.connect(self.skipped)
        self.go_on.clicked.connect(self._finish)
        self.path.returnPressed.connect(self._finish)

    def propose(self, folder: str) -> None:
        self.path.setText(folder)

    def _browse(self) -> None:
        dialog = QFileDialog(self.window(), self.tr("Choose the folder"), self.path.text())
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(self.path.setText)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _finish(self) -> None:
        folder = self.path.text().strip()
        if folder:
            self.chosen.emit(folder)
        else:
            self.skipped.emit()
