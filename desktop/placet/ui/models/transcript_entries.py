"""The entries of a conversation in order, found by message and by call. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from placet.ui.models.transcript_answers import Entry, EntryKind
from placet.ui.models.transcript_rows import LedgerRow, PlanRow, QuestionRow, UserRow


class Entries:
    """Whoever changes an entry touches it; `take_touched` says which have changed.

    `plan` is the call that wrote the latest checklist, 0 for none.
    """

    def __init__(self) -> None:
        self._order: list[Entry] = []
        self._touched: dict[int, Entry] = {}  # by identity
        self.by_id: dict[int, Entry] = {}
        self.by_call: dict[int, Entry] = {}
        self.plan = 0

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._order)

    def extend(self, entries: Sequence[Entry]) -> None:
        self._order += entries
        self._index(entries)

    def prepend(self, entries: Sequence[Entry]) -> None:
        self._order[:0] = entries
        self._index(entries)

    def append(self, entry: Entry) -> None:
        self.extend([entry])
        self.touch(entry)

    def remove(self, entry: Entry) -> None:
        """Take out an entry that was not shown yet, or hangs below one that is made anew."""
        self._order = [one for one in self._order if one is not entry]
        self._touched.pop(id(entry), None)

    def touch(self, entry: Entry) -> None:
        self._touched[id(entry)] = entry

    def take_touched(self) -> list[Entry]:
        """The entries that have changed since the last time."""
        touched, self._touched = list(self._touched.values()), {}
        return touched

    def first(self, count: int) -> list[Entry]:
        return self._order[:count]

    def messages(self) -> list[Entry]:
        """The entries that count as messages: bubbles and answers of which something is shown."""
        return [entry for entry in self._order if entry.kind is not EntryKind.REMARK and entry.rows]

    def last_message(self) -> Entry | None:
        """The last bubble or answer, also one of which nothing is shown yet."""
        candidates = (entry for entry in reversed(self._order) if entry.kind is not EntryKind.REMARK)
        return next((entry for entry in candidates if entry.rows or entry.parts), None)

    def newest_first(self) -> Iterator[Entry]:
        return reversed(self._order)

    def last_user(self) -> int:
        """The id of the last message of a person, 0 where there is none."""
        found = (entry.message_id for entry in reversed(self._order) if entry.kind is EntryKind.USER)
        return next(found, None) or 0

    def find_plan(self) -> None:
        """Look for the latest checklist. It alone is shown at length, so the one before it changes too."""
        found = next((plan for entry in self.newest_first() if (plan := entry.plan())), 0)
        for call_id in {self.plan, found} if found != self.plan else ():
            if (entry := self.by_call.get(call_id)) is not None:
                self.touch(entry)
        self.plan = found

    def find_changes(self) -> None:
        """Mark the messages of a person whose turn changed files."""
        said: Entry | None = None
        for entry in self._order:
            if entry.kind is EntryKind.USER:
                said = entry
            elif said is not None and any(call.change_id is not None for call in entry.calls()):
                rows = tuple(replace(row, has_changes=True) if isinstance(row, UserRow) else row for row in said.rows)
                if rows != said.rows:
                    said.rows = rows
                    self.touch(said)

    def _index(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            if entry.message_id is not None:
                self.by_id[entry.message_id] = entry
            for row in entry.rows:
                if isinstance(row, LedgerRow):
                    self.by_call.update((call.call_id, entry) for call in row.calls)
                elif isinstance(row, (PlanRow, QuestionRow)):
                    self.by_call[row.call_id] = entry
