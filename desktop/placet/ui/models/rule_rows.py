"""Rules as rows of a table: neighbours that say the same about several names or paths are folded into one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import msgspec

from placet.core.domain.review import Rule
from placet.ui.paths import from_home

Key = tuple[object, ...]


class RuleRow(msgspec.Struct, frozen=True):
    """One row: a rule, several folded into one (`is_open`: they follow, each as a member), or a member."""

    rules: tuple[Rule, ...]
    is_open: bool = False
    is_member: bool = False

    @property
    def is_folded(self) -> bool:
        """Whether it stands for several rules."""
        return len(self.rules) > 1

    @property
    def number(self) -> str:
        first, last = self.rules[0].id, self.rules[-1].id
        if len(self.rules) == 1:
            return str(first)
        return f"{first}–{last}" if last - first == len(self.rules) - 1 else f"{first} …"

    @property
    def tools(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(rule.tool for rule in self.rules))

    @property
    def targets(self) -> tuple[str, ...]:
        """Paths, or the leading words of commands."""
        found = (from_home(rule.path) if rule.path else " ".join(rule.command) for rule in self.rules)
        return tuple(dict.fromkeys(target for target in found if target))

    @property
    def note(self) -> str:
        """The rule's own note, and for whom alone it is."""
        rule = self.rules[0]
        only = [rule.agent and f"agent {rule.agent}", rule.source and f"source {rule.source}"]
        return ", ".join(part for part in (rule.note, *only) if part)


def rows_of(rules: Sequence[Rule], opened: Iterable[Key] = (), apart: Iterable[int] = ()) -> list[RuleRow]:
    """Fold rules in their order. `opened` are keys of folded rows that are open, `apart` ids that are never folded."""
    return list(_rows(rules, frozenset(opened), frozenset(apart)))


def key_of(rule: Rule) -> Key:
    """What neighbours share to be folded. Rules without a note are not: nothing would name the row."""
    if not rule.note:
        return ("", rule.id)
    return (
        rule.note, rule.priority, rule.action, rule.group, rule.agent, rule.source, rule.command,
        rule.tool if rule.path else "", bool(rule.path),
    )  # fmt: skip


def _rows(rules: Sequence[Rule], opened: frozenset[Key], apart: frozenset[int]) -> Iterator[RuleRow]:
    for key, group in groupby(rules, lambda rule: ("apart", rule.id) if rule.id in apart else key_of(rule)):
        together = tuple(group)
        if len(together) == 1:
            yield RuleRow(together)
            continue
        yield RuleRow(together, is_open=key in opened)
        if key in opened:
            yield from (RuleRow((rule,), is_member=True) for rule in together)
