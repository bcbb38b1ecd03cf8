"""Hidden characters by name in an editor, and back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from placet.core.domain.hidden import find_hidden
from placet.ui.widgets.editor.written_out import Spelling, trouble_with

ANY = st.text(st.sampled_from("ab \n\t\r\u00a0\u202e\u200d\ufe0f👩✔1\u20e3\u2029\x00<U+202E>⟨⟩"), max_size=60)


@given(ANY | st.text(st.characters(codec="utf-8"), max_size=60))
def test_r_7_what_is_written_out_is_read_back_exactly(text: str) -> None:
    spelling = Spelling(text)
    if spelling.is_free:
        assert spelling.read_back(spelling.written_out(text)) == text


@given(ANY)
def test_nothing_hidden_is_left(text: str) -> None:
    assert find_hidden(Spelling(text).written_out(text)) == []


def test_a_text_that_names_hidden_characters_itself_gets_another_spelling() -> None:
    assert Spelling("a\u202e").written_out("a\u202e") == "a<U+202E>"
    assert Spelling("<U+202E>\u202e").written_out("<U+202E>\u202e") == "<U+202E>⟨U+202E⟩"


def test_a_name_of_no_hidden_character_stays_as_it_is() -> None:
    spelling = Spelling("")
    assert spelling.read_back("<U+0041> <U+FFFFFF> <U+202e> <U+200B>") == "<U+0041> <U+FFFFFF> <U+202e> \u200b"


def test_what_cannot_be_edited_is_said_in_words() -> None:
    assert trouble_with("short\nlines\n") == ""
    assert "10,001 characters" in trouble_with("x" * 10_001)
    assert "5,000,001 characters" in trouble_with("x\n" * 2_500_000 + "y")
