"""Which rows have changed between two versions of a list, as few of them as possible. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from placet.ui.models.transcript_rows import AnyRow


class Gap(msgspec.Struct, frozen=True):
    """Where both lists differ: the old rows from `old` on become the new ones from `new` on."""

    old: int
    removed: int
    new: int
    added: int


def gaps(old: Sequence[AnyRow], new: Sequence[AnyRow]) -> Iterator[Gap]:
    """The differences in order. Rows that are still the objects they were hold the lists together, also where
    several sub-agents of one card change at once; equal ones at the edges of a gap belong to no gap.
    """
    head, tail = _edges(old, new)
    places = {id(old[at]): at for at in range(head, len(old) - tail)}
    at_old = at_new = head
    for index in range(head, len(new) - tail):
        place = places.get(id(new[index]), -1)
        if place >= at_old:
            if place > at_old or index > at_new:
                yield from _gap(old, new, (at_old, place), (at_new, index))
            at_old, at_new = place + 1, index + 1
    yield from _gap(old, new, (at_old, len(old) - tail), (at_new, len(new) - tail))


def _gap(
    old: Sequence[AnyRow], new: Sequence[AnyRow], of_old: tuple[int, int], of_new: tuple[int, int]
) -> Iterator[Gap]:
    head, tail = _edges(old[slice(*of_old)], new[slice(*of_new)])
    removed, added = of_old[1] - of_old[0] - head - tail, of_new[1] - of_new[0] - head - tail
    if removed or added:
        yield Gap(of_old[0] + head, removed, of_new[0] + head, added)


def _edges(old: Sequence[AnyRow], new: Sequence[AnyRow]) -> tuple[int, int]:
    """How many rows at the beginning and at the end are equal, none of them counted twice."""
    head = _alike(old, new)
    shared = min(len(old), len(new)) - head
    return head, _alike(old[len(old) - shared :][::-1], new[len(new) - shared :][::-1])


def _alike(old: Sequence[AnyRow], new: Sequence[AnyRow]) -> int:
    """How many rows at the beginning are equal; most are the same objects, and a stream asks 20 times a second."""
    count = 0
    for one, other in zip(old, new, strict=False):
        if one is not other and one != other:
            break
        count += 1
    return count
