"""What a folder allows: a person picks one and sees what the rules, unsaved ones included, say about each file."""

from __future__ import annotations

from PySide6.QtWidgets import QFileDialog, QWidget

from placet.core.domain.errors import PlacetError
from placet.core.domain.explaining import FolderQuestion
from placet.core.domain.tools import Category
from placet.ui.models.rules import RulesModel
from placet.ui.panels.settings.folder_tree import FolderTree
from placet.ui.paths import from_home
from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Label, Segmented
from placet.ui.widgets.fields import Select
from placet.ui.widgets.plane import Plane, column_of, row_of
from placet.ui.widgets.rows import Card

_CHOOSE = "choose"
_MOST_FOLDERS = 8


class FolderPanel(QWidget):
    """Follows the rules that are shown, the edit and the rule that is chosen in the table."""

    def __init__(self, model: RulesModel, theme: Theme) -> None:
        super().__init__()
        self._model, self._theme = model, theme
        self._folder = ""
        self._chosen_folders: list[str] = []
        self._rule_id: int | None = None
        self._asked = 0
        read, write = self.tr("Read"), self.tr("Write")
        self.kind = Segmented([(read, "", "read"), (write, "", "write")], theme, height=24)
        self.kind.choose("write")
        self.folder = Select(self.tr("Folder"), [("", self.tr("no folder"))], theme, icon="folder-open", mono=True)
        self.folder.setObjectName("ruleFolder")
        self.tree = FolderTree(theme)
        self.trouble = Label("", theme, "danger-text", 12)
        self.trouble.setWordWrap(True)
        self.trouble.hide()
        self._lay_out()
        self.kind.chosen.connect(lambda _: self.refresh())
        self.folder.chosen.connect(self._on_chosen)
        self.tree.wanted.connect(self._ask)
        model.changed.connect(self._on_changed)
        model.tried.connect(self.refresh)

    def _lay_out(self) -> None:
        head = Plane(self._theme, "b", height=28)
        title = Label(self.tr("What a folder allows"), self._theme, "text-3", 11, 500)
        row_of(title, None, self.kind, margins=(0, 0, 0, 4), parent=head)
        card = Card(self._theme)
        column_of(self.tree, margins=(8, 5, 1, 5), parent=card)
        words = self.tr(
            "What a chat that works here, in mode Ask, may do with each file: today, with unsaved rules included. "
            "Tinted is what the chosen rule fits. Links are shown where they lead."
        )
        sentence = Label(words, self._theme, "text-2", 12)
        sentence.setWordWrap(True)
        column_of(head, 8, self.folder, 8, self.trouble, card, 10, sentence, None, parent=self)

    def mark(self, rule_id: int | None) -> None:
        """The rule that is chosen in the table: what it fits is tinted while nothing is edited."""
        if rule_id != self._rule_id:
            self._rule_id = rule_id
            self.refresh()

    def show_folder(self, folder: str) -> None:
        if folder not in self._folders():
            self._chosen_folders.insert(0, folder)
        self._folder = folder
        self._offer()
        self.refresh()

    def refresh(self) -> None:
        """Ask anew about what is shown."""
        if self._folder and self.isVisible():
            self._asked += 1
            self.tree.mark(self._model.subject)
            self.tree.show_root(self._folder)

    def _folders(self) -> list[str]:
        current = self._model.current_session
        found = [session.context.workdir for session in self._model.sessions]
        first = [current.context.workdir] if current is not None else []
        return list(dict.fromkeys(path for path in (*self._chosen_folders, *first, *found) if path))[:_MOST_FOLDERS]

    def _on_changed(self) -> None:
        folders = self._folders()
        if not self._folder and folders:
            self._folder = folders[0]
        self._offer()
        self.refresh()

    def _offer(self) -> None:
        values = [(path, from_home(path)) for path in self._folders()]
        self.folder.offer([*values, (_CHOOSE, self.tr("Choose a folder…"))])
        self.folder.choose(self._folder or _CHOOSE)

    def _on_chosen(self, key: str) -> None:
        if key != _CHOOSE:
            self.show_folder(key)
            return
        self.folder.choose(self._folder or _CHOOSE)
        dialog = QFileDialog(self, self.tr("A folder to look at"), self._folder)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(self.show_folder)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _ask(self, folder: str) -> None:
        subject = self._model.subject
        question = FolderQuestion(
            folder=folder,
            workdir=self._folder,
            group=self._model.group,
            category=Category.FS_READ if self.kind.current() == "read" else Category.FS_WRITE,
            rule_id=next(iter(subject), self._rule_id),
        )
        number = self._asked
        self._model.folder(
            question,
            lambda view: self.tree.show_view(folder, view) if number == self._asked else None,
            self._show_trouble,
        )
        self.trouble.hide()

    def _show_trouble(self, error: PlacetError) -> None:
        self.trouble.setText(str(error))
        self.trouble.show()
