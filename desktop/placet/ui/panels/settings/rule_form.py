"""The fields of a rule. What is wrong with what was entered is said by the hub, not here."""

from __future__ import annotations

import msgspec
from PySide6.QtCore import Signal
from PySide6.QtGui import QIntValidator
from PySide6.QtWidgets import QFileDialog, QGridLayout, QHBoxLayout, QWidget

from placet.core.domain.review import Action, Rule
from placet.ui.models.rules import RulesModel
from placet.ui.paths import from_home
from placet.ui.theme.theme import Theme
from placet.ui.widgets import verdicts
from placet.ui.widgets.controls import IconButton, Label, Segmented
from placet.ui.widgets.fields import TextField
from placet.ui.widgets.menu import Menu
from placet.ui.widgets.plane import row_of

_ACTIONS = (Action.ALLOW, Action.REQUIRE, Action.DENY)


class RuleForm(QWidget):
    """`value` is the rule as it is entered; `changed` at each change of a person."""

    changed = Signal()

    def __init__(self, model: RulesModel, theme: Theme) -> None:
        super().__init__()
        self._model, self._theme = model, theme
        self._base = Rule()
        self.tool = TextField(self.tr("Tool"), hint=self.tr("a name, a beginning with *, or a class"), mono=True)
        self.tool.setObjectName("ruleTool")
        self.tools = IconButton("chevron-down", self.tr("Choose a tool"), theme, icon_size=14)
        self.path = TextField(self.tr("Path"), hint=self.tr("all paths; or ~/folder/*, *.pem"), mono=True)
        self.path.setObjectName("rulePath")
        self.choose = IconButton("folder-open", self.tr("Choose a folder"), theme, icon_size=14)
        self.command = TextField(self.tr("Command"), hint=self.tr("all commands; or its first words"), mono=True)
        self.command.setObjectName("ruleCommand")
        self.action = Segmented([(verdicts.word(action), "", verdicts.word(action)) for action in _ACTIONS], theme)
        self.priority = TextField(self.tr("Priority"), hint="100")
        self.priority.setValidator(QIntValidator(0, 2**31 - 1, self.priority))
        self.note = TextField(self.tr("Note"), hint=self.tr("what it is for"))
        self.note.setObjectName("ruleNote")
        self.agent = TextField(self.tr("Agent"), hint=self.tr("all agents"))
        self.source = TextField(self.tr("Source"), hint=self.tr("everywhere"))
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        cells: list[tuple[int, int, str, QWidget | QHBoxLayout]] = [
            (0, 0, self.tr("Tool"), row_of(self.tool, 4, self.tools)), (0, 2, self.tr("Then"), row_of(self.action, None)),
            (1, 0, self.tr("Path"), row_of(self.path, 4, self.choose)), (1, 2, self.tr("Priority"), self.priority),
            (2, 0, self.tr("Command"), self.command), (2, 2, self.tr("Note"), self.note),
            (3, 0, self.tr("Agent"), self.agent), (3, 2, self.tr("Source"), self.source),
        ]  # fmt: skip
        for row, column, words, field in cells:
            grid.addWidget(Label(words, self._theme, "text-2", 12), row, column)
            if isinstance(field, QWidget):
                grid.addWidget(field, row, column + 1)
            else:
                grid.addLayout(field, row, column + 1)
        grid.setColumnStretch(1, 3)
        grid.setColumnStretch(3, 2)

    def _connect(self) -> None:
        for field in (self.tool, self.path, self.command, self.priority, self.note, self.agent, self.source):
            field.textEdited.connect(lambda _: self.changed.emit())
        self.action.chosen.connect(lambda _: self.changed.emit())
        self.tools.clicked.connect(self._offer_tools)
        self.choose.clicked.connect(self._choose_folder)

    def load(self, rule: Rule) -> None:
        """Show a rule's values."""
        self._base = rule
        self.tool.setText(rule.tool)
        self.path.setText(from_home(rule.path))
        self.command.setText(" ".join(rule.command))
        self.action.choose(verdicts.word(rule.action))
        self.priority.setText(str(rule.priority))
        self.note.setText(rule.note)
        self.agent.setText(rule.agent)
        self.source.setText(rule.source)
        self.path.setCursorPosition(0)
        self.command.setCursorPosition(0)

    def value(self) -> Rule:
        words = self.action.current()
        return msgspec.structs.replace(
            self._base,
            tool=self.tool.text().strip(),
            path=self.path.text().strip(),
            command=tuple(self.command.text().split()),
            action=next(action for action in _ACTIONS if verdicts.word(action) == words),
            priority=int(self.priority.text()) if self.priority.text().isdigit() else 100,
            note=self.note.text().strip(),
            agent=self.agent.text().strip(),
            source=self.source.text().strip(),
        )

    def _offer_tools(self) -> None:
        menu = Menu(self._theme, self)
        classes = [
            ("@fs_read", self.tr("reads of files")), ("@fs_write", self.tr("writes of files")),
            ("@fs_any", self.tr("all of files")), ("*", self.tr("everything")),
        ]  # fmt: skip
        for name, meaning in classes:
            menu.add(name, lambda name=name: self._take_tool(name), tail=meaning)  # type: ignore[misc]
        menu.addSeparator()
        for tool in self._model.tools:
            menu.add(tool.name, lambda name=tool.name: self._take_tool(name))  # type: ignore[misc]
        menu.open_below(self.tool)

    def _take_tool(self, name: str) -> None:
        self.tool.setText(name)
        self.changed.emit()

    def _choose_folder(self) -> None:
        dialog = QFileDialog(self, self.tr("A folder that the rule is for"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(self._take_folder)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _take_folder(self, folder: str) -> None:
        self.path.setText(f"{from_home(folder).rstrip('/')}/*")
        self.changed.emit()
