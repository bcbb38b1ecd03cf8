"""Which lines changed: patience on the whole, a closer look inside small gaps, never quadratic on large ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

CONTEXT = 3  # unchanged lines around a change

_SMALL_GAP = 40_000  # product of both sides' line counts up to which a gap is compared closely
_CLOSE_LOOKS = 2_000_000  # all gaps together


class Block(NamedTuple):
    """Lines old[a1:a2] became new[b1:b2]; one of both ranges may be empty."""

    a1: int
    a2: int
    b1: int
    b2: int


def changed_blocks(old: list[str], new: list[str]) -> list[Block]:
    """Return the differing ranges in order; equal lines lie between them."""
    from patiencediff import PatienceSequenceMatcher

    blocks: list[Block] = []
    budget = _CLOSE_LOOKS
    a = b = 0
    for i, j, size in PatienceSequenceMatcher(None, old, new).get_matching_blocks():
        if a < i or b < j:
            gap = Block(a, i, b, j)
            cost = (i - a) * (j - b)
            if 0 < cost <= min(_SMALL_GAP, budget):
                budget -= cost
                blocks += _look_closely(old, new, gap)
            else:
                blocks.append(gap)
        a, b = i + size, j + size
    return blocks


def _look_closely(old: list[str], new: list[str], gap: Block) -> list[Block]:
    """Find equal lines that are not unique, which patience leaves out; blank ones alone do not split a gap."""
    if gap.a2 - gap.a1 == 1 and gap.b2 - gap.b1 == 1:
        return [gap]
    from cydifflib import SequenceMatcher

    a_lines, b_lines = old[gap.a1 : gap.a2], new[gap.b1 : gap.b2]
    found: list[Block] = []
    a, b = gap.a1, gap.b1
    for i, j, size in SequenceMatcher(None, a_lines, b_lines, autojunk=False).get_matching_blocks():
        at_a, at_b = gap.a1 + i, gap.b1 + j
        is_end = size == 0
        if not is_end and not any(line.strip() for line in a_lines[i : i + size]) and a < at_a and b < at_b:
            continue
        if a < at_a or b < at_b:
            found.append(Block(a, at_a, b, at_b))
        a, b = at_a + size, at_b + size
    return found


def in_hunks(blocks: Sequence[Block]) -> Iterator[list[Block]]:
    """Blocks whose context would touch belong to one hunk."""
    group: list[Block] = []
    for block in blocks:
        if group and block.a1 - group[-1].a2 > 2 * CONTEXT:
            yield group
            group = []
        group.append(block)
    if group:
        yield group
