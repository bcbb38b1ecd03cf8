"""Writes that wait together, reviewed as one list: which were looked at, what became of each, answers to many at once.

Each is decided on its own (`R-15`). Nothing that was not looked at is approved but by an offer that says how many those are.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Sequence
from enum import StrEnum
from typing import Any

import msgspec
from PySide6.QtCore import QObject, Signal

from placet.core.domain.errors import PlacetError, StalePreview, UnknownItem
from placet.core.domain.events import ApprovalResolved, Envelope
from placet.core.domain.ids import RequestId
from placet.core.domain.review import PendingRequest
from placet.core.domain.stopping import TaskScope
from placet.core.hub.api import HubApi
from placet.ui.models.inbox_items import batch_of, group_of, ids_of
from placet.ui.models.review import ReviewModel


class BatchState(StrEnum):
    """What is known of one write of a batch. The first five still wait."""

    UNSEEN = "unseen"
    PART = "part"  # its beginning was looked at, and it goes on
    SEEN = "seen"
    CHANGED = "changed"  # made anew since it was looked at
    FAILED = "failed"  # an answer could not be given
    SENDING = "sending"
    APPROVED = "approved"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"  # nobody is asked any more


_DECIDED = frozenset({BatchState.APPROVED, BatchState.REJECTED, BatchState.WITHDRAWN})
_OUTCOMES = {"approved": BatchState.APPROVED, "rejected": BatchState.REJECTED}


class BatchRow(msgspec.Struct, frozen=True, kw_only=True):
    """One write. `step` of `steps` where the list has several writes of its file; `trouble` is why an answer failed."""

    request: PendingRequest
    state: BatchState
    step: int = 1
    steps: int = 1
    trouble: str = ""

    @property
    def waits(self) -> bool:
        return self.state not in _DECIDED and self.state is not BatchState.SENDING


class Offer(msgspec.Struct, frozen=True):
    """All that wait now, to be approved together: `unseen` of them were not looked at to their end."""

    ids: tuple[RequestId, ...]
    unseen: tuple[RequestId, ...]


class BatchModel(QObject):
    """The writes beside the one that a `ReviewModel` stands on, if there are several. Main thread only.

    Those decided meanwhile stay in the list until none of it waits.
    """

    changed = Signal()

    def __init__(self, review: ReviewModel, hub: HubApi, scope: TaskScope, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._review, self._hub, self._scope = review, hub, scope
        self._group = ""
        self._listed: list[PendingRequest] = []
        self._decided: dict[RequestId, BatchState] = {}
        self._heard: dict[RequestId, BatchState] = {}  # what the bus told, before the list says so
        self._seen: set[RequestId] = set()
        self._part: set[RequestId] = set()
        self._sending: set[RequestId] = set()
        self._answered: set[RequestId] = set()  # sent, and the list has not been read since
        self._requests: Sequence[PendingRequest] = ()
        self._troubles: dict[RequestId, str] = {}
        self.rows: Sequence[BatchRow] = ()
        review.changed.connect(self._follow)
        self._follow()

    # ---- what is shown -------------------------------------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        """Whether there is a list to show: several writes, or what is left of several."""
        return len(self.rows) > 1

    @property
    def current(self) -> int:
        """The row that is looked at, -1 if none is."""
        current = self._review.current
        return next((n for n, row in enumerate(self.rows) if current and row.request.id == current.id), -1)

    def waiting(self) -> list[BatchRow]:
        return [row for row in self.rows if row.waits]

    def seen(self) -> tuple[RequestId, ...]:
        """Those that wait and were looked at to their end, as they are now."""
        return ids_of(row.request for row in self.waiting() if self._is_seen(row))

    def offer(self) -> Offer:
        waiting = self.waiting()
        return Offer(
            ids_of(row.request for row in waiting), ids_of(row.request for row in waiting if not self._is_seen(row))
        )

    def steps_of(self, path: str) -> tuple[RequestId, ...]:
        """The waiting writes of one file, in their order."""
        return ids_of(row.request for row in self.waiting() if row.request.path == path)

    def _is_seen(self, row: BatchRow) -> bool:
        return row.request.id in self._seen

    def open(self, row: int) -> None:
        """Look at a row; one that is decided is not there any more to be looked at."""
        if 0 <= row < len(self.rows):
            self._review.show(self.rows[row].request.id)

    # ---- looking -------------------------------------------------------------------------------------------------

    def mark(self, ids: Iterable[RequestId], *, to_the_end: bool) -> None:
        """Remember that these were in sight, to their end or only their beginning."""
        marks = self._seen if to_the_end else self._part
        new = [each for each in ids if each not in marks]
        if new:
            marks.update(new)
            self._tell()

    # ---- following -----------------------------------------------------------------------------------------------

    def handle(self, envelope: Envelope) -> None:
        """Follow an event of the bus: how a request ended."""
        event = envelope.event
        if isinstance(event, ApprovalResolved) and any(each.id == event.request_id for each in self._listed):
            outcome = _OUTCOMES.get(event.decision, BatchState.WITHDRAWN)
            self._heard[event.request_id] = outcome
            if event.request_id in self._decided:  # the list was faster
                self._decided[event.request_id] = outcome
                self._tell()

    def _follow(self) -> None:
        current = self._review.current
        now = batch_of(current, self._review.requests)
        group = group_of(now[0]) if now else ""
        if group != self._group:
            self._group, self._listed = group, []
            self._decided.clear()
            self._heard.clear()
        self._listed = self._merged(now)
        if self._review.requests is not self._requests:
            self._requests = self._review.requests
            self._forget_what_went()
        self._tell()

    def _forget_what_went(self) -> None:
        self._sending -= self._answered
        self._answered.clear()
        waiting = {each.id for each in self._requests}
        for marks in (self._seen, self._part, self._sending):
            marks.intersection_update(waiting)
        self._troubles = {key: words for key, words in self._troubles.items() if key in waiting}

    def _merged(self, now: Sequence[PendingRequest]) -> list[PendingRequest]:
        """Those that wait in the places they had, decided ones between them, new ones in the order of the list."""
        waiting = {each.id: each for each in now}
        calls = {each.call_id: each for each in now}
        kept: list[PendingRequest] = []
        for old in self._listed:
            new = waiting.get(old.id) or calls.get(old.call_id)
            if new is None and old.id not in self._decided:
                self._decided[old.id] = self._heard.get(old.id, BatchState.WITHDRAWN)
            kept.append(new or old)
        known = {each.id for each in kept}
        place = 0  # behind the one that is before it in the list
        for each in now:
            if each.id in known:
                place = kept.index(each) + 1
            else:
                kept.insert(place, each)
                place += 1
        return kept

    def _tell(self) -> None:
        files: dict[str, int] = {}
        for each in self._listed:
            files[each.path] = files.get(each.path, 0) + 1
        made, steps = [], dict.fromkeys(files, 0)
        for each in self._listed:
            steps[each.path] += 1
            trouble = self._troubles.get(each.id, "")
            made.append(
                BatchRow(
                    request=each,
                    state=self._state_of(each),
                    step=steps[each.path],
                    steps=files[each.path],
                    trouble=trouble,
                )
            )
        self.rows = made
        self.changed.emit()

    def _state_of(self, request: PendingRequest) -> BatchState:
        if request.id in self._decided:
            return self._decided[request.id]
        states = (
            (request.id in self._sending, BatchState.SENDING),
            (request.id in self._troubles, BatchState.FAILED),
            (request.id in self._seen, BatchState.SEEN),
            (request.stale, BatchState.CHANGED),
            (request.id in self._part, BatchState.PART),
        )
        return next((state for holds, state in states if holds), BatchState.UNSEEN)

    # ---- answering -----------------------------------------------------------------------------------------------

    def approve_seen(self) -> None:
        """Approve those that were looked at, and only those."""
        self._approve(self.seen())

    def approve_steps(self, path: str, ids: Sequence[RequestId]) -> None:
        """Approve the edits of one file that are looked at as one. Nothing happens if others of it wait now."""
        drafts = [draft for each in ids if (draft := self._review.draft_of(each)) is not None]
        if any(draft.is_editing or draft.amendment is not None for draft in drafts):
            self._refuse(ids, self.tr("You have changed one of these edits: decide them step by step."))
        elif tuple(ids) == self.steps_of(path):
            self._approve(ids)

    def approve_all(self, offer: Offer) -> bool:
        """Approve what was offered, unseen ones too. Nothing happens if anything else waits now: says so."""
        if offer != self.offer():
            return False
        self._approve(offer.ids)
        return True

    def reject(self, ids: Sequence[RequestId], note: str = "") -> None:
        """Reject those of them that still wait, each with the note."""
        waiting = ids_of(row.request for row in self.waiting() if row.request.id in ids)
        self._send(waiting, lambda request_id: self._hub.reject(request_id, note.strip()))

    def _approve(self, ids: Sequence[RequestId]) -> None:
        """Each as the person left it: with the hunks they chose, or their own text."""
        drafts = {each: draft for each in ids if (draft := self._review.draft_of(each)) is not None}
        unfinished = [each for each, draft in drafts.items() if draft.is_editing or draft.leaves_nothing]
        if unfinished:
            self._refuse(unfinished, self.tr("You are not done with this one: finish your edit, or reject it."))
        wishes = {each: (draft.amendment, draft.of) for each, draft in drafts.items()}
        ready = [each for each in ids if each not in unfinished]

        def approve(each: RequestId) -> Coroutine[Any, Any, None]:
            amendment, shown = wishes.get(each, (None, ""))
            return self._hub.approve(each, amendment=amendment, shown=shown)

        self._send(ready, approve)

    def _refuse(self, ids: Iterable[RequestId], why: str) -> None:
        self._troubles.update(dict.fromkeys(ids, why))
        self._tell()

    def _send(self, ids: Sequence[RequestId], verb: Callable[[RequestId], Coroutine[Any, Any, None]]) -> None:
        if ids:
            self._sending.update(ids)
            self._tell()
            self._scope.start(self._carry_out(tuple(ids), verb), "review: answers")

    async def _carry_out(
        self, ids: Sequence[RequestId], verb: Callable[[RequestId], Coroutine[Any, Any, None]]
    ) -> None:
        """One after the other, for a later edit of a file stands on the one before it. One that fails stops none."""
        for each in ids:
            try:
                await verb(each)
            except (UnknownItem, StalePreview):
                pass  # decided elsewhere, or asked anew: the list that follows shows which
            except PlacetError as error:
                self._troubles[each] = error.message
            self._answered.add(each)
        self._tell()
        self._review.refresh()
