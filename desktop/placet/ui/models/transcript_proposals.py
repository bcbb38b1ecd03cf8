"""What a call proposed to write, as far as a transcript shows it: the first hunks of it, whatever its size. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from placet.core.domain.diff import DiffLine, FileDiff, Hunk, Sign
from placet.core.domain.proposals import Basis, ProposedText, ProposedWrite

SHOWN_LINES = 80
LONGEST_LINE = 20_000
"""Of a longer line that is all new only the beginning is shown; it is copied whole."""

_SAID = {Sign.ADDED: "added", Sign.REMOVED: "removed", Sign.SAME: "unchanged"}


@dataclass(frozen=True, slots=True)
class ProposalPart:
    """One difference. `left_out` counts the lines of hunks that are not in it."""

    diff: FileDiff
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class ShownProposal:
    """`written` is there where a person changed the proposal. `note` says what cannot be told, or why nothing can."""

    proposed: ProposalPart | None = None
    written: ProposalPart | None = None
    basis: Basis = Basis.EXACT
    note: str = ""

    def parts(self) -> Iterator[ProposalPart]:
        yield from (part for part in (self.proposed, self.written) if part is not None)

    def text(self) -> str:
        """The lines that are shown, each with its sign."""
        hunks = [hunk for part in self.parts() for hunk in part.diff.hunks]
        return "\n".join(f"{line.sign}{line.text}" for hunk in hunks for line in hunk.lines)

    def spoken(self) -> str:
        """The changed lines in words, for a screen reader."""
        lines = [line for part in self.parts() for hunk in part.diff.hunks for line in hunk.lines]
        told = [f"{_SAID[line.sign]} {line.text}" for line in lines if line.sign is not Sign.SAME]
        return "\n".join(part for part in (self.note, *told) if part)


def shown_proposal(write: ProposedWrite, limit: int = SHOWN_LINES) -> ShownProposal:
    return ShownProposal(_part(write.proposed, limit), _part(write.written, limit), write.basis, write.note)


def _part(text: ProposedText | None, limit: int) -> ProposalPart | None:
    if text is None:
        return None
    hunks: list[Hunk] = []
    room = limit
    for hunk in text.diff.hunks:
        if room <= 0:
            break
        lines = tuple(map(_cut, hunk.lines[:room]))
        hunks.append(msgspec.structs.replace(hunk, lines=lines))
        room -= len(lines)
    left_out = sum(len(hunk.lines) for hunk in text.diff.hunks) - sum(len(hunk.lines) for hunk in hunks)
    after = 0 if left_out else text.diff.unchanged_after
    diff = msgspec.structs.replace(text.diff, hunks=tuple(hunks), unchanged_after=after, old_lines=())
    return ProposalPart(diff, left_out)


def _cut(line: DiffLine) -> DiffLine:
    if len(line.text) <= LONGEST_LINE or line.sign is Sign.SAME or line.marks:
        return line
    return msgspec.structs.replace(line, text=line.text[:LONGEST_LINE] + " …")
