"""The few markers of a prompt: `{{include NAME}}`, `{{list NAME}}` and `__KEY__`. Text without them stays as it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from placet.core.agents.faults import AgentFault
from placet.core.agents.files import INCLUDES

MOST_DEEP = 8
MOST_INCLUDES = 64
MOST_CHARS = 128 * 1024

_MARKER = re.compile(r"\{\{[ \t]*(include|list)(?:[ \t]+([^{}\n]*))?\}\}|__([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)__")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


def fill(
    text: str,
    *,
    place: str,
    include: Callable[[str], str],
    lists: Mapping[str, Callable[[], str]],
    keys: Mapping[str, str],
) -> str:
    """Return `text`, found in the file `place`, with its markers replaced.

    `include` gives the text of an include by its name and raises AgentFault where it cannot. What a list or a key
    gives is put in as it is; what is included is filled in turn. A key that is not among `keys` is no marker.

    Raises: AgentFault for an unknown list, a name that is none, a circle, or too much of it.
    """
    return _Filler(include, lists, keys).fill(text, place, ())


class _Filler:
    def __init__(
        self, include: Callable[[str], str], lists: Mapping[str, Callable[[], str]], keys: Mapping[str, str]
    ) -> None:
        self._include, self._lists, self._keys = include, lists, keys
        self._included, self._chars = 0, 0

    def fill(self, text: str, place: str, within: tuple[str, ...]) -> str:
        pieces: list[str] = []
        end = 0
        for marker in _MARKER.finditer(text):
            self._add(pieces, text[end : marker.start()], place)
            self._add(pieces, self._value(marker, place, within), place, is_counted=marker[1] == "include")
            end = marker.end()
        self._add(pieces, text[end:], place)
        return "".join(pieces)

    def _add(self, pieces: list[str], piece: str, place: str, *, is_counted: bool = False) -> None:
        """`is_counted`: what was included, character by character, when it was filled."""
        self._chars += 0 if is_counted else len(piece)
        if self._chars > MOST_CHARS:
            raise AgentFault(place, f"with all that it includes the prompt is over {MOST_CHARS // 1024} KB")
        pieces.append(piece)

    def _value(self, marker: re.Match[str], place: str, within: tuple[str, ...]) -> str:
        kind, name, key = marker[1], (marker[2] or "").strip(), marker[3]
        if key is not None:
            return self._keys.get(key, marker[0])
        if kind == "include":
            return self._filled(name, place, within)
        if name not in self._lists:
            raise AgentFault(place, f"there is no list “{name}”; there are: {', '.join(sorted(self._lists))}")
        return self._lists[name]()

    def _filled(self, name: str, place: str, within: tuple[str, ...]) -> str:
        if not _NAME.fullmatch(name):
            raise AgentFault(place, f"“{name}” is no name of an include: letters, digits, - and _, without a folder")
        if name in within:
            raise AgentFault(place, f"includes go in a circle: {' → '.join((*within[within.index(name) :], name))}")
        self._included += 1
        if len(within) >= MOST_DEEP or self._included > MOST_INCLUDES:
            raise AgentFault(place, f"at most {MOST_INCLUDES} includes are followed, {MOST_DEEP} deep")
        text = self._include(name).rstrip("\n")
        return self.fill(text, f"{INCLUDES}/{name}.md", (*within, name))
