"""Permissions: the rules of a group, what an edit of them would change, and why a call is decided as it is."""

from __future__ import annotations

import msgspec
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QScrollArea, QWidget

from placet.core.domain.review import Rule
from placet.ui.models.rules import RulesModel
from placet.ui.panels.settings.edit_card import EditCard, blank
from placet.ui.panels.settings.explain_panel import ExplainPanel
from placet.ui.panels.settings.folder_panel import FolderPanel
from placet.ui.panels.settings.group_bar import GroupBar
from placet.ui.panels.settings.rules_table import RulesTable
from placet.ui.theme.theme import Theme
from placet.ui.widgets.banner import Banner
from placet.ui.widgets.controls import Button, Label
from placet.ui.widgets.menu import Menu
from placet.ui.widgets.plane import column_of, row_of

_FOLDER_WIDTH = 284
_NARROW = 820  # below this the folder goes under the rules


class PermissionsSection(QWidget):
    """Reads the rules anew whenever it is shown: another window or a script may have changed them."""

    def __init__(self, model: RulesModel, theme: Theme) -> None:
        super().__init__()
        self._model, self._theme = model, theme
        self.groups = GroupBar(model, theme)
        self.add = Button(self.tr("Add rule"), theme, icon="plus")
        self.add.setObjectName("addRule")
        self.problem = Banner(theme, closable=False)
        self.remedy = Button(self.tr("Remove what is damaged"), theme)
        self.remedy.hide()
        self.table = RulesTable(model, theme)
        self.empty = Label("", theme, "text-2", 13)
        self.edit = EditCard(model, theme)
        self.explain = ExplainPanel(model, theme)
        self.folder = FolderPanel(model, theme)
        self._has_edit = self._brings = False
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        words = self.tr(
            "The first rule that fits decides. Deny wins over every mode. Only you can change this page; no model, "
            "file or server can."
        )
        sentence = Label(words, self._theme, "text-2", 13)
        sentence.setWordWrap(True)
        title = row_of(Label(self.tr("Permissions"), self._theme, px=20, weight=600), None, self.groups, 4, self.add)
        rules = column_of(self.table, self.empty, 12, self.edit, 20, self.explain, None)
        self._panes = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._panes.setSpacing(24)
        self._panes.addLayout(rules, 1)
        self._panes.addWidget(self.folder)
        remedy = row_of(self.remedy, None, margins=(0, 8, 0, 0))
        top = column_of(title, 4, sentence, 12, self.groups.card, 8, self.problem, remedy)
        column_of(top, self._panes, None, parent=self)
        self.folder.setFixedWidth(_FOLDER_WIDTH)

    def _connect(self) -> None:
        table, edit = self.table, self.edit
        self.add.clicked.connect(self.begin_rule)
        self.groups.made.connect(self.begin_rule)
        self.remedy.clicked.connect(self._model.remove_damaged)
        table.edit_requested.connect(edit.begin_change)
        table.copy_requested.connect(self._copy)
        table.remove_requested.connect(edit.begin_removal)
        table.moved.connect(edit.begin_move)
        table.menu_requested.connect(self._open_menu)
        table.selectionModel().selectionChanged.connect(self._on_chosen)
        self._model.changed.connect(self._on_changed)
        self._model.saved.connect(self.table.setFocus)
        self._model.edit_changed.connect(self._on_edit_changed)
        self._model.tried.connect(self._bring_edit)

    def begin_rule(self) -> None:
        """Fields for a new rule of the group that is shown."""
        self.edit.begin_new(blank(self._model.group))

    def _copy(self, rule: Rule) -> None:
        self.edit.begin_new(msgspec.structs.replace(rule, id=0, group=self._model.group), before=None)

    def _on_changed(self) -> None:
        if self._model.problem is not None:
            self.problem.show_error(self._model.problem)
        else:
            self.problem.hide()
        self._show_remedy()
        self.add.setEnabled(self._model.problem is None)
        has_rules = bool(self._model.rules)
        self.table.setVisible(has_rules)
        self.empty.setText("" if has_rules else self.tr("There are no rules: everything is asked."))
        self.empty.setVisible(not has_rules and self._model.problem is None)
        subject = self._model.subject
        if len(subject) == 1:
            self.table.choose(next(iter(subject)))

    def _show_remedy(self) -> None:
        ids = ", ".join(str(rule_id) for rule_id in self._model.damaged)
        self.remedy.setText(self.tr("Remove what is damaged: {}").format(ids))
        self.remedy.updateGeometry()
        self.remedy.setVisible(bool(ids))

    def _on_chosen(self) -> None:
        row = self.table.chosen
        self.folder.mark(row.rules[0].id if row is not None and not row.is_folded else None)

    def _on_edit_changed(self) -> None:
        is_new, self._has_edit = not self._has_edit, self._model.edit is not None
        if is_new and self._has_edit:
            self._brings = True

    def _bring_edit(self) -> None:
        """Scroll to the card when it is as high as it will be, and to what is wrong: it may be below the window's end."""
        area = self.parent()
        while area is not None and not isinstance(area, QScrollArea):
            area = area.parent()
        if (self._brings or self._model.trouble is not None) and area is not None:
            self._brings = False
            QTimer.singleShot(0, lambda: area.ensureWidgetVisible(self.edit, 0, 16))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._model.edit is not None:
            self._model.give_up()
        else:
            super().keyPressEvent(event)

    def _open_menu(self, at: QPoint) -> None:
        row = self.table.chosen
        if row is None:
            return
        menu, rule = Menu(self._theme, self), row.rules[0]
        if row.is_folded:
            menu.add(self.tr("Fold") if row.is_open else self.tr("Show each rule"), self.table.open_chosen)
        else:
            menu.add(self.tr("Edit…"), lambda: self.edit.begin_change(rule), tail=self.tr("Enter"))
        menu.add(self.tr("New rule like this…"), lambda: self._copy(rule))
        if (places := self.table.neighbours(row)) is not None:
            menu.add(self.tr("Move up"), lambda: self.table.move_chosen(-1), tail="Alt+↑", enabled=places[0] != 0)
            menu.add(self.tr("Move down"), lambda: self.table.move_chosen(1), tail="Alt+↓", enabled=places[1] != 0)
        menu.addSeparator()
        ids = tuple(each.id for each in row.rules)
        label = self.tr("Remove…") if len(ids) == 1 else self.tr("Remove {} rules…").format(len(ids))
        menu.add(label, lambda: self.edit.begin_removal(ids), tail=self.tr("Del"))
        menu.popup(at)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._model.reload()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_narrow = event.size().width() < _NARROW
        direction = QBoxLayout.Direction.TopToBottom if is_narrow else QBoxLayout.Direction.LeftToRight
        if self._panes.direction() != direction:
            self._panes.setDirection(direction)
            if is_narrow:
                self.folder.setMinimumWidth(0)
                self.folder.setMaximumWidth(16_777_215)
            else:
                self.folder.setFixedWidth(_FOLDER_WIDTH)
        self._panes.setAlignment(self.folder, Qt.AlignmentFlag.AlignTop)
