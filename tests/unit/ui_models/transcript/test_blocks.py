"""Markdown is cut into blocks as it will be read, however it arrives."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placet.ui.widgets.text.blocks import WINDOW, Block, BlockKind, BlockSplitter, language_of, read_fence, split_blocks
from placet.ui.widgets.text.markdown import plain_text, references_in

FRAGMENTS = [
    "a", "b\n", "\n", "\n\n", "```", "~~~", "`", "````", "- x\n", "* ", "1. ", "  ", "    ", "> q\n", "#", " h\n",
    "| a |", "\n|--|\n", "[foo]: /u\n", "[foo]:", "'t\n", "[foo]", "---\n", "===\n", "\r", "\r\n", "x y z ", "<b>\n", "😀",
]  # fmt: skip
PIECES = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=6), max_size=24)


def shapes(blocks: list[Block]) -> list[tuple[BlockKind, str]]:
    """Kind, and what is seen: the code of a fence, the source of prose."""
    return [(b.kind, read_fence(b.source).code if b.kind is BlockKind.CODE else b.source) for b in blocks]


def stream(pieces: list[str]) -> tuple[list[Block], BlockSplitter]:
    splitter, finished = BlockSplitter(), list[Block]()
    for piece in pieces:
        finished += splitter.feed(piece)
    return finished, splitter


def code_of(blocks: list[Block]) -> list[str]:
    return [read_fence(block.source).code for block in blocks if block.kind is BlockKind.CODE]


# ---- fences --------------------------------------------------------------------------------------------------


def test_an_open_fence_shows_its_bytes_at_every_step() -> None:
    splitter, done, seen = BlockSplitter(), list[Block](), list[list[str]]()
    for piece in ("text\n```sh\necho $1 \\(x\\) <b>", "\n# no heading\n", "```", "\nafter"):
        done += splitter.feed(piece)
        seen.append(code_of(done + splitter.open_blocks()))
    body = "echo $1 \\(x\\) <b>"
    assert seen == [[body], [f"{body}\n# no heading"], [f"{body}\n# no heading"], [f"{body}\n# no heading"]]
    assert shapes(done + splitter.open_blocks())[-1] == (BlockKind.PROSE, "after")


def test_a_closing_fence_as_the_last_bytes_closes() -> None:
    blocks = split_blocks("Key:\n\n```text\nzz9-77\n```")
    assert code_of(blocks) == ["zz9-77"]
    assert read_fence(blocks[1].source).is_closed


def test_a_longer_fence_holds_a_shorter_one() -> None:
    blocks = split_blocks("````markdown\n# T\n```\ninner\n```\n````\nend")
    assert shapes(blocks) == [(BlockKind.CODE, "# T\n```\ninner\n```"), (BlockKind.PROSE, "end")]


def test_backticks_within_a_line_are_no_fence() -> None:
    assert [b.kind for b in split_blocks("use ``` in the middle of a line and *then* bold **x**")] == [BlockKind.PROSE]


def test_tildes_do_not_close_backticks() -> None:
    blocks = split_blocks("```python\nprint(1)\n~~~\nstill code\n```\nout")
    assert shapes(blocks) == [(BlockKind.CODE, "print(1)\n~~~\nstill code"), (BlockKind.PROSE, "out")]


def test_an_info_string_inside_a_fence_does_not_close_it_and_loses_nothing() -> None:
    source = "```markdown\n# T\n```json\n{}\n```\nmore\n```\nend"
    blocks = split_blocks(source)
    assert "".join(block.source for block in blocks) == source
    assert "".join(text for _, text in shapes(blocks)).count("more") == 1


def test_an_indented_fence_loses_its_indent_only() -> None:
    assert code_of(split_blocks("  ```\n  a\n    b\nc\n  ```\n")) == ["a\n  b\nc"]


@pytest.mark.parametrize(
    ("info", "language"), [("python", "python"), ("", ""), ("{.rust}", "rust"), ("js title=x", "js")]
)
def test_the_language_is_the_first_word(info: str, language: str) -> None:
    assert language_of(info) == language


# ---- everything else -----------------------------------------------------------------------------------------


def test_items_of_a_list_stay_together_over_blank_lines() -> None:
    assert len(split_blocks("1. one\n\n2. two\n\n   more of two\n\n3. three\n")) == 1


def test_a_definition_is_found_wherever_it_stands() -> None:
    blocks = split_blocks("see [r]\n\n- x\n\n[r]: http://example.org/q\n")
    assert [reference for block in blocks for reference in references_in(block.source)] == [
        ("R", "http://example.org/q", "")
    ]
    assert "".join(block.source for block in blocks).endswith("/q\n")


def test_a_long_table_goes_on_with_its_head() -> None:
    head = "| a | b |\n|---|---|\n"
    blocks = split_blocks(head + "".join(f"| {i} | x |\n" for i in range(2000)))
    assert len(blocks) > 3
    assert {block.lead for block in blocks[1:]} == {head}
    assert all(block.is_joined for block in blocks[1:])
    assert plain_text(blocks[1].lead + blocks[1].source).startswith("a\tb\n")


@pytest.mark.parametrize("rows", [60, 62, 63, 64, 126, 200])
@pytest.mark.parametrize("after", ["", "\nwords\n", "# head\n", "| no end"])
def test_a_table_is_cut_at_the_same_rows_however_it_arrives(rows: int, after: str) -> None:
    text = "| a | b |\n|---|---|\n" + "".join(f"| {i} | x |\n" for i in range(rows)) + after
    whole = BlockSplitter()
    at_once = whole.feed(text)
    finished, splitter = stream([text[at : at + 5] for at in range(0, len(text), 5)])
    assert (finished, splitter.open_blocks()) == (at_once, whole.open_blocks())
    assert "".join(block.source for block in finished) + splitter.tail == text


@pytest.mark.parametrize("text", ["word " * 5000, "x" * 20_000, "a line of words\n" * 1500, "- item\n" * 2000])
def test_what_does_not_end_is_cut_into_pieces(text: str) -> None:
    blocks = split_blocks(text)
    assert "".join(block.source for block in blocks) == text
    assert max(len(block.source) for block in blocks) <= WINDOW
    assert all(block.is_joined for block in blocks[1:])


@settings(deadline=None, max_examples=200)
@given(PIECES)
def test_nothing_is_lost_and_pieces_do_not_matter(pieces: list[str]) -> None:
    whole = BlockSplitter()
    at_once = whole.feed("".join(pieces))
    finished, splitter = stream(pieces)
    assert "".join(block.source for block in finished) + splitter.tail == "".join(pieces)
    assert finished == at_once
    assert splitter.open_blocks() == whole.open_blocks()


@settings(deadline=None, max_examples=100)
@given(PIECES)
def test_blocks_read_alone_say_what_the_whole_text_says(pieces: list[str]) -> None:
    source = "".join(pieces).replace("\r", "\n")
    blocks = split_blocks(source)
    references = tuple(reference for block in blocks for reference in references_in(block.source))
    apart = "\n".join(text for block in blocks if (text := plain_text(block.source, references)))
    together = plain_text(source)
    assert [line for line in apart.split("\n") if line] == [line for line in together.split("\n") if line]
