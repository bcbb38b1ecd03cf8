"""Values that look like credentials are replaced by a visible mark in whatever leaves the program (`S-9`). Pure."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

MARK = "[secret removed]"
_SHORTEST = 8  # characters of a known value; shorter ones stand in too many texts


class Redaction:
    """`patterns` are those of `secrets.toml`; `known` are values that Placet itself keeps, such as keys."""

    def __init__(self, patterns: Iterable[str], known: Iterable[str] = ()) -> None:
        literal = sorted((re.escape(value) for value in known if len(value) >= _SHORTEST), key=len, reverse=True)
        self._known = re.compile("|".join(literal)) if literal else None
        self._patterns = [re.compile(pattern) for pattern in patterns]

    def text(self, text: str) -> str:
        if self._known is not None:
            text = self._known.sub(MARK, text)
        for pattern in self._patterns:
            text = pattern.sub(_kept, text)
        return text

    def value(self, value: Any) -> Any:
        """The same in every text of a JSON value; keys stay."""
        return _mapped(value, self.text)


def read_patterns(toml_text: str) -> tuple[str, ...]:
    """The patterns of the resource."""
    return tuple(tomllib.loads(toml_text)["patterns"].values())


def _kept(match: re.Match[str]) -> str:
    """What stands before the secret in a pattern with a group `secret`, and the mark."""
    if "secret" not in match.re.groupindex:
        return MARK
    start, end = match.start("secret") - match.start(), match.end("secret") - match.start()
    whole = match.group()
    return whole[:start] + MARK + whole[end:]


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: _mapped(each, change) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_mapped(each, change) for each in value]
    return value


def redacted_json(text: str, redaction: Redaction) -> str:
    """A JSON text with its values redacted; one that is none, as a text."""
    try:
        value = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return redaction.text(text)
    return msgspec.json.encode(redaction.value(value)).decode()
