"""The answer that is arriving in one frame: begun with its first piece, closed when it is stored or cut."""

from __future__ import annotations

from collections.abc import Callable

from placet.ui.models.transcript_answers import AnswerParts, Entry, EntryKind
from placet.ui.models.transcript_entries import Entries


class OpenAnswer:
    """At most one answer is open. What changes is touched in `entries`."""

    def __init__(self, clock: Callable[[], float], *, is_nested: bool) -> None:
        self.entries = Entries()
        self._clock, self._is_nested = clock, is_nested
        self._open: Entry | None = None
        self._keys = 0

    def _answer(self, message_id: int | None = None) -> tuple[Entry, AnswerParts]:
        """The open answer; a new one where there is none, or where the open one has reached its calls."""
        entry = self._open
        if entry is not None and entry.parts is not None:
            is_other = entry.message_id is not None and entry.message_id != message_id
            if not is_other:
                return entry, entry.parts
        self._close()
        parts = self._new_parts()
        self._open = Entry(EntryKind.ANSWER, (), None, parts)
        self.entries.append(self._open)
        return self._open, parts

    def _new_parts(self) -> AnswerParts:
        self._keys -= 1
        return AnswerParts(key=self._keys, at=self._clock(), is_live=True)

    def _close(self) -> None:
        if self._open is not None:
            if self._open.parts is not None:
                self._open.parts.is_live = False
            self.entries.touch(self._open)
            if self._open.message_id is not None:
                self.entries.by_id[self._open.message_id] = self._open
        self._open = None

    def _cut(self, *, is_resumable: bool = True) -> None:
        """The open answer will not be completed, unless it was already. It offers to resume where nothing else does."""
        entry = self._open
        if entry is not None and entry.message_id is None and entry.parts is not None:
            entry.parts.preparing.clear()
            entry.parts.is_cut = bool(entry.parts.text or entry.parts.reasoning)
            entry.parts.is_resumable = is_resumable and not self._is_nested
        self._close()

    def _drop_open(self) -> None:
        if self._open is not None:
            self._open.parts = AnswerParts()
            self.entries.touch(self._open)
            self._open = None

    def _end_reasoning(self, parts: AnswerParts) -> None:
        if parts.reasoning and parts.reasoned_s is None:
            parts.reasoned_s = self._clock() - parts.at
