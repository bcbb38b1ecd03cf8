"""The drafts of all that waits: fetches diffs and texts, and makes a person's own text the one in force.

Main thread only; work runs in the scope it is given.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from placet.core.domain.errors import PlacetError, UnknownItem, UsageError
from placet.core.domain.ids import CallId, RequestId
from placet.core.domain.review import EditedCommand, EditedText, PendingRequest, RequestKind, ReviewNotes
from placet.core.domain.stopping import TaskScope
from placet.core.hub.api import HubApi
from placet.ui.models.review_draft import Draft, OwnText, own_lines

_REST_MS = 500  # after the last key of a reason, or the last hunk that came into sight
_KEPT = 8  # drafts of what waits no more: a proposal made anew is away for a moment


class Drafts(QObject):
    """One draft a call, made when it is first asked for."""

    changed = Signal()
    request_gone = Signal()  # what was asked about does not wait any more

    def __init__(self, hub: HubApi, scope: TaskScope, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._hub, self._scope = hub, scope
        self._drafts: dict[CallId, Draft] = {}
        self._busy: set[RequestId] = set()
        self._errors: dict[RequestId, PlacetError] = {}
        self._saved: dict[RequestId, ReviewNotes] = {}
        self._unsaved: dict[RequestId, PendingRequest] = {}
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_REST_MS)
        self._soon.timeout.connect(self.save_rest)

    def of(self, request: PendingRequest) -> Draft:
        draft = self._drafts.get(request.call_id)
        if draft is None:
            draft = self._drafts[request.call_id] = Draft(request.notes)
            match request.draft:  # what was written before the call was planned anew, or before a restart
                case EditedText(text) | EditedCommand(text) if draft.text is None:
                    draft.text = text
        return draft

    def error(self, request: PendingRequest) -> PlacetError | None:
        return self._errors.get(request.id)

    def is_busy(self, request: PendingRequest) -> bool:
        """Something about it is being fetched."""
        return request.id in self._busy

    def keep(self, requests: Sequence[PendingRequest]) -> None:
        """Forget what has not waited for long."""
        waiting = {request.call_id for request in requests}
        done = [call for call in self._drafts if call not in waiting]
        for call in done[:-_KEPT]:
            del self._drafts[call]
        ids = {request.id for request in requests}
        self._errors = {key: error for key, error in self._errors.items() if key in ids}
        self._saved = {key: notes for key, notes in self._saved.items() if key in ids}
        self._unsaved = {key: request for key, request in self._unsaved.items() if key in ids}

    # ---- hunks and words -----------------------------------------------------------------------------------------

    def decide(self, request: PendingRequest, hunk: int, accepted: bool) -> None:
        """Take a hunk of what is shown, or leave it out."""
        self.of(request).marks.decide(hunk, accepted=accepted)
        self.save(request)
        self.changed.emit()

    def walk_on(self, request: PendingRequest, left: int, hunk: int) -> None:
        """One walked on to `hunk`: what was left has been looked at."""
        marks = self.of(request).marks
        marks.look_at(left)
        marks.current = hunk
        self.save(request)
        self.changed.emit()

    def look_away(self, request: PendingRequest) -> None:
        self.of(request).marks.look_away()
        self.save(request)

    def note_sight(self, request: PendingRequest, hunk: int) -> None:
        """The end of this hunk is in sight."""
        self.of(request).marks.in_sight.add(hunk)
        self._save_soon(request)

    def write_reason(self, request: PendingRequest, reason: str) -> None:
        """What is being written for a rejection."""
        self.of(request).reason = reason
        self._save_soon(request)

    # ---- for the next run of the program -------------------------------------------------------------------------

    def save(self, request: PendingRequest) -> None:
        """Hand what was done so far to the hub, if it is not there already."""
        self._unsaved.pop(request.id, None)
        notes = self.of(request).notes()
        if notes != self._saved.get(request.id, request.notes or ReviewNotes()):
            self._saved[request.id] = notes
            self._hub.keep_notes(request.id, notes)

    def _save_soon(self, request: PendingRequest) -> None:
        """Save it when one rests for a moment."""
        self._unsaved[request.id] = request
        self._soon.start()

    def save_rest(self) -> None:
        """Save at once what is to be saved soon."""
        self._soon.stop()
        for request in list(self._unsaved.values()):
            self.save(request)

    # ---- the proposal --------------------------------------------------------------------------------------------

    def load(self, request: PendingRequest) -> None:
        """Fetch the diff of a write, unless it is there or on its way."""
        is_there = self.of(request).request_id == request.id
        if request.kind is RequestKind.WRITE and not is_there:
            self._start(request, self._fetch_diff)

    async def _fetch_diff(self, request: PendingRequest) -> None:
        self.of(request).take(request.id, await self._hub.request_diff(request.id))
        self.save(request)

    # ---- a person's own text -------------------------------------------------------------------------------------

    def begin_edit(self, request: PendingRequest) -> None:
        """Open the editor: on what was typed before, else on the new side without the skipped hunks."""
        draft = self.of(request)
        if request.kind is RequestKind.COMMAND:
            draft.proposed = request.detail
            draft.open_editor(request.detail)
            self.changed.emit()
        elif draft.request_id == request.id:
            self._start(request, self._fetch_text)

    async def _fetch_text(self, request: PendingRequest) -> None:
        draft, found = self.of(request), await self._hub.request_text(request.id)
        if found.trouble:
            raise UsageError(found.trouble)
        draft.proposed = chosen = found.text
        if draft.must_begin_anew:
            chosen = (await self._hub.request_text(request.id, draft.amendment)).text
        draft.open_editor(chosen)

    def keep_text(self, request: PendingRequest, text: str) -> None:
        """Remember what stands in the editor of a call, as one rests or goes to another."""
        draft = self._drafts.get(request.call_id)
        if draft is not None and draft.is_editing:
            draft.text = text
            self.save(request)

    def leave_edit(self, request: PendingRequest, text: str) -> None:
        """Close the editor; what stood in it is there when it is opened again."""
        self.of(request).leave_editor(text)
        self.save(request)
        self.changed.emit()

    def finish_edit(self, request: PendingRequest, text: str) -> None:
        """Show what this text would do; it is in force when that is on the screen."""
        draft = self.of(request)
        if not draft.is_editing:
            return
        draft.text = text
        self.save(request)
        if text == draft.proposed:
            self.drop_own(request)
        elif request.kind is RequestKind.COMMAND:
            self._start(request, self._amend_command)
        else:
            self._start(request, self._amend_write)

    async def _amend_write(self, request: PendingRequest) -> None:
        text = self.of(request).text or ""
        diff = await self._hub.request_diff(request.id, EditedText(text))
        draft = self.of(request)
        if draft.diff is not None:
            yours = await asyncio.to_thread(own_lines, draft.diff, diff)
            _put_in_force(draft, OwnText(text=text, diff=diff, yours=yours))

    async def _amend_command(self, request: PendingRequest) -> None:
        text = self.of(request).text or ""
        facts = await self._hub.request_facts(request.id, text)
        _put_in_force(self.of(request), OwnText(text=text, facts=tuple(facts)))

    def drop_own(self, request: PendingRequest) -> None:
        """Back to the proposal; what was written is gone."""
        self.of(request).drop_own()
        self.save(request)
        self.changed.emit()

    # ---- fetching ------------------------------------------------------------------------------------------------

    def _start(self, request: PendingRequest, work: Callable[[PendingRequest], Awaitable[None]]) -> None:
        if request.id in self._busy:
            return
        self._busy.add(request.id)
        self._errors.pop(request.id, None)
        self._scope.start(self._carry_out(request, work), "review: draft")
        self.changed.emit()

    async def _carry_out(self, request: PendingRequest, work: Callable[[PendingRequest], Awaitable[None]]) -> None:
        try:
            await work(request)
        except UnknownItem:
            self.request_gone.emit()  # decided elsewhere meanwhile
        except PlacetError as error:
            self._errors[request.id] = error
        finally:
            self._busy.discard(request.id)
        self.changed.emit()


def _put_in_force(draft: Draft, own: OwnText) -> None:
    if draft.text == own.text:  # nothing else was typed meanwhile
        draft.show_own(own)
