"""`agent.toml`: what an agent is, key by key. A key that makes no sense costs itself only."""

from __future__ import annotations

import difflib
import re
import tomllib
from pathlib import PurePosixPath
from typing import Any, get_args

import msgspec

from placet.core.agents.faults import AgentFault
from placet.core.domain.agents import AgentType
from placet.core.domain.hidden import visible
from placet.core.domain.model_calls import Strength

_LONGEST = 1000
_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_CHOICES = {"type": ", ".join(AgentType), "strength": ", ".join(get_args(Strength))}


class Declaration(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of the file; a missing one has its default here. Texts are one line each."""

    type: AgentType = AgentType.CHAT
    description: str = ""  # for a model that looks for someone to do a task
    instructions: str = ""  # for that model too: what the task must say
    friendly: str = ""  # for a person
    model: str = ""
    scope: str = ""
    strength: Strength | None = None
    memory: tuple[str, ...] = ()


_FIELDS = {field.name: field.type for field in msgspec.structs.fields(Declaration)}


def read_declaration(text: str, place: str) -> tuple[Declaration, list[str]]:
    """Return what the file at `place` declares, and what of it does not count, one sentence each.

    Raises: AgentFault where it does not parse or the type is unknown.
    """
    try:
        table = tomllib.loads(text)
    except RecursionError:
        raise AgentFault(place, "it is nested too deeply") from None
    except ValueError as error:  # a number with thousands of digits is no TOMLDecodeError
        raise AgentFault(place, _in_words(text, error)) from None
    notes: list[str] = []
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in _FIELDS:
            near = difflib.get_close_matches(key, _FIELDS, 1, 0.5)
            known = f"the nearest known key is “{near[0]}”" if near else f"there are: {', '.join(_FIELDS)}"
            notes.append(f"{place}: {key}: unknown key; {known}.")
            continue
        try:
            values[key] = _value(key, value)
        except ValueError as error:
            if key == "type":
                raise AgentFault(place, f"type: {error}") from None
            notes.append(f"{place}: {key}: {error}; it is ignored.")
    declared = Declaration(**values)
    if declared.type is AgentType.TASK and not declared.description:
        notes.append(f"{place}: description is missing, so other agents do not learn when to choose this one.")
    return declared, [visible(note) for note in notes]


def _value(key: str, value: Any) -> Any:
    """Raises: ValueError, in words."""
    try:
        found = msgspec.convert(value, _FIELDS[key])
    except msgspec.ValidationError:
        if key in _CHOICES:
            raise ValueError(f"“{value}” is none of {_CHOICES[key]}") from None
        raise ValueError("a list of file names is expected" if key == "memory" else "a text is expected") from None
    if key == "memory":
        for name in found:
            _check_memory(name)
    elif isinstance(found, str) and key != "type":
        found = visible(" ".join(found.split()))
        if len(found) > _LONGEST:
            raise ValueError(f"it is over {_LONGEST} characters")
    return found


def _check_memory(name: str) -> None:
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts or not name.isprintable() or set(name) & set('\\:"<>'):
        raise ValueError(f"“{name}” is no file in the memory folder")


def _in_words(text: str, error: ValueError) -> str:
    words = str(error)
    found = _PLACE.search(words)
    if found is None:
        return words.rstrip(".")
    line = int(found[1]) if found[1] else text.count("\n") + 1
    column = int(found[2]) if found[2] else len(text) - text.rfind("\n")
    return f"line {line}, column {column}: {_PLACE.sub('', words)}"
