"""The journal and undo as a front end sees them. Thin: store and review do the work, events tell of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from placet.core.domain import events
from placet.core.domain.diff import FileDiff
from placet.core.domain.ids import ChangeId, MessageId, SessionId
from placet.core.domain.review import Change, RevertOutcome, RevertStatus
from placet.core.domain.undo import ChangedFile, ChangeStep, FileUndo, Keep, ThreeWay, UndoWish
from placet.core.hub.bus import EventBus
from placet.core.store.store import Store

if TYPE_CHECKING:
    from placet.core.review.undo import Undo


class Changes:
    """Implements `ChangesApi`."""

    def __init__(self, store: Store, undo: Callable[[], Undo], bus: EventBus) -> None:
        self._store, self._undo, self._bus = store, undo, bus

    # ---- looking ---------------------------------------------------------------------------------------------------

    async def changes(
        self, session_id: SessionId | None = None, *, page: int = 1, per_page: int = 20
    ) -> tuple[Sequence[Change], int]:
        return await self._store.changes.page(session_id, page=page, per_page=per_page)

    async def diff(self, change_id: ChangeId) -> FileDiff:
        return await self._undo().diff(change_id)

    async def files(
        self, session_id: SessionId | None = None, *, text: str = "", page: int = 1, per_page: int = 100
    ) -> tuple[Sequence[ChangedFile], int]:
        return await self._store.changed_files.files(session_id, text=text, page=page, per_page=per_page)

    async def steps(self, path: str, session_id: SessionId | None = None) -> Sequence[ChangeStep]:
        return await self._store.changed_files.steps(path, session_id)

    async def cumulative(self, path: str, session_id: SessionId | None = None) -> FileDiff:
        return await self._undo().cumulative(path, session_id)

    # ---- undoing ---------------------------------------------------------------------------------------------------

    async def plan_undo(self, wish: UndoWish) -> Sequence[FileUndo]:
        if wish.message_id is not None and wish.session_id is None:
            session_id = await self._store.sessions.of_message(wish.message_id)
            wish = UndoWish(message_id=wish.message_id, whole_rest=wish.whole_rest, session_id=session_id)
        return await self._undo().plan(wish)

    async def undo_diff(self, plan: FileUndo) -> FileDiff:
        return await self._undo().preview(plan)

    async def three_way(self, plan: FileUndo) -> ThreeWay:
        return await self._undo().three_way(plan)

    async def decide_undo(self, plan: FileUndo, choices: Sequence[Keep | None]) -> FileUndo:
        return await self._undo().decide(plan, choices)

    async def undo(self, plans: Sequence[FileUndo]) -> Sequence[RevertOutcome]:
        return await self._told(await self._undo().carry_out(plans))

    async def revert(self, change_ids: Sequence[ChangeId]) -> Sequence[RevertOutcome]:
        return await self._told(await self._undo().revert(change_ids))

    async def revert_turn(self, message_id: MessageId) -> Sequence[RevertOutcome]:
        session_id = await self._store.sessions.of_message(message_id)
        changes = await self._store.changes.since(session_id, message_id, whole_rest=False)
        return await self.revert([change.id for change in changes])

    async def _told(self, outcomes: Sequence[RevertOutcome]) -> Sequence[RevertOutcome]:
        for outcome in outcomes:
            if outcome.status is RevertStatus.REVERTED:
                await self._tell(outcome)
        return outcomes

    async def _tell(self, outcome: RevertOutcome) -> None:
        change = await self._store.changes.change(outcome.change_id)
        session = await self._store.sessions.get(change.session_id)
        told = events.FileChanged(
            path=outcome.path, change="reverted", change_id=outcome.change_id, tool_call_id=change.call_id
        )
        self._bus.publish(session.source, session.id, told)
