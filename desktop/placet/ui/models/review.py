"""What waits for a person now: the requests in order, the diff of the one looked at, and the answers to it.

Holds no truth: every answer goes to the hub, and the list is what the hub says after each event.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from PySide6.QtCore import QObject, Signal

from placet.core.domain.diff import FileDiff
from placet.core.domain.errors import PlacetError, StalePreview, UnknownItem
from placet.core.domain.events import (
    AgentQuestion,
    ApprovalRequired,
    ApprovalResolved,
    Envelope,
    Lagged,
    PendingCommand,
    PendingWrite,
    PreviewStale,
)
from placet.core.domain.ids import RequestId, SessionId
from placet.core.domain.review import BypassGrant, PendingRequest, RequestKind
from placet.core.domain.stopping import TaskScope
from placet.core.hub.api import HubApi
from placet.ui.models.inbox_items import place_after
from placet.ui.models.review_draft import Draft
from placet.ui.models.review_drafts import Drafts

_RELEVANT = (
    AgentQuestion, ApprovalRequired, ApprovalResolved, Lagged, PendingCommand, PendingWrite, PreviewStale,
)  # fmt: skip


class ReviewModel(QObject):
    """Requests oldest first, as they will be gone through; with `only` none of another kind.

    `arrange` makes another order of them, or leaves some out; it gets them newest first. Without `tells` nothing is
    told of what arrives: for a list beside which somebody else does. Main thread only; work runs in the scope it is given.
    """

    changed = Signal()  # the list, the place in it, or what is known about the current request
    arrived = Signal(object)  # a PendingRequest to decide that was not there before
    asked = Signal(object)  # a question that was not there before
    failed = Signal(object)  # a PlacetError: the list could not be read

    def __init__(
        self,
        hub: HubApi,
        scope: TaskScope,
        parent: QObject | None = None,
        *,
        only: RequestKind | None = None,
        arrange: Callable[[Sequence[PendingRequest]], Sequence[PendingRequest]] | None = None,
        tells: bool = True,
    ) -> None:
        super().__init__(parent)
        self._hub, self._scope, self._only = hub, scope, only
        self._arrange, self._tells = arrange or _oldest_first, tells
        self._session: SessionId | None = None
        self._requests: Sequence[PendingRequest] = ()
        self._index = 0
        self._deciding: set[RequestId] = set()
        self._errors: dict[RequestId, PlacetError] = {}
        self._refreshing: asyncio.Task[None] | None = None
        self._again = False
        self.drafts = Drafts(hub, scope, self)
        self.drafts.changed.connect(self.changed)
        self.drafts.request_gone.connect(self.refresh)

    # ---- what is shown -------------------------------------------------------------------------------------------

    @property
    def requests(self) -> Sequence[PendingRequest]:
        return self._requests

    @property
    def has_decisions(self) -> bool:
        """Whether something waits that is not only to be answered."""
        return any(request.kind is not RequestKind.QUESTION for request in self._requests)

    @property
    def index(self) -> int:
        return self._index

    @property
    def current(self) -> PendingRequest | None:
        return self._requests[self._index] if self._requests else None

    @property
    def draft(self) -> Draft:
        """What a person did so far with the current request; an empty one where there is none."""
        return self.drafts.of(self.current) if self.current else Draft()

    @property
    def diff(self) -> FileDiff | None:
        """What would be written: the proposal or a person's own; None while it loads and for what is no write."""
        if self.current is None or self.draft.request_id != self.current.id:
            return None  # what is known is of the proposal before this one
        return self.draft.shown

    @property
    def error(self) -> PlacetError | None:
        """What went wrong with the current request."""
        return (self._errors.get(self.current.id) or self.drafts.error(self.current)) if self.current else None

    @property
    def is_deciding(self) -> bool:
        """An answer to the current request is on its way."""
        return self.current is not None and self.current.id in self._deciding

    # ---- following the hub ---------------------------------------------------------------------------------------

    def show_session(self, session_id: SessionId | None) -> None:
        """Show what waits in one session; None: in all."""
        self._session = session_id
        self.refresh()

    def handle(self, envelope: Envelope) -> None:
        """Follow an event of the bus."""
        if isinstance(envelope.event, _RELEVANT):
            self.refresh()

    def refresh(self) -> None:
        """Ask the hub anew, soon; several calls in a row become one or two questions."""
        if self._refreshing is not None and not self._refreshing.done():
            self._again = True
            return
        self._refreshing = self._scope.start(self._refresh(), "review: refresh")

    async def _refresh(self) -> None:
        self._again = True
        while self._again:
            self._again = False
            session = self._session
            try:
                found = await self._hub.pending(session)
            except PlacetError as error:
                self.failed.emit(error)
                return
            if session == self._session:
                self._take(self._arrange([request for request in found if self._only in (None, request.kind)]))

    def _take(self, requests: Sequence[PendingRequest]) -> None:
        known = {request.id for request in self._requests}
        self._index = place_after(self._requests, self._index, requests)
        self._requests = requests
        waiting = {request.id for request in requests}
        self._errors = {key: error for key, error in self._errors.items() if key in waiting}
        self.drafts.keep(requests)
        self._load_diff()
        self.changed.emit()
        for request in requests if self._tells else ():
            if request.id not in known:
                (self.asked if request.kind is RequestKind.QUESTION else self.arrived).emit(request)

    # ---- walking -------------------------------------------------------------------------------------------------

    def go_to(self, index: int) -> None:
        index = max(0, min(index, len(self._requests) - 1))
        if index != self._index:
            if self.current is not None:
                self.drafts.look_away(self.current)
            self._index = index
            self._load_diff()
            self.changed.emit()

    def next(self) -> None:
        self.go_to(self._index + 1)

    def previous(self) -> None:
        self.go_to(self._index - 1)

    def show(self, request_id: RequestId) -> bool:
        """Go to a request; says whether it still waits here."""
        for index, request in enumerate(self._requests):
            if request.id == request_id:
                self.go_to(index)
                return True
        return False

    def _load_diff(self) -> None:
        if self.current is not None:
            self.drafts.load(self.current)

    def draft_of(self, request_id: RequestId) -> Draft | None:
        """What the person made of a request that waits here."""
        found = next((request for request in self._requests if request.id == request_id), None)
        return self.drafts.of(found) if found is not None else None

    # ---- answering -----------------------------------------------------------------------------------------------

    def approve(self, bypass: BypassGrant | None = None) -> None:
        """Approve the current request, and only that (`R-15`), with what the person changed in it.

        With `bypass` others like it are not asked about from now on.
        """
        draft, request = self.draft, self.current
        is_shown = request is not None and (request.kind is not RequestKind.WRITE or self.diff is not None)
        if is_shown and not draft.leaves_nothing and not draft.is_editing:
            amendment, shown = draft.amendment, draft.of
            self._send(
                lambda request_id: self._hub.approve(request_id, amendment=amendment, bypass=bypass, shown=shown)
            )

    def reject(self, note: str = "") -> None:
        """Reject the current request; `note` is told to the model."""
        self._send(lambda request_id: self._hub.reject(request_id, note.strip()))

    def answer(self, text: str) -> None:
        """Answer the current request, which is a question."""
        self._send(lambda request_id: self._hub.resolve_question(request_id, text))

    def _send(self, verb: Callable[[RequestId], Coroutine[Any, Any, None]]) -> None:
        request = self.current
        if request is not None and request.id not in self._deciding:
            self._scope.start(self._carry_out(request.id, verb), "review: answer")
            self._deciding.add(request.id)
            self._errors.pop(request.id, None)
            self.changed.emit()

    async def _carry_out(self, request_id: RequestId, verb: Callable[[RequestId], Coroutine[Any, Any, None]]) -> None:
        try:
            await verb(request_id)
        except (UnknownItem, StalePreview):
            pass  # the list that follows shows what became of it
        except PlacetError as error:
            self._errors[request_id] = error
        finally:
            self._deciding.discard(request_id)
        self.refresh()
        self.changed.emit()


def _oldest_first(found: Sequence[PendingRequest]) -> Sequence[PendingRequest]:
    """Sorted, for what waits in several sessions; of the same moment the one that was asked first."""
    oldest_first = list(found)
    oldest_first.reverse()
    oldest_first.sort(key=lambda request: request.created_at)
    return oldest_first
