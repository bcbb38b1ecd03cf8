"""Deltas of one read of the socket, joined: nobody can see them apart, and each would pass through the whole program."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from placet.core.domain.errors import ProviderError
from placet.core.domain.model_calls import ArgumentsDelta, ModelPiece, ReasoningDelta, TextDelta


def joined(pieces: Iterable[ModelPiece]) -> Iterator[ModelPiece]:
    """Give `pieces` with neighbours of one kind as one. What came before a ProviderError is given before it is raised."""
    group: list[TextDelta | ReasoningDelta | ArgumentsDelta] = []
    try:
        for piece in pieces:
            if group and not _goes_with(group[0], piece):
                yield _as_one(group)
                group = []
            if isinstance(piece, TextDelta | ReasoningDelta | ArgumentsDelta):
                group.append(piece)
            else:
                yield piece
    except ProviderError:
        if group:
            yield _as_one(group)
        raise
    if group:
        yield _as_one(group)


def _goes_with(first: TextDelta | ReasoningDelta | ArgumentsDelta, piece: ModelPiece) -> bool:
    if isinstance(first, ArgumentsDelta):
        return isinstance(piece, ArgumentsDelta) and (piece.index, piece.name) == (first.index, first.name)
    return type(piece) is type(first)


def _as_one(group: list[TextDelta | ReasoningDelta | ArgumentsDelta]) -> ModelPiece:
    if len(group) == 1:
        return group[0]
    return msgspec.structs.replace(group[0], text="".join(piece.text for piece in group))
