"""Reading a command line as a shell does, with tree-sitter's bash grammar. Pure; the grammar loads on first use.

The reading is one-sided on purpose: what is not certainly a plain list of simple commands is "not understood", and
no rule may then let it pass. A substitution, a variable, a redirection to a file, a here-document, a program that
runs another program: all of them are.
"""

from __future__ import annotations

import os
import re
import time
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from placet.core.review.programs import SHELLS, is_runner, side_effect

if TYPE_CHECKING:
    from tree_sitter import Language, Node

_MAX_CHARS = 20_000
_CHUNK = 4096
_MOST_SECONDS = 0.5  # of processor time; some broken lines cost the grammar the square of their length
_STRUCTURE = frozenset({
    "program", "list", "pipeline", "command", "command_name", "redirected_statement", "negated_command", "comment",
})  # fmt: skip
_PUNCTUATION = frozenset({
    "&&", "||", ";", "&", "|", "|&", "\n", "!",
    '"', "string_content", "file_descriptor", ">", ">>", ">&", "<&", "<", "&>", "&>>", ">|",  # below what is read whole
})  # fmt: skip
_WORDS = frozenset({"word", "number", "raw_string", "string", "concatenation"})
_UNUSUAL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]|[^\\S \t\n]")
_ESCAPE_OR_BLANK = re.compile(rb"[\\\s]")
_SEPARATORS = re.compile(r"[\n;&|(){}<>`$]+")
_QUOTES = re.compile(r"[\\\"']")
_TURNS = re.compile(rb"[$`\\]")  # what a shell puts something else in the place of
_LITERAL = frozenset({"command_name", "word", "string", "concatenation"})
_LEAVES = frozenset({"word", "number", "raw_string", "string", "string_content", '"'})
_ESCAPED = re.compile(r"\\(\n|.)", re.DOTALL)

_FIND_ACTIONS = frozenset({
    "-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf", "-fls",
})  # fmt: skip
_GLOB = frozenset("*?[")  # a file's name could be one of the actions
_BRACES = frozenset("{")
_NAMES = {
    "command_substitution": "a substitution",
    "process_substitution": "a substitution",
    "simple_expansion": "a variable",
    "expansion": "a variable",
    "variable_assignment": "an assignment",
    "arithmetic_expansion": "arithmetic",
    "heredoc_redirect": "a here-document",
    "herestring_redirect": "a here-string",
    "ERROR": "something that cannot be parsed",
}


class CommandLine(msgspec.Struct, frozen=True):
    """The simple commands of a line, each as its words without quotes, also those inside substitutions.

    `doubt` says in words why the line is not fully understood; empty: it is exactly these commands. `is_opaque` says
    that not even every program that it runs is named in it.
    """

    commands: tuple[tuple[str, ...], ...]
    doubt: str = ""
    is_opaque: bool = False


def read_command(text: str, *, is_posix: bool = os.name != "nt") -> CommandLine:
    """Read a line, or many lines; the full text, never a shortened one. Takes a second at most: for a worker thread.

    What cannot be read in that time is cut into words roughly, so that denied commands are still found in it. A shell
    that is none of POSIX quotes and joins otherwise: nothing is understood for it.
    """
    if len(text) > _MAX_CHARS:
        return CommandLine(_roughly(text), "it is too long to be read", is_opaque=True)
    source = text.encode("utf-8", "surrogatepass")
    root = _parse(source)
    if root is None:
        return CommandLine(_roughly(text), "it takes too long to be read", is_opaque=True)
    reading = _Reading(source)
    if _UNUSUAL.search(text):
        reading.hide("it contains control characters or unusual spaces")
    elif root.has_error:
        reading.hide("it cannot be parsed")
    elif not is_posix:
        reading.doubt = "the shell of this system reads it in its own way"
    reading.walk(root)
    if not reading.commands and not reading.doubt:
        reading.doubt = "it contains no command"
    return CommandLine(tuple(reading.commands), reading.doubt, reading.is_opaque)


def program_of(word: str) -> str:
    """The name of the program that the first word of a command names, however it is spelled."""
    return word.replace("\\", "/").rpartition("/")[2].casefold()


def _roughly(text: str) -> tuple[tuple[str, ...], ...]:
    parts = (tuple(part.split()) for part in _SEPARATORS.split(_QUOTES.sub("", text)))
    return tuple(dict.fromkeys(part for part in parts if part))


def starts_with(command: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Whether a simple command begins with these words."""
    return bool(words) and command[: len(words)] == words


@cache
def _language() -> Language:
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Language(tree_sitter_bash.language())


def _parse(source: bytes) -> Node | None:
    """The root of the tree; None where it takes too long. The watch also lets other threads run in between."""
    from tree_sitter import Parser

    end = time.thread_time() + _MOST_SECONDS
    try:
        tree = Parser(_language()).parse(
            lambda offset, _point: source[offset : offset + _CHUNK],
            progress_callback=lambda _offset, _has_error: time.thread_time() > end,
        )
    except ValueError:  # what the watch ended
        return None
    return tree.root_node


class _Reading:
    """One walk over a tree, without recursion: depth is the author's of the line, not ours."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._read_to = 0
        self.commands: list[tuple[str, ...]] = []
        self.doubt = ""
        self.is_opaque = False

    def hide(self, why: str) -> None:
        """Programs may run whose names are not in the line."""
        self.is_opaque = True
        self._doubt(why)

    def _doubt(self, why: str) -> None:
        self.doubt = self.doubt or why

    def walk(self, root: Node) -> None:
        waiting = [root]
        while waiting:
            node = waiting.pop()
            if not node.children or node.type == "string":
                self._read_gap(node.start_byte, node.end_byte)
            if node.type == "command":
                self._read_simple(node)
            elif node.type == "file_redirect":
                self._read_redirect(node)
            elif node.type in _WORDS:
                self._read_word(node)
            elif node.type == "!" and self._source[node.end_byte : node.end_byte + 1] not in (b" ", b"\t"):
                self._doubt("it contains a negation that is part of a word")
            elif node.type not in _STRUCTURE and node.type not in _PUNCTUATION:
                self._doubt(f"it contains {_NAMES.get(node.type, node.type.replace('_', ' '))}")
            waiting.extend(reversed(node.children))
        self._read_gap(len(self._source), len(self._source))

    def _read_gap(self, start: int, end: int) -> None:
        """What the grammar skipped must be plain blanks: an escaped blank or newline is none to a shell."""
        if self._source[self._read_to : start].strip(b" \t\n"):
            self._doubt("it contains escaped blanks or lines that are joined")
        self._read_to = max(self._read_to, end)

    def _read_simple(self, node: Node) -> None:
        nodes = [child for child in node.children if child.type in _WORDS or child.type == "command_name"]
        words = tuple(self._plain(child) for child in nodes)
        if not words:
            return
        self.commands.append(words)
        name = program_of(words[0])
        if not self._is_literal(nodes[0]) or self._has_open(nodes[0], _GLOB):
            self.hide("what it runs is not written out")
        if is_runner(name):
            self._doubt(f"“{words[0]}” runs what its arguments say")
            reads_input = name in SHELLS and not any(not word.startswith("-") for word in words[1:])
            self.is_opaque |= reads_input or not all(self._is_literal(each) for each in nodes[1:])
        if effect := side_effect(name, words):
            self._doubt(effect)
        if name == "find" and (
            not _FIND_ACTIONS.isdisjoint(words) or any(self._has_open(node, _GLOB) for node in nodes)
        ):
            self._doubt("find may run, write or delete something here")

    def _is_literal(self, node: Node) -> bool:
        """Whether a word is all written in the line, also for a shell that reads it once more."""
        if node.children:
            return node.type in _LITERAL and all(self._is_literal(child) for child in node.children)
        return node.type in _LEAVES and _TURNS.search(self._bytes(node)) is None

    def _read_redirect(self, node: Node) -> None:
        """Joining streams and discarding output change no file; everything else is a write or a read elsewhere.

        Words after the target are the command's own, but the grammar gives them to the redirection.
        """
        targets = node.children_by_field_name("destination")
        where = self._plain(targets[0]) if len(targets) == 1 else ""
        joins = any(child.type in (">&", "<&") for child in node.children) and where.isdigit()
        if not joins and where != "/dev/null":
            self._doubt("it redirects to or from a file")

    def _read_word(self, node: Node) -> None:
        if node.type == "string" and any(child.type not in ('"', "string_content") for child in node.children):
            self._doubt("it contains a substitution")
        if node.type in ("word", "number") and _ESCAPE_OR_BLANK.search(self._bytes(node)):
            # The grammar takes a newline before a backslash for a part of the word.
            self._doubt("it contains backslashes outside quotes")
        if node.type in ("word", "concatenation") and self._plain(node).startswith("="):
            self._doubt("it contains a word that some shells replace")
        if self._plain(node) != "{}" and self._has_open(node, _BRACES):
            self._doubt("it contains braces that make several words")

    def _bytes(self, node: Node) -> bytes:
        return self._source[node.start_byte : node.end_byte]

    def _has_open(self, node: Node, characters: frozenset[str]) -> bool:
        """Whether one of these, which a shell acts upon, stands in the word outside quotes."""
        if node.type in ("command_name", "concatenation"):
            return any(self._has_open(child, characters) for child in node.children)
        return node.type == "word" and not characters.isdisjoint(self._plain(node))

    def _plain(self, node: Node) -> str:
        """The word with its quotes and backslashes resolved, as far as that needs no expansion."""
        if node.type in ("command_name", "concatenation"):
            return "".join(self._plain(child) for child in node.children)
        text = self._bytes(node).decode("utf-8", "replace")
        if node.type == "raw_string":
            return text[1:-1]
        if node.type == "string":
            return re.sub(r'\\(["\\$`]|\n)', lambda m: "" if m[1] == "\n" else m[1], text[1:-1])
        return _ESCAPED.sub(lambda m: "" if m[1] == "\n" else m[1], text)
