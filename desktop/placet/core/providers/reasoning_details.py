"""`reasoning_details` of Chat Completions streams: fragments merged into the blocks to send back. Pure."""

from __future__ import annotations

from typing import Any

from placet.core.providers.accumulating import list_of, text_of

_GROWING = ("text", "summary", "data")


class ReasoningDetails:
    """Fragments that follow one another with the same type and index are one block; all else is kept verbatim."""

    def __init__(self) -> None:
        self._blocks: list[dict[str, Any]] = []

    def __bool__(self) -> bool:
        return bool(self._blocks)

    def feed(self, fragments: Any) -> str:
        """Take fragments in; return their readable text."""
        shown = []
        for fragment in list_of(fragments):
            if isinstance(fragment, dict):
                self._merge(fragment)
                shown.append(text_of(fragment.get("text")) or text_of(fragment.get("summary")))
        return "".join(shown)

    def merged(self) -> list[dict[str, Any]]:
        return self._blocks

    def _merge(self, fragment: dict[str, Any]) -> None:
        last = self._blocks[-1] if self._blocks else None
        if last is None or (last.get("type"), last.get("index")) != (fragment.get("type"), fragment.get("index")):
            self._blocks.append(dict(fragment))
            return
        for name, value in fragment.items():
            if name in _GROWING and isinstance(value, str):
                last[name] = text_of(last.get(name)) + value
            elif value is not None:
                last[name] = value
