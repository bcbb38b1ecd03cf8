"""Groups of rules: which one is shown, and making, renaming, removing and using one."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from placet.core.domain.errors import PlacetError
from placet.core.domain.explaining import RuleGroup
from placet.ui.models.rules import RulesModel
from placet.ui.theme.theme import Theme
from placet.ui.widgets.banner import Banner
from placet.ui.widgets.controls import Button, IconButton, Label
from placet.ui.widgets.fields import Select, TextField
from placet.ui.widgets.menu import Menu
from placet.ui.widgets.plane import column_of, row_of
from placet.ui.widgets.rows import Card


class GroupBar(QWidget):
    """The choice for the page's head; `card` is what a choice asks for, to be put below the head."""

    made = Signal()  # a new group is shown, and has no rule yet

    def __init__(self, model: RulesModel, theme: Theme) -> None:
        super().__init__()
        self._model, self._theme = model, theme
        self._act = "new"
        self.choice = Select(self.tr("Group"), [("default", self.tr("Group {}").format("default"))], theme)
        self.choice.setObjectName("ruleGroup")
        self.choice.setFixedWidth(150)
        self.more = IconButton("ellipsis", self.tr("Groups"), theme)
        self.card = Card(theme, "surface")
        self.words = Label("", theme, "text", 13)
        self.words.setWordWrap(True)
        self.name = TextField(self.tr("Name of the group"), hint=self.tr("for example careful"))
        self.name.setObjectName("groupName")
        self.do = Button(self.tr("Make group"), theme, kind="primary")
        self.leave = Button(self.tr("Cancel"), theme, kind="ghost")
        self.refusal = Banner(theme, closable=False)
        row = row_of(self.words, 12, self.name, 12, self.leave, 8, self.do)
        row.setStretchFactor(self.words, 1)
        column_of(row, self.refusal, margins=(13, 10, 13, 10), parent=self.card).setSpacing(8)
        self.name.setFixedWidth(200)
        self.card.hide()
        row_of(self.choice, 4, self.more, parent=self)
        self.choice.chosen.connect(self._on_chosen)
        self.more.clicked.connect(self._open_menu)
        self.leave.clicked.connect(self.card.hide)
        self.do.clicked.connect(self._do)
        self.name.returnPressed.connect(self._do)
        model.changed.connect(self._show)

    def _show(self) -> None:
        names = [group.name for group in self._model.groups]
        if self._model.group not in names:
            names.append(self._model.group)
        self.choice.offer([(name, self.tr("Group {}").format(name)) for name in names])
        self.choice.choose(self._model.group)

    def _on_chosen(self, group: str) -> None:
        self.card.hide()
        self._model.show_group(group)

    @property
    def _group(self) -> RuleGroup:
        found = (group for group in self._model.groups if group.name == self._model.group)
        return next(found, RuleGroup(name=self._model.group, rules=0, sessions=0))

    def _open_menu(self) -> None:
        menu, group = Menu(self._theme, self), self._group
        is_own, session = group.name != "default", self._model.current_session
        menu.add_head(self.tr("{}, used by {}").format(self._rules(group), self._chats(group)))
        is_used = session is not None and session.context.group == group.name
        label = self.tr("Used in the open chat") if is_used else self.tr("Use in the open chat")
        menu.add(label, self._use, enabled=session is not None and not is_used)
        menu.addSeparator()
        menu.add(self.tr("New group…"), lambda: self.begin("new"))
        menu.add(self.tr("Rename…"), lambda: self.begin("rename"), enabled=is_own)
        menu.add(self.tr("Remove…"), lambda: self.begin("remove"), enabled=is_own)
        menu.open_below(self.more)

    def begin(self, act: str) -> None:
        """Ask for what "new", "rename" or "remove" needs."""
        self._act, group = act, self._group
        verbs = {"new": self.tr("Make group"), "rename": self.tr("Rename"), "remove": self.tr("Remove group")}
        sentences = {
            "new": self.tr(
                "A group has rules of its own, asked before those of default. It begins with its first rule."
            ),
            "rename": self.tr("Another name for the group {}, in its rules and its chats.").format(group.name),
            "remove": self._removal(group),
        }
        self.words.setText(sentences[act])
        self.name.setVisible(act != "remove")
        self.name.setText(group.name if act == "rename" else "")
        self.do.setText(verbs[act])
        self.do.updateGeometry()
        self.refusal.hide()
        self.card.show()
        (self.do if act == "remove" else self.name).setFocus()

    def _removal(self, group: RuleGroup) -> str:
        words = self.tr("Remove the group {} with {}?").format(group.name, self._rules(group))
        if not group.sessions:
            return words
        judged = self.tr("Used by {}, judged by default alone from then on.").format(self._chats(group))
        return f"{words} {judged}"

    def _rules(self, group: RuleGroup) -> str:
        return self.tr("1 rule") if group.rules == 1 else self.tr("{} rules").format(group.rules)

    def _chats(self, group: RuleGroup) -> str:
        return self.tr("1 chat") if group.sessions == 1 else self.tr("{} chats").format(group.sessions)

    def _do(self) -> None:
        name = self.name.text().strip()
        if self._act == "remove":
            self._model.remove_group(also_from_sessions=True, otherwise=self._refuse)
            self.card.hide()
        elif self._act == "rename":
            self._model.rename_group(name, self._refuse)
            self.card.hide()
        elif name:
            self.card.hide()
            self._model.show_group(name)
            self.made.emit()

    def _use(self) -> None:
        self._model.use_in_current_session(self._refuse)

    def _refuse(self, error: PlacetError) -> None:
        self.card.show()
        self.refusal.show_error(error)
