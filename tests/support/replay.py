"""Recorded streams, and what our own accumulators make of them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from placet.core.domain.model_calls import Answer, ArgumentsDelta, Dialect, ModelPiece, ReasoningDelta, TextDelta
from placet.core.providers.dialects import WIRE_DIALECTS
from placet.core.providers.sse import SseParser

RECORDINGS = Path(__file__).parents[1] / "wire" / "recordings"


def recordings(dialect: Dialect, *, faulty: bool = False) -> list[Path]:
    """The recordings of a dialect: sound ones, or those that end early or carry garbage."""
    prefix = "chat." if dialect is Dialect.OPENAI else "messages."
    return sorted(path for path in RECORDINGS.glob(f"{prefix}*.sse") if ("-fault-" in path.name) is faulty)


def replay(dialect: Dialect, reads: Iterable[bytes]) -> list[ModelPiece]:
    """The pieces that come of these reads. Raises: ProviderError."""
    parser, accumulator = SseParser(), WIRE_DIALECTS[dialect].accumulator()
    pieces: list[ModelPiece] = []
    for read in reads:
        for event in parser.feed(read):
            pieces.extend(accumulator.feed(event))
    for event in parser.finish():
        pieces.extend(accumulator.feed(event))
    return [*pieces, *accumulator.finish()]


def answer_of(pieces: Iterable[ModelPiece]) -> Answer:
    """The answer, which must be the last piece and agree with the deltas before it."""
    *deltas, answer = pieces
    assert isinstance(answer, Answer)
    assert "".join(piece.text for piece in deltas if isinstance(piece, TextDelta)) == answer.text
    assert "".join(piece.text for piece in deltas if isinstance(piece, ReasoningDelta)) == answer.reasoning
    for piece in deltas:
        assert not isinstance(piece, ArgumentsDelta) or piece.index < max(len(answer.calls), 1)
    return answer
