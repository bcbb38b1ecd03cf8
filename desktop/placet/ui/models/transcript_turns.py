"""Which turn a row belongs to, and what is known of that turn. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from placet.ui.models.transcript_rows import AnyRow, LedgerRow, UserRow


def row_of_message(rows: Sequence[AnyRow], message_id: int) -> int:
    """The row of what a person said, -1 where it is not loaded."""
    found = (at for at, row in enumerate(rows) if isinstance(row, UserRow) and row.message_id == message_id)
    return next(found, -1)


def message_of(rows: Sequence[AnyRow], row: int) -> int:
    """The message of a person whose turn a row belongs to, 0 where it is not loaded."""
    said = (above for above in reversed(rows[: row + 1]) if isinstance(above, UserRow))
    return next((above.message_id for above in said if above.message_id), 0)


def has_changes_since(rows: Sequence[AnyRow], message_id: int) -> bool:
    """Whether a call since that message changed a file, or may have, inside a sub-agent."""
    later = rows[max(row_of_message(rows, message_id), 0) :]
    calls = (call for row in later if isinstance(row, LedgerRow) for call in row.calls)
    return any(call.change_id is not None or call.agent is not None for call in calls)
