"""Arguments of a call: one declaration gives the schema a model sees and the check of what it sent."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any

import msgspec

from placet.core.domain.errors import ToolFailure


class Kind(StrEnum):
    """JSON types; the value is the one of JSON schema."""

    TEXT = "string"
    INTEGER = "integer"
    NUMBER = "number"
    FLAG = "boolean"
    LIST = "array"


_WORDS = {
    Kind.TEXT: "text", Kind.INTEGER: "a whole number", Kind.NUMBER: "a number", Kind.FLAG: "true or false",
    Kind.LIST: "a list",
}  # fmt: skip


class Param(msgspec.Struct, frozen=True, kw_only=True):
    """One argument. One without `required` may be left out or null and then has the value `default`.

    `items` is the JSON schema of what a list holds; the tool itself checks the items.
    """

    name: str
    description: str
    kind: Kind = Kind.TEXT
    required: bool = False
    default: Any = None
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    items: dict[str, Any] | None = None

    def schema(self) -> dict[str, Any]:
        schema: dict[str, Any] = {"type": self.kind.value, "description": self.description}
        if self.choices:
            schema["enum"] = list(self.choices)
        if self.items is not None:
            schema["items"] = self.items
        if self.minimum is not None:
            schema["minimum"] = self.minimum
        if self.maximum is not None:
            schema["maximum"] = self.maximum
        return schema

    def expected(self) -> str:
        """What a value has to be, in words."""
        words = "one of " + ", ".join(self.choices) if self.choices else _WORDS[self.kind]
        if self.minimum is not None:
            words += f", at least {self.minimum:g}"
        if self.maximum is not None:
            words += f", at most {self.maximum:g}"
        return words


_LONGEST_NAME = 100
_MOST_UNKNOWN = 5  # are named, each of them cut; a model may send any number of any length


def schema(params: Sequence[Param]) -> dict[str, Any]:
    """Return the JSON schema of an object with these arguments and no others."""
    return {
        "type": "object",
        "properties": {param.name: param.schema() for param in params},
        "required": [param.name for param in params if param.required],
        "additionalProperties": False,
    }


def nearest(name: str, known: Iterable[str], cutoff: float = 0.5) -> str:
    """Return the known name most like `name`, or nothing. One that no name could be like is not compared."""
    if len(name) > _LONGEST_NAME:
        return ""
    return next(iter(difflib.get_close_matches(name, list(known), n=1, cutoff=cutoff)), "")


def check_arguments(tool: str, params: Sequence[Param], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a value for every parameter. Numbers and flags sent as text are taken for what they say.

    Raises: ToolFailure, which names every fault and what is expected.
    """
    unknown = [name for name in given if all(name != param.name for param in params)]
    faults = [_unknown(name, params) for name in unknown[:_MOST_UNKNOWN]]
    if len(unknown) > _MOST_UNKNOWN:
        faults.append(f"{len(unknown) - _MOST_UNKNOWN:,} more unknown arguments")
    values: dict[str, Any] = {}
    for param in params:
        value = given.get(param.name)
        if value is None:
            values[param.name] = param.default
            if param.required:
                faults.append(f"missing argument '{param.name}' ({param.expected()})")
            continue
        values[param.name] = _converted(param.kind, value)
        if fault := _fault(param, values[param.name], value):
            faults.append(fault)
    if faults:
        usage = ", ".join(param.name if param.required else param.name + "?" for param in params)
        raise ToolFailure(f"{tool} did not run: {'; '.join(faults)}. Its arguments are: {tool}({usage}).")
    return values


def _unknown(name: str, params: Sequence[Param]) -> str:
    near = nearest(name, (param.name for param in params))
    shown = name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"
    return f"unknown argument '{shown}'" + (f" (did you mean '{near}'?)" if near else "")


def _converted(kind: Kind, value: Any) -> Any:
    """Return the value as the kind where nothing can be lost by it, else as it came."""
    if isinstance(value, str):
        word = value.strip()
        if kind is Kind.FLAG:
            return {"true": True, "false": False}.get(word.lower(), value)
        if kind is Kind.LIST:
            found = _list_in(word)
            return value if found is None else found
        if kind in _NUMBERS:
            try:
                return _NUMBERS[kind](word)
            except ValueError:
                return value
    if kind is Kind.INTEGER and isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _list_in(text: str) -> list[Any] | None:
    """A list that was sent as its JSON text."""
    try:
        return msgspec.json.decode(text, type=list[Any])
    except msgspec.DecodeError:
        return None


_MOST = 10**12  # no file has more lines; larger numbers could not even be handed to other programs
_NUMBERS: Mapping[Kind, Callable[[str], float]] = {Kind.INTEGER: int, Kind.NUMBER: float}
_TYPES: Mapping[Kind, tuple[type, ...]] = {
    Kind.TEXT: (str,), Kind.INTEGER: (int,), Kind.NUMBER: (int, float), Kind.FLAG: (bool,),
    Kind.LIST: (list,),
}  # fmt: skip


def _fault(param: Param, value: Any, given: Any) -> str:
    is_right = isinstance(value, _TYPES[param.kind]) and (param.kind is Kind.FLAG or not isinstance(value, bool))
    if is_right and param.choices:
        is_right = value in param.choices
    # Comparisons with NaN are false, so a NaN is refused by every limit.
    if is_right and param.minimum is not None:
        is_right = value >= param.minimum
    if is_right and param.maximum is not None:
        is_right = value <= param.maximum
    if is_right and param.kind is Kind.INTEGER and abs(value) > _MOST:
        return f"'{param.name}' is too large a number"
    if is_right:
        return ""
    shown = repr(given)
    return f"'{param.name}' must be {param.expected()}, not {shown if len(shown) <= 60 else shown[:57] + '…'}"
