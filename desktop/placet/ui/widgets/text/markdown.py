"""The one Markdown parser: CommonMark, tables, strikethrough. Raw HTML is text, and nothing is ever fetched.

Pure; what is made of the tokens is the writer's business.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from placet.ui.widgets.text.links import host_of, read_link

MAX_NESTING = 90
MAX_BRACKETS = 500
"""Looking for links among brackets costs their number squared; a block with more of them is no prose."""

References = tuple[tuple[str, str, str], ...]
"""Link definitions of a message as (label, target, title); the first of a label counts."""

_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_FENCED = re.compile(r"^(`{3,}|~{3,})[^`\n]*\n(.*?)(?:^\1[`~]*[ \t]*$\n?|\Z)", re.MULTILINE | re.DOTALL)
_TASK = re.compile(r"^\[([ xX])\] ")


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": MAX_NESTING})
    parser.enable(["table", "strikethrough"])
    parser.validateLink = lambda url: True  # type: ignore[method-assign]  # links.py decides what a target may do
    return parser


_FULL = _parser()
_UNLINKED = _parser().disable(["link", "image"])
_BLOCKS = _parser()
_BLOCKS.core.ruler.enableOnly(["normalize", "block"])


def block_tokens(source: str) -> list[Token]:
    """The block structure alone; ten times cheaper than `tokens`."""
    return _BLOCKS.parse(source)


def tokens(source: str, references: References = ()) -> list[Token]:
    """All tokens. A source nested deeper than anybody writes comes back as one paragraph of plain text."""
    env: dict[str, Any] = {"references": _as_env(references)}
    made = (_FULL if source.count("[") <= MAX_BRACKETS else _UNLINKED).parse(source, env)
    if any(token.level >= MAX_NESTING - 1 for token in made):
        return literal_tokens(source)
    return made


def references_in(source: str) -> References:
    """The link definitions that stand in `source`."""
    if "]:" not in source:
        return ()
    env: dict[str, Any] = {}
    _BLOCKS.parse(source, env)
    found: Mapping[str, Mapping[str, str]] = env.get("references", {})
    return tuple((label, str(entry.get("href", "")), str(entry.get("title", ""))) for label, entry in found.items())


def _as_env(references: References) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for label, href, title in references:
        found.setdefault(label, {"href": href, "title": title})
    return found


def literal_tokens(source: str) -> list[Token]:
    """What a person typed, as they typed it: only fences and code spans are read, every line end is kept."""
    made: list[Token] = []
    at = 0
    for match in _FENCED.finditer(source):
        made += _literal_paragraph(source[at : match.start()].strip("\n"))
        made.append(Token("fence", "code", 0, content=match[2]))
        at = match.end()
    return [*made, *_literal_paragraph(source[at:].strip("\n"))]


def _literal_paragraph(text: str) -> Iterator[Token]:
    if not text:
        return
    children: list[Token] = []
    for number, line in enumerate(text.split("\n")):
        if number:
            children.append(Token("hardbreak", "br", 0))
        at = 0
        for span in _SPAN.finditer(line):
            children.append(Token("text", "", 0, content=line[at : span.start()]))
            children.append(Token("code_inline", "code", 0, content=span[2]))
            at = span.end()
        children.append(Token("text", "", 0, content=line[at:]))
    yield Token("inline", "", 0, content=text, children=[child for child in children if child.content or child.tag])


def placeholder(image: Token) -> str:
    """What stands for an image: its description and where it would come from. It is never loaded."""
    source = str(image.attrGet("src") or "")
    alt = image.content.strip() or "image"
    place = host_of(source) or (source.split(":", 1)[0] if ":" in source[:12] else read_link(source).target)
    return f"{alt} ({place})" if place else alt


def task_state(inline: Token) -> bool | None:
    """Whether the item that starts with this text is ticked; None where it is no task."""
    match = _TASK.match(inline.content)
    return None if match is None else match[1] != " "


def plain_text(source: str, references: References = ()) -> str:
    """The visible text without laying anything out; for copying and reading out thousands of rows."""
    return "\n".join(_plain_lines(tokens(source, references)))


def _plain_lines(made: Sequence[Token]) -> Iterator[str]:
    pending, cells = "", list[str]()
    markers: list[Callable[[], str]] = []
    for token in made:
        if pending and token.type.endswith(("list_open", "list_item_close")):
            yield pending  # an item without text still has its mark
            pending = ""
        _enter_or_leave(token, markers)
        if token.type == "list_item_open":
            pending = markers[-1]() + "\t"
        elif token.type in ("td_open", "th_open"):
            cells.append("")
        elif token.type == "tr_close":
            yield "\t".join(cells)
            cells.clear()
        elif token.type in ("fence", "code_block"):
            yield token.content.rstrip("\n")
        elif token.type == "inline" and cells:
            cells[-1] = inline_text(token)
        elif token.type == "inline":
            yield _plain_paragraph(token, pending)
            pending = ""


def _enter_or_leave(token: Token, markers: list[Callable[[], str]]) -> None:
    if token.type.endswith("list_open"):
        markers.append(list_marker(token))
    elif token.type.endswith("list_close"):
        markers.pop()


def _plain_paragraph(inline: Token, marker: str) -> str:
    ticked = task_state(inline) if marker.startswith("•") else None
    if ticked is None:
        return marker + inline_text(inline)
    return ("☑" if ticked else "☐") + "\t" + inline_text(inline)[4:]


def list_marker(token: Token) -> Callable[[], str]:
    """What stands before the items of the list that `token` opens, one call an item."""
    if token.type == "bullet_list_open":
        return lambda: "•"
    return counter(int(token.attrGet("start") or 1))


def inline_text(inline: Token) -> str:
    """The visible text of one paragraph."""
    breaks = {"softbreak": " ", "hardbreak": "\n"}
    return "".join(
        placeholder(child) if child.type == "image" else breaks.get(child.type, child.content)
        for child in inline.children or []
    )


def counter(start: int) -> Callable[[], str]:
    """Numbers of an ordered list, from `start` on."""
    numbers = iter(range(start, 10**9 + start))
    return lambda: f"{next(numbers)}."
