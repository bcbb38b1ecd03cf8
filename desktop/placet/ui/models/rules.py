"""The rules as the settings page sees them: one group's order, an edit that is not saved yet, and what it would do."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from placet.core.domain.errors import PlacetError
from placet.core.domain.explaining import (
    AddRule,
    ChangeRule,
    DryRun,
    ExplainedCall,
    Explanation,
    FolderQuestion,
    FolderView,
    MoveRule,
    RemoveRules,
    RuleEdit,
    RuleGroup,
    ToolName,
    TypedCall,
)
from placet.core.domain.ids import CallId, SessionId
from placet.core.domain.messages import Session, ToolCall
from placet.core.domain.review import Rule
from placet.ui.bridge import Bridge
from placet.ui.models.shown_session import ShownSession

_TRY_AFTER_MS = 250  # a person is still typing
_SESSIONS, _CALLS = 30, 60


class RulesModel(QObject):
    """Holds what is shown and hands wishes to the hub; nothing is changed before `save`."""

    changed = Signal()  # the order, with the edit taken into account, or the groups
    edit_changed = Signal()  # another edit, or none
    tried = Signal()  # `dry_run` or `trouble` is there for the edit
    saved = Signal()

    def __init__(self, bridge: Bridge, shown: ShownSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge, self._shown = bridge, shown
        self.group = "default"
        self.groups: Sequence[RuleGroup] = ()
        self.saved_rules: Sequence[Rule] = ()
        self.rules: Sequence[Rule] = ()
        self.sessions: Sequence[Session] = ()
        self.edit: RuleEdit | None = None
        self.dry_run: DryRun | None = None
        self.trouble: PlacetError | None = None
        self.problem: PlacetError | None = None  # why no rules are shown
        self.damaged: Sequence[int] = ()  # rules that are that reason
        self._asked = 0
        self._is_saving = False
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_TRY_AFTER_MS)
        self._soon.timeout.connect(self._try)

    # ---- what is shown -------------------------------------------------------------------------------------------

    @property
    def current_session(self) -> Session | None:
        """The chat that is open in the window."""
        return self._shown.session

    @property
    def tools(self) -> Sequence[ToolName]:
        return self._bridge.hub.rules.tools()

    @property
    def subject(self) -> frozenset[int]:
        """The ids of the rules that the edit is about, as the shown order has them."""
        match self.edit:
            case AddRule():
                return frozenset(rule.id for rule in self.rules) - frozenset(rule.id for rule in self.saved_rules)
            case ChangeRule(rule=rule):
                return frozenset({rule.id})
            case RemoveRules(rule_ids=ids):
                return frozenset(ids)
            case MoveRule(rule_id=rule_id):
                return frozenset({rule_id})
        return frozenset()

    def reload(self) -> None:
        """Read rules, groups and chats; an edit that is under way stays."""
        self._bridge.run(self._read(), self._show, self._show_problem)

    def show_group(self, group: str) -> None:
        """Show another group's order; an unsaved edit is given up. A name without rules is a group to come."""
        self.group = group
        self.give_up()
        self.reload()

    async def _read(self) -> tuple[Sequence[Rule], Sequence[RuleGroup], Sequence[Session]]:
        hub = self._bridge.hub
        sessions, _ = await hub.history.sessions(per_page=_SESSIONS)
        return await hub.rules.order(self.group), await hub.rules.groups(), sessions

    def _show(self, read: tuple[Sequence[Rule], Sequence[RuleGroup], Sequence[Session]]) -> None:
        self.problem, self.damaged = None, ()
        self.saved_rules, self.groups, self.sessions = read
        if self.edit is None:
            self.rules = self.saved_rules
            self.changed.emit()
        else:
            self._try()

    def _show_problem(self, error: PlacetError) -> None:
        self.problem = error
        self.saved_rules = self.rules = ()
        self.changed.emit()
        self._bridge.run(self._bridge.hub.rules.damaged(), self._show_damaged, lambda _: None)

    def _show_damaged(self, ids: Sequence[int]) -> None:
        if self.problem is not None:
            self.damaged = ids
            self.changed.emit()

    def remove_damaged(self) -> None:
        """Remove the rules that cannot be read, so that the others hold again."""
        self._bridge.run(self._bridge.hub.rules.remove_damaged(), lambda _: self.reload())

    # ---- an edit that is not saved -------------------------------------------------------------------------------

    def propose(self, edit: RuleEdit, *, at_once: bool = False) -> None:
        """Show the rules as this edit would leave them, and find out what it would change."""
        self.edit, self.dry_run, self.trouble = edit, None, None
        self._asked += 1
        self.edit_changed.emit()
        self._soon.start(0 if at_once else _TRY_AFTER_MS)

    def give_up(self) -> None:
        """Forget the edit."""
        self._soon.stop()
        self._asked += 1
        self.edit, self.dry_run, self.trouble = None, None, None
        if self.rules != self.saved_rules:
            self.rules = self.saved_rules
            self.changed.emit()
        self.edit_changed.emit()

    def save(self) -> None:
        """Save the edit; what keeps it from being saved is shown where it is edited."""
        if self.edit is not None and not self._is_saving:
            self._is_saving = True
            self._soon.stop()
            self._bridge.run(self._bridge.hub.rules.change(self.edit), lambda _: self._on_saved(), self._on_not_saved)

    def _on_saved(self) -> None:
        self._is_saving = False
        self._asked += 1
        self.edit, self.dry_run, self.trouble = None, None, None
        self.edit_changed.emit()
        self.saved.emit()
        self.reload()

    def _on_not_saved(self, error: PlacetError) -> None:
        self._is_saving = False
        self._on_refused(error)

    def _try(self) -> None:
        edit = self.edit
        if edit is None:
            return
        self._asked += 1
        number, rules = self._asked, self._bridge.hub.rules

        def show_order(order: Sequence[Rule]) -> None:
            if number == self._asked:
                # What is to be removed stays in sight until it is.
                self.rules = self.saved_rules if isinstance(edit, RemoveRules) else order
                self.changed.emit()
                self._bridge.run(rules.dry_run(edit), show_effects, refuse)

        def show_effects(dry_run: DryRun) -> None:
            if number == self._asked:
                self.dry_run = dry_run
                self.tried.emit()

        def refuse(error: PlacetError) -> None:
            if number == self._asked:
                self._on_refused(error)

        self._bridge.run(rules.order(self.group, edit), show_order, refuse)

    def _on_refused(self, error: PlacetError) -> None:
        self.trouble = error
        self.tried.emit()

    # ---- groups --------------------------------------------------------------------------------------------------

    def rename_group(self, name: str, otherwise: Callable[[PlacetError], None]) -> None:
        async def work() -> None:
            await self._bridge.hub.rules.rename_group(self.group, name)

        self._bridge.run(work(), lambda _: self.show_group(name.strip()), otherwise)

    def remove_group(self, *, also_from_sessions: bool, otherwise: Callable[[PlacetError], None]) -> None:
        work = self._bridge.hub.rules.remove_group(self.group, also_from_sessions=also_from_sessions)
        self._bridge.run(work, lambda _: self.show_group("default"), otherwise)

    def use_in_current_session(self, otherwise: Callable[[PlacetError], None]) -> None:
        """Judge the chat that is open by the group that is shown."""
        if (session := self.current_session) is not None:
            self._bridge.run(
                self._bridge.hub.rules.use_group(session.id, self.group), lambda _: self.reload(), otherwise
            )

    # ---- asking --------------------------------------------------------------------------------------------------

    def judge(
        self, call: TypedCall, then: Callable[[Explanation], None], otherwise: Callable[[PlacetError], None]
    ) -> None:
        """Ask what would happen to a typed call, the edit included as long as it makes rules."""
        edit = self.edit if self.trouble is None else None
        self._bridge.run(self._bridge.hub.rules.judge(call, edit), then, otherwise)

    def explain(
        self, call_id: int, then: Callable[[ExplainedCall], None], otherwise: Callable[[PlacetError], None]
    ) -> None:
        self._bridge.run(self._bridge.hub.rules.explain(CallId(call_id)), then, otherwise)

    def calls_of(self, session_id: SessionId, then: Callable[[Sequence[ToolCall]], None]) -> None:
        """The newest calls of a chat, newest first."""

        async def read() -> Sequence[ToolCall]:
            page = await self._bridge.hub.history.newest(session_id, _CALLS)
            return [call for message in reversed(page.messages) for call in reversed(message.calls)]

        self._bridge.run(read(), then)

    def folder(
        self, question: FolderQuestion, then: Callable[[FolderView], None], otherwise: Callable[[PlacetError], None]
    ) -> None:
        edit = self.edit if self.trouble is None else None
        self._bridge.run(self._bridge.hub.rules.folder(question, edit), then, otherwise)
