"""What is known of the hunks of a diff beside their lines: decided, looked at, changed since, a person's own."""

from __future__ import annotations

from collections.abc import Set

import msgspec


class HunkStates(msgspec.Struct, frozen=True, kw_only=True):
    """Of one diff. `yours` are lines that a person changed, by their old and new numbers; the other sets are hunks."""

    can_choose: bool = False
    can_edit: bool = False
    skipped: Set[int] = frozenset()
    seen: Set[int] = frozenset()
    changed: Set[int] = frozenset()
    yours: Set[tuple[int | None, int | None]] = frozenset()

    def is_skipped(self, hunk: int) -> bool:
        return self.can_choose and hunk in self.skipped
