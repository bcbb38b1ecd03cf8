"""The rules and groups as a front end sees and changes them. Only verbs of a person lead here (`R-4`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from placet.core.domain import events
from placet.core.domain.errors import SessionBusy, UsageError
from placet.core.domain.explaining import (
    DryRun,
    ExplainedCall,
    Explanation,
    FolderQuestion,
    FolderRules,
    FolderView,
    RuleEdit,
    RuleGroup,
    ToolName,
    TypedCall,
)
from placet.core.domain.ids import CallId, SessionId
from placet.core.domain.review import Rule
from placet.core.hub.bus import EventBus
from placet.core.hub.live import LiveSessions
from placet.core.store.store import Store

if TYPE_CHECKING:
    from placet.core.hub.judging import Judge

_DEFAULT = "default"


class Rules:
    """Implements `RulesApi`. What it changes holds from the next check on, in turns that run too."""

    def __init__(self, store: Store, bus: EventBus, live: LiveSessions, judge: Callable[[], Judge]) -> None:
        self._store, self._bus, self._live, self._judge = store, bus, live, judge

    # ---- looking -------------------------------------------------------------------------------------------------

    async def order(self, group: str = _DEFAULT, edit: RuleEdit | None = None) -> Sequence[Rule]:
        from placet.core.review.rules import in_order

        return in_order(await self._judge().rules(edit), group)

    async def groups(self) -> Sequence[RuleGroup]:
        counts = Counter(rule.group for rule in await self._store.rules.rules())
        used = await self._store.rules.session_groups()
        names = sorted({*counts, *used} - {_DEFAULT})
        return [RuleGroup(name=name, rules=counts[name], sessions=used.get(name, 0)) for name in (_DEFAULT, *names)]

    def tools(self) -> Sequence[ToolName]:
        return self._judge().tools()

    async def explain(self, call_id: CallId) -> ExplainedCall:
        return await self._judge().explain(call_id)

    async def judge(self, call: TypedCall, edit: RuleEdit | None = None) -> Explanation:
        return await self._judge().judge(call, edit)

    async def dry_run(self, edit: RuleEdit) -> DryRun:
        return await self._judge().dry_run(edit)

    async def folder(self, question: FolderQuestion, edit: RuleEdit | None = None) -> FolderView:
        return await self._judge().folder(question, edit)

    def of_folder(self, workdir: str) -> FolderRules:
        return self._judge().folder_rules(workdir)

    # ---- changing ------------------------------------------------------------------------------------------------

    async def change(self, edit: RuleEdit) -> None:
        from placet.core.review.rulebook import edited

        await self._store.rules.change(lambda rules: edited(rules, edit))

    async def damaged(self) -> Sequence[int]:
        return await self._store.rules.damaged()

    async def remove_damaged(self) -> None:
        await self._store.rules.remove_damaged()

    async def rename_group(self, group: str, name: str) -> None:
        from placet.core.review.rulebook import checked_group, renamed

        name = checked_group(name)
        if name != group:
            await self._give_sessions(group, name, lambda rules: renamed(rules, group, name))

    async def remove_group(self, group: str, *, also_from_sessions: bool = False) -> None:
        if group == _DEFAULT:
            raise UsageError("The group default cannot be removed: its rules are asked in every chat.")
        using = len(await self._store.rules.sessions_in(group))
        if using and not also_from_sessions:
            chats = "a chat uses" if using == 1 else f"{using} chats use"
            raise UsageError(
                f"The group {group} was not removed: {chats} it.",
                hint="Give them another group first, or remove it and leave them to the group default.",
            )
        await self._give_sessions(group, _DEFAULT, lambda rules: [rule for rule in rules if rule.group != group])

    async def use_group(self, session_id: SessionId, group: str) -> None:
        known = [each.name for each in await self.groups()]
        if group not in known:
            raise UsageError(f"There is no group {group}.", hint=f"There are: {', '.join(known)}.")
        await self._live.refuse_foreign(session_id)
        session = await self._store.sessions.get(session_id)
        live = self._live.peek(session_id)
        context = msgspec.structs.replace(live.context if live is not None else session.context, group=group)
        if live is not None:
            live.context = context
        await self._store.sessions.update(session_id, context=context)
        self._bus.publish(session.source, session_id, events.SessionChanged(session_id=session_id))

    async def _give_sessions(self, group: str, new: str, edit: Callable[[Sequence[Rule]], Sequence[Rule]]) -> None:
        """Another process keeps the group of a turn it runs in mind; it must not lose its rules meanwhile."""
        using = await self._store.rules.sessions_in(group)
        for session_id in using:
            if not self._live.is_owned(session_id) and await self._store.sessions.owner_is_alive(session_id):
                raise SessionBusy(
                    f"A chat of the group {group} is running in another Placet process.",
                    hint="Stop it there or wait until it is done.",
                )
        await self._store.rules.change_group(group, new, edit)
        for session_id in using:
            live = self._live.peek(session_id)
            if live is not None and live.context.group == group:
                live.context = msgspec.structs.replace(live.context, group=new)
                self._bus.publish(live.source, session_id, events.SessionChanged(session_id=session_id))
