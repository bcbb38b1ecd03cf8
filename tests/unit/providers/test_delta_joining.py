"""Joined deltas: the same text in the same order, whatever lies between."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from placet.core.domain.errors import ProviderError, ProviderFault
from placet.core.domain.model_calls import Answer, ArgumentsDelta, ModelPiece, ReasoningDelta, TextDelta
from placet.core.providers.delta_joining import joined

ANSWER = Answer(text="abc", reasoning="hmx")


def test_neighbours_of_one_kind_are_one_and_the_order_stays() -> None:
    pieces = [
        ReasoningDelta("h"), ReasoningDelta("m"), TextDelta("a"), TextDelta("b"), ReasoningDelta("x"), TextDelta("c"),
        ArgumentsDelta(0, "f", "{"), ArgumentsDelta(0, "f", "}"), ArgumentsDelta(1, "f", "{}"), ANSWER,
    ]  # fmt: skip
    assert list(joined(pieces)) == [
        ReasoningDelta("hm"), TextDelta("ab"), ReasoningDelta("x"), TextDelta("c"),
        ArgumentsDelta(0, "f", "{}"), ArgumentsDelta(1, "f", "{}"), ANSWER,
    ]  # fmt: skip


def test_s2_what_came_before_an_error_is_given_first() -> None:
    def broken() -> Iterator[ModelPiece]:
        yield TextDelta("a")
        yield TextDelta("b")
        raise ProviderError(ProviderFault.OVERLOADED, "busy")

    pieces = joined(broken())
    assert next(pieces) == TextDelta("ab")
    with pytest.raises(ProviderError, match="busy"):
        next(pieces)
