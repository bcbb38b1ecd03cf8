"""Which names a few letters mean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placet.ui.models.fuzzy import match


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("new", "New chat"),
        ("nc", "New chat"),
        ("sh rev", "Show or hide the review"),
        ("rev sh", "Show or hide the review"),
        ("shr", "Show or hide the review"),
        ("eview", "Show or hide the review"),
        ("ÄRGER", "Über ärger"),
    ],
)
def test_letters_name_a_thing(query: str, text: str) -> None:
    assert match(query, text) is not None


@pytest.mark.parametrize(("query", "text"), [("xyz", "New chat"), ("ea", "New chat"), ("new zebra", "New chat")])
def test_other_letters_do_not(query: str, text: str) -> None:
    assert match(query, text) is None


@pytest.mark.parametrize(
    ("query", "better", "worse"),
    [
        ("find", "Find in the chat", "Go and find"),
        ("set", "Go to settings", "Upset"),
        ("in", "Inbox", "Inbox of all chats and more"),
        ("gs", "Go to Settings", "Big song sung"),
    ],
)
def test_the_nearer_name_is_ahead(query: str, better: str, worse: str) -> None:
    first, second = match(query, better), match(query, worse)
    assert first is not None
    assert second is None or first.score > second.score


def test_the_letters_meant_are_known() -> None:
    found = match("sh rev", "Show the review")
    assert found is not None
    assert sorted(found.places) == [0, 1, 9, 10, 11]


@given(st.text(max_size=12), st.text(max_size=40))
def test_places_are_places_of_the_text(query: str, text: str) -> None:
    found = match(query, text)
    assert found is None or all(0 <= place < len(text) for place in found.places)


@given(st.text(min_size=1, max_size=20))
def test_a_name_names_itself(text: str) -> None:
    assert match(text, text) is not None or len(text.casefold()) != len(text)
