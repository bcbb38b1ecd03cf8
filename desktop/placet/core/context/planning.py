"""What a compaction of a history would do: which results are left out, and what is summarised. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from placet.core.context.notices import shortened_result
from placet.core.domain.ids import MessageId
from placet.core.domain.messages import Message, MessageStatus, Role
from placet.core.domain.text import clean_text

ROUNDS_WHOLE = 2  # the newest rounds of a turn, whose results the model is working with
_OVERHEAD = 60  # bytes of a row's keys and brackets; a call has twice as many


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """Where a history is divided, as indices into its rows: covered, then short, then whole."""

    cut: int  # rows before it are summarised; 0: none
    whole: int  # rows from it on are sent as they are
    freed: int  # bytes that notices in the place of long results free, were nothing summarised


def shape(
    rows: Sequence[Message], shortened_to: MessageId, *, excess: int, room: int, most: int, keep_recent: int
) -> Shape:
    """Divide `rows` so that about `excess` bytes are freed, or what stays has at most `room`.

    Rows up to `shortened_to` are short already. Long results go first; only where that is not enough the oldest rows
    are summarised, so many that the others fit in `room`. At least the `keep_recent` newest rows stay, unless they
    alone have over `most` bytes. A call and its result are one row: no cut parts them.
    """
    whole = _first_whole(rows)
    full = [row_size(row, short=row.id <= shortened_to) for row in rows]
    short = [row_size(row, short=True) if at < whole else full[at] for at, row in enumerate(rows)]
    freed = sum(full) - sum(short)
    cut = 0 if freed >= excess else _cut(rows, short, room, most, keep_recent)
    return Shape(cut=cut, whole=whole, freed=freed)


def _first_whole(rows: Sequence[Message]) -> int:
    """The index from which on nothing is shortened: the newest rounds, with whose results the model still works."""
    rounds = [at for at, row in enumerate(rows) if row.role is Role.ASSISTANT and row.calls]
    return rounds[-ROUNDS_WHOLE:][0] if rounds else len(rows)


def _cut(rows: Sequence[Message], sizes: Sequence[int], room: int, most: int, keep_recent: int) -> int:
    """The index of the first row that stays: as many stay as fit. Rows whose calls have not ended always do."""
    size, fits = 0, len(rows)
    while fits > 0 and size + sizes[fits - 1] <= room:
        fits -= 1
        size += sizes[fits]
    least = max(len(rows) - keep_recent, 0)
    cut = fits if sum(sizes[least:]) > most else min(fits, least)
    open_at = next((at for at, row in enumerate(rows) if any(not call.status.is_final for call in row.calls)), cut)
    last = next((at for at in range(len(rows) - 1, -1, -1) if rows[at].status is not MessageStatus.FAILED), 0)
    return min(cut, open_at, last)


def row_size(row: Message, *, short: bool) -> int:
    """About how many bytes of a request a row is, with its results as notices where it is `short`."""
    if row.unreadable or row.status is MessageStatus.FAILED:
        return 0
    texts = [row.content, row.context_block, "" if short else row.parts]
    for call in row.calls:
        texts += [call.arguments, shortened_result(call) if short else call.result]
    return sum(len(msgspec.json.encode(clean_text(text))) for text in texts) + _OVERHEAD * (1 + 2 * len(row.calls))
