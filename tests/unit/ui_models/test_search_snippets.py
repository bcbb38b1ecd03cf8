"""A match is read as text: the signs of Markdown go, what was searched for stays where it is marked."""

from __future__ import annotations

import pytest

from placet.ui.models.search_snippets import readable


@pytest.mark.parametrize(
    ("snippet", "shown"),
    [
        ("**bold** and `code`, *stressed*", "bold and code, stressed"),
        ("see [the grammar](https://example.org) now", "see the grammar now"),
        ("## Head\n- one\n> two", "Head one two"),
        ("2 * 3 * 4 and __init__ and snake_case", "2 * 3 * 4 and __init__ and snake_case"),
        ("```python\nx = 1", " x = 1"),
    ],
)
def test_signs_go_and_words_stay(snippet: str, shown: str) -> None:
    text, _ = readable(snippet, ())
    assert text == shown


def test_marks_move_with_the_text() -> None:
    snippet = "## A **needle** in [hay](http://x)"
    start = snippet.index("needle")
    text, marks = readable(snippet, ((start, start + 6), (snippet.index("hay"), snippet.index("hay") + 3)))
    assert text == "A needle in hay"
    assert [text[a:b] for a, b in marks] == ["needle", "hay"]


def test_what_was_searched_for_is_never_left_out() -> None:
    text, marks = readable("a **b** c", ((2, 4),))
    assert (text, marks) == ("a **b c", ((2, 4),))
