"""A conversation as it is told: entries from stored pages, and changed by events. Pure; the model above it has the
timer and the signals.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from placet.core.domain import events
from placet.core.domain.ids import SessionId
from placet.core.domain.messages import HistoryPage
from placet.core.domain.tools import PLAN_TOOL
from placet.ui.models import transcript_calls as calls
from placet.ui.models.transcript_answers import (
    Entry,
    EntryKind,
    as_resumable,
    preparing_call,
)
from placet.ui.models.transcript_entries import Entries
from placet.ui.models.transcript_errors import INTERRUPTED, error_row, llm_failed_row, without_way_on
from placet.ui.models.transcript_open_answer import OpenAnswer
from placet.ui.models.transcript_rows import (
    AnyRow,
    CallRow,
    CallState,
    CommandRow,
    ErrorRow,
    LedgerRow,
    NoteRow,
    UserRow,
)
from placet.ui.models.transcript_stored import first_model, note, stored_entries


class Conversation(OpenAnswer):
    """One frame's. What it changes it touches in `entries`; whoever draws it takes that out."""

    def __init__(self, clock: Callable[[], float] = time.time, *, is_nested: bool = False) -> None:
        super().__init__(clock, is_nested=is_nested)
        self.session_id: SessionId | None = None
        self.running = False
        self._failure: Entry | None = None
        self._way_on: Entry | None = None  # the error that offers to go on
        self._first_model = ""
        self._passing: Entry | None = None  # the note on what is being done

    # ---- stored rows -------------------------------------------------------------------------------------------

    def load(self, page: HistoryPage) -> None:
        """Begin anew with a page. While a turn runs, a cut answer at its end is the one that is arriving."""
        running = self.running
        self.clear()
        self.session_id = page.session.id
        self._first_model = first_model(page.messages)
        self.entries.extend(stored_entries(page.messages))
        self.entries.find_plan()
        self.entries.find_changes()
        _mark_idle(self.entries, not self.running)
        last = self.entries.last_message()
        if last is None:
            return
        if running and last.parts is not None and last.parts.is_cut:
            last.parts.is_cut, last.parts.is_live = False, True
            last.rows = last.parts.rows()
            self._open = last
        elif not running and page.session.interrupted and not self._is_nested:
            self._set_resumable(last, True)

    def clear(self) -> None:
        self.entries, self.session_id = Entries(), None
        self._open = self._failure = self._way_on = self._passing = None

    def prepend(self, page: HistoryPage) -> int:
        """Put an older page in front; returns how many entries it gave."""
        older = stored_entries(page.messages, self._first_model)
        self._first_model = first_model(page.messages) or self._first_model
        self.entries.prepend(older)
        self.entries.find_plan()
        self.entries.find_changes()
        return len(older)

    # ---- messages ----------------------------------------------------------------------------------------------

    def add_user(self, event: events.UserMessage) -> None:
        if event.message_id in self.entries.by_id:
            return
        self._close()
        row = UserRow(
            source=event.typed or event.content,
            is_typed=bool(event.typed),
            message_id=event.message_id,
            attachments=event.attachments,
            at=self._clock(),
        )
        self.entries.append(Entry(EntryKind.USER, (row,), event.message_id))

    def add_text(self, event: events.TextDelta) -> None:
        entry, parts = self._answer()
        self._end_reasoning(parts)
        parts.add_text(event.text)
        self.entries.touch(entry)

    def add_reasoning(self, event: events.ReasoningDelta) -> None:
        entry, parts = self._answer()
        parts.reasoning.append(event.text)
        self.entries.touch(entry)

    def add_arguments(self, event: events.ToolArgsDelta) -> None:
        """A call appears as soon as the model begins to write it."""
        entry, parts = self._answer()
        self._end_reasoning(parts)
        index = event.index
        size = parts.sizes[index] = parts.sizes.get(index, 0) + len(event.text)
        name = event.name or (parts.preparing[index].name if index in parts.preparing else "")
        parts.preparing[index] = preparing_call(index, name, size)
        self.entries.touch(entry)

    def store_answer(self, message_id: int, content: str, *, is_final: bool) -> None:
        """An answer is complete: `thinking` before its calls, `done` at the end of the turn."""
        known = self.entries.by_id.get(message_id)
        if known is not None and known.parts is None:
            return  # loaded meanwhile
        if known is not None and known is not self._open:
            self._drop_open()
            self._open = known
        entry, parts = self._answer() if known is None else (known, known.parts)
        assert parts is not None
        parts.set_text(content)
        parts.is_live = parts.is_cut = False
        entry.message_id = message_id
        self.entries.touch(entry)
        if is_final:
            parts.preparing.clear()
            self._close()

    def restart_round(self) -> None:
        """What streamed since the round began is void, also where it was loaded from the store meanwhile."""
        entry = self._open
        if entry is not None and entry.parts is not None and entry.parts.is_live:
            entry.rows, entry.parts = (), None
            self.entries.touch(entry)
            self._open = None

    def add_note(self, text: str) -> None:
        self.entries.append(note(text))

    def begin_note(self, text: str) -> None:
        """A note on what is being done, until `end_note` says what came of it."""
        self._passing = note(text)
        self.entries.append(self._passing)

    def end_note(self, text: str) -> None:
        passing, self._passing = self._passing, None
        if passing is None:  # it began before this window looked
            self.add_note(text)
        else:
            passing.rows = note(text).rows
            self.entries.touch(passing)

    def add_remark(self, row: NoteRow | CommandRow) -> None:
        self.entries.append(Entry(EntryKind.REMARK, (row,)))

    def set_running(self, running: bool) -> None:
        self.running = running
        _mark_idle(self.entries, not self.running)
        last = self.entries.last_message()
        if running:
            self._failure = None
            self._take_way_on()
            if last is not None:
                self._set_resumable(last, False)
        elif self._open is not None:
            self._cut()

    def fail(self, event: events.Error | events.LlmFailed) -> None:
        """The turn ended badly. `llm_failed` comes first and is replaced by the `error` after it."""
        self._cut(is_resumable=False)  # one way on: the error's own
        retried = 0 if self._is_nested else self.entries.last_user()
        if isinstance(event, events.LlmFailed):
            row = llm_failed_row(event, retried)
            self._failure = Entry(EntryKind.REMARK, (replace(row, remedies=()) if self._is_nested else row,))
            self.entries.append(self._failure)
            return
        if event.code == INTERRUPTED:
            self._interrupted()
            return
        row = error_row(event, retried)
        if self._is_nested:
            row = replace(row, remedies=())  # they are about the turn
        entry = self._failure or Entry(EntryKind.REMARK)
        entry.rows = (row,)
        if self._failure is None:
            self.entries.append(entry)
        self.entries.touch(entry)
        self._failure, self._way_on = None, entry

    def _take_way_on(self) -> None:
        """A turn runs again: an earlier error says what happened, and offers nothing about that turn any more."""
        entry, self._way_on = self._way_on, None
        if entry is not None:
            entry.rows = tuple(without_way_on(row) if isinstance(row, ErrorRow) else row for row in entry.rows)
            self.entries.touch(entry)

    def _interrupted(self) -> None:
        """A person stopped it: what had no answer is marked, what had one can go on."""
        last = self.entries.last_message()
        if last is None or self._is_nested:
            return
        if last.kind is EntryKind.USER:
            last.rows = tuple(replace(row, failed=True) if isinstance(row, UserRow) else row for row in last.rows)
            self.entries.touch(last)
        else:
            self._set_resumable(last, True)

    # ---- calls -------------------------------------------------------------------------------------------------

    def start_call(self, event: events.ToolStart) -> None:
        entry = self.entries.by_call.get(event.tool_call_id) or self.entries.by_id.get(event.message_id)
        if entry is None or entry.parts is None:
            entry, _ = self._answer(message_id=event.message_id)
        assert entry.parts is not None
        entry.message_id = event.message_id
        self.entries.by_id[event.message_id] = self.entries.by_call[event.tool_call_id] = entry
        entry.parts.is_live = False
        entry.parts.set_call(calls.begun_call(event, self._clock()))
        self.entries.touch(entry)
        if event.name == PLAN_TOOL:
            self.entries.find_plan()

    def change_call(self, call_id: int, name: str, change: Callable[[CallRow], CallRow]) -> None:
        """Replace a call by what `change` makes of it. A call that was never announced begins here."""
        entry = self.entries.by_call.get(call_id)
        if entry is None:
            if not name:
                return
            entry, parts = self._answer()
            parts.set_call(change(CallRow(call_id=call_id, name=name, target="", state=CallState.RUNNING)))
            self.entries.by_call[call_id] = entry
        elif entry.parts is not None:
            for call in entry.parts.calls:
                if call.call_id == call_id:
                    entry.parts.set_call(change(call))
                    break
            if name == PLAN_TOOL:
                self.entries.find_plan()
        else:
            entry.rows = tuple(_changed_ledger(row, call_id, change) for row in entry.rows)
        self.entries.touch(entry)

    def mark_calls(self, marks: Mapping[int, calls.CallMark]) -> None:
        """Add to known calls what is known of them from elsewhere."""
        for call_id, mark in marks.items():
            if call_id in self.entries.by_call:
                self.change_call(call_id, "", mark.on)

    def end_agent(self, text: str | None) -> None:
        """This frame's agent is done; `text` is what it ended with, None where it did not come to an end."""
        if text is None:
            self._cut()
            return
        last = self.entries.last_message()  # also one that was cut, when the turn ended before this was told
        if last is None or last.parts is None or last.parts.calls or last.message_id is not None:
            last = None
        if last is not None and last.parts is not None and _has_stored(self.entries, last, text):
            self.entries.remove(last)  # read from the store while it was on its way here
            self._open = None
        elif last is not None and last.parts is not None and "".join(last.parts.text).strip():
            if "".join(last.parts.text) in text:
                last.parts.set_text(text)
            last.parts.is_cut = False
            self.entries.touch(last)
        self._close()

    def _set_resumable(self, entry: Entry, resumable: bool) -> None:
        if entry.parts is not None:
            entry.parts.is_resumable = resumable
            entry.refresh()
        else:
            entry.rows = as_resumable(entry.rows, resumable)
        self.entries.touch(entry)


def _mark_idle(entries: Entries, is_idle: bool) -> None:
    """Say of calls without an end whether anybody works on them."""
    for entry in entries.newest_first():
        if entry.parts is not None:
            changed = [calls.as_idle(call, is_idle) for call in entry.parts.calls]
            if changed != entry.parts.calls:
                entry.parts.calls = changed
                entry.refresh()
                entries.touch(entry)


def _has_stored(entries: Entries, last: Entry | None, text: str) -> bool:
    """Whether the answer before `last` is that text already."""
    answers = (one for one in entries.newest_first() if one is not last and one.kind is EntryKind.ANSWER)
    before = next(answers, None)
    return before is not None and not before.call_count() and before.words() == " ".join(text.split())


def _changed_ledger(row: AnyRow, call_id: int, change: Callable[[CallRow], CallRow]) -> AnyRow:
    if not isinstance(row, LedgerRow):
        return row
    changed = tuple(change(call) if call.call_id == call_id else call for call in row.calls)
    return replace(row, calls=changed)
