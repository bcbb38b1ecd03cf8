"""What waits for a person, and what they answer: approvals, rejections, answers to questions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from placet.core.domain.diff import FileDiff
from placet.core.domain.errors import UsageError
from placet.core.domain.ids import RequestId, SessionId
from placet.core.domain.review import DecidedBy, Decision, PendingRequest, RequestKind
from placet.core.domain.text import clean_text
from placet.core.store.store import Store

if TYPE_CHECKING:
    from placet.core.hub.requests import Requests


class Decisions(ABC):
    """The part of the hub that requests are answered through."""

    def __init__(self, store: Store, requests: Callable[[], Requests]) -> None:
        self._store, self._requests = store, requests

    @abstractmethod
    async def resume(self, session_id: SessionId) -> None:
        """Go on with an interrupted turn; returns at once."""

    async def approve(self, request_id: RequestId, *, by: DecidedBy = DecidedBy.PERSON, who: str = "") -> None:
        await self._decide(request_id, Decision(approved=True, by=by, who=who))

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

    async def _decide(self, request_id: RequestId, decision: Decision, *, answers: bool = False) -> None:
        """A request of an earlier run of the program is decided by resuming its session."""
        request = await self._store.approvals.get(request_id)
        is_question = request is not None and request.kind is RequestKind.QUESTION
        if request is not None and decision.approved and is_question is not answers:
            raise UsageError(
                "A question is answered, not approved." if is_question else "This is no question: approve or reject it."
            )
        if not await self._requests().answer(request_id, decision):
            await self.resume(await self._requests().answer_later(request_id, decision))

    async def pending(self, session_id: SessionId | None = None) -> Sequence[PendingRequest]:
        return await self._store.approvals.waiting(session_id)

    async def request_diff(self, request_id: RequestId) -> FileDiff:
        return await self._requests().diff(request_id)

    async def request_diff_together(self, request_ids: Sequence[RequestId]) -> FileDiff:
        return await self._requests().diff_together(request_ids)
