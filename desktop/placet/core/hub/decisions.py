"""What waits for a person, and what they answer: approvals, rejections, answers to questions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from placet.core.domain.diff import FileDiff
from placet.core.domain.errors import UsageError
from placet.core.domain.ids import RequestId, SessionId
from placet.core.domain.review import (
    Amendment,
    Bypass,
    BypassGrant,
    DecidedBy,
    Decision,
    EditableText,
    EditedCommand,
    PendingRequest,
    RequestKind,
    ReviewNotes,
)
from placet.core.domain.text import clean_text
from placet.core.review.bypasses import Bypasses
from placet.core.store.store import Store

if TYPE_CHECKING:
    from placet.core.hub.requests import Requests


_LONGEST_NOTED = 1_000_000  # characters of a text in the editor; it is read with every list of what waits


class Decisions(ABC):
    """The part of the hub that requests are answered through."""

    def __init__(self, store: Store, requests: Callable[[], Requests], bypasses: Bypasses) -> None:
        self._store, self._requests, self._bypasses = store, requests, bypasses

    @abstractmethod
    def _tell_bypasses(self, session_id: SessionId) -> None:
        """Tell front ends that what is not asked about changed."""

    @abstractmethod
    async def _refuse_foreign(self, session_id: SessionId) -> None:
        """Raises: SessionBusy where another process runs the session."""

    @abstractmethod
    async def resume(self, session_id: SessionId) -> None:
        """Go on with an interrupted turn; returns at once."""

    async def approve(
        self,
        request_id: RequestId,
        *,
        amendment: Amendment | None = None,
        bypass: BypassGrant | None = None,
        shown: str = "",
        by: DecidedBy = DecidedBy.PERSON,
        who: str = "",
    ) -> None:
        decision = Decision(approved=True, amendment=amendment, by=by, who=who, on=shown)
        if bypass is not None:
            self._bypasses.check(await self._store.approvals.get(request_id), bypass)
        request = await self._decide(request_id, decision)
        if bypass is not None and request is not None:
            edited = amendment.command if isinstance(amendment, EditedCommand) else ""
            self._bypasses.add(request, bypass, edited)
            self._tell_bypasses(request.session_id)
            await self._requests().let_covered_pass(request.session_id)

    async def reject(
        self, request_id: RequestId, note: str = "", *, by: DecidedBy = DecidedBy.PERSON, who: str = ""
    ) -> None:
        await self._decide(request_id, Decision(approved=False, note=note, by=by, who=who))

    async def resolve_question(
        self, request_id: RequestId, answer: str, *, by: DecidedBy = DecidedBy.PERSON, who: str = ""
    ) -> None:
        if not answer.strip():
            raise UsageError("The answer is empty.", hint="Write one, or stop the turn.")
        decision = Decision(approved=True, note=clean_text(answer), by=by, who=who)
        await self._decide(request_id, decision, answers=True)

    async def _decide(
        self, request_id: RequestId, decision: Decision, *, answers: bool = False
    ) -> PendingRequest | None:
        """A request of an earlier run of the program is decided by resuming its session."""
        request = await self._store.approvals.get(request_id)
        is_question = request is not None and request.kind is RequestKind.QUESTION
        if request is not None and decision.approved and is_question is not answers:
            raise UsageError(
                "A question is answered, not approved." if is_question else "This is no question: approve or reject it."
            )
        if request is not None and request.is_own:
            await self._requests().answer_own(request, decision)
        elif not await self._requests().answer(request_id, decision):
            if request is not None:
                await self._refuse_foreign(request.session_id)  # the process that waits for it asks itself
            await self.resume(await self._requests().answer_later(request_id, decision))
        return request

    async def pending(self, session_id: SessionId | None = None) -> Sequence[PendingRequest]:
        waiting = await self._store.approvals.waiting(session_id)
        return [request for request in waiting if request.decision is None]

    def keep_notes(self, request_id: RequestId, notes: ReviewNotes) -> None:
        if notes.text is not None and len(notes.text) > _LONGEST_NOTED:
            notes = msgspec.structs.replace(notes, text=None)
        self._store.approvals.keep_notes(request_id, notes)

    async def request_diff(self, request_id: RequestId, amendment: Amendment | None = None) -> FileDiff:
        return await self._requests().diff(request_id, amendment)

    async def request_text(self, request_id: RequestId, amendment: Amendment | None = None) -> EditableText:
        return await self._requests().text(request_id, amendment)

    async def request_facts(self, request_id: RequestId, command: str) -> Sequence[str]:
        return await self._requests().facts(request_id, command)

    async def bypasses(self, session_id: SessionId) -> Sequence[Bypass]:
        return self._bypasses.active(session_id)

    async def remove_bypass(self, bypass_id: int) -> None:
        removed = self._bypasses.remove(bypass_id)
        if removed is not None:
            self._tell_bypasses(removed.session_id)

    async def request_diff_together(self, request_ids: Sequence[RequestId]) -> FileDiff:
        return await self._requests().diff_together(request_ids)
