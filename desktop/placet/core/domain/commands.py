"""Slash commands: what a person typed, told apart from text, and what a command comes to. Pure."""

from __future__ import annotations

import re

import msgspec

from placet.core.domain.ids import SessionId

COMMAND_NAME = r"[a-z][a-z0-9-]*"

# Left to the cache of `re`: compiled when something is typed, not at every start.
_COMMAND = rf"\s*/({COMMAND_NAME})(?!\S)\s*"
_MASKED = rf"\s*//+{COMMAND_NAME}(?!\S)"


class TypedText(msgspec.Struct, frozen=True):
    """Something to say. `text` is what is sent."""

    text: str


class TypedCommand(msgspec.Struct, frozen=True):
    """`/name arguments`; whether there is such a command is another question."""

    name: str
    arguments: str


def read_typed(typed: str) -> TypedText | TypedCommand:
    """Take apart what was typed.

    A first word `/name` is a command. A first word `//name` stands for the text `/name`; each further slash is one more
    in the text. All else is text as it is: `/usr/bin`, `/`, `// a remark`.
    """
    if found := re.match(_COMMAND, typed):
        return TypedCommand(found[1], typed[found.end() :].rstrip())
    if re.match(_MASKED, typed):
        return TypedText(typed.replace("/", "", 1))
    return TypedText(typed)


def masked(text: str) -> str:
    """Return what one has to type to send exactly `text`."""
    return text.replace("/", "//", 1) if re.match(_COMMAND, text) or re.match(_MASKED, text) else text


class CommandInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A command as a list shows it. `arguments_hint` is like "[name]"; empty where it takes none."""

    name: str
    arguments_hint: str = ""
    description: str = ""
    is_own: bool = False  # a person's, from the data folder


class Completion(msgspec.Struct, frozen=True, kw_only=True):
    """One way to go on. Taking it puts `typed` in the place of what stands before the caret."""

    typed: str
    label: str
    hint: str = ""
    description: str = ""
    is_own: bool = False


class CommandOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What a command answers: a sentence, and pairs of a name and what is to be said about it. No part of the history.

    `opened` is a session that the person goes to; `returned` are messages that were not sent, for whoever wrote them.
    """

    command: str
    words: str = ""
    pairs: tuple[tuple[str, str], ...] = ()
    opened: SessionId | None = None
    returned: tuple[str, ...] = ()
