"""Tool calls put together from Chat Completions fragments, whatever a server does with `index` and `id`. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from placet.core.domain.model_calls import ArgumentsDelta, RequestedCall
from placet.core.domain.text import TextJoiner, clean_text
from placet.core.providers.accumulating import as_json_text, table_of, text_of


class CallDraft:
    """One call while its pieces arrive."""

    def __init__(self, position: int) -> None:
        self.position = position
        self.id = ""
        self.name = ""
        self._pieces: list[str] = []
        self._joiner = TextJoiner()

    @property
    def arguments(self) -> str:
        return "".join(self._pieces)

    def take_name(self, name: str) -> None:
        """Names come once, come again with each fragment, or come in pieces before the arguments."""
        if not self.name or name.startswith(self.name):
            self.name = name
        elif name and not self._pieces:
            self.name += name

    def take_arguments(self, piece: str) -> str:
        """Return what of `piece` can be shown now."""
        shown = self._joiner.feed(piece)
        if shown:
            self._pieces.append(shown)
        return shown

    def is_whole(self) -> bool:
        """Whether the arguments so far are one complete JSON object."""
        if not self._pieces or not self._pieces[-1].rstrip().endswith("}"):
            return False  # the usual case, without parsing
        try:
            return isinstance(json.loads(self.arguments), dict)
        except ValueError:
            return False

    def finish(self) -> RequestedCall:
        arguments = self.arguments + self._joiner.finish()
        return RequestedCall(
            provider_id=clean_text(self.id),
            name=clean_text(self.name),
            arguments=arguments if arguments.strip() else "{}",
        )


class CallDrafts:
    """All calls of one answer, in the order in which they were opened.

    A new id at an index already in use opens a new call, for some servers number every call 0. A fragment with
    neither index nor id belongs to the call opened last, unless it names a tool after that call was whole.
    """

    def __init__(self) -> None:
        self._drafts: list[CallDraft] = []
        self._by_index: dict[int, list[CallDraft]] = {}

    def __bool__(self) -> bool:
        return bool(self._drafts)

    def feed(self, fragment: Any) -> Iterator[ArgumentsDelta]:
        """Take one entry of `tool_calls` in. What is not an object is no fragment."""
        if not isinstance(fragment, dict):
            return
        function = table_of(fragment.get("function"))
        name = text_of(function.get("name"))
        arguments = as_json_text(function.get("arguments"))
        call_id = text_of(fragment.get("id"))
        draft = self._find(fragment.get("index"), call_id, name, arguments)
        if draft is None:
            return
        draft.id = draft.id or call_id
        if name:
            draft.take_name(name)
            if arguments == draft.arguments and draft.is_whole():
                return  # the whole call once more, as some servers end with
        shown = draft.take_arguments(arguments)
        if draft.name and (shown or name):
            yield ArgumentsDelta(draft.position, draft.name, shown)

    def finish(self) -> tuple[RequestedCall, ...]:
        """Return the calls; one without a name is no call and is left out."""
        return tuple(draft.finish() for draft in self._drafts if draft.name)

    def _find(self, index: Any, call_id: str, name: str, arguments: str) -> CallDraft | None:
        has_index = isinstance(index, int) and not isinstance(index, bool)
        candidates = self._by_index.get(index, []) if has_index else self._drafts
        if call_id and (same := next((draft for draft in candidates if draft.id == call_id), None)):
            return same
        last = candidates[-1] if candidates else None
        if last is None or (call_id and last.id):
            return self._open(index if has_index else None, call_id, name, arguments)
        if name and arguments.strip() and last.is_whole() and arguments != last.arguments:
            return self._open(index if has_index else None, call_id, name, arguments)
        return last

    def _open(self, index: int | None, call_id: str, name: str, arguments: str) -> CallDraft | None:
        if not (call_id or name or arguments):
            return None  # an empty fragment opens nothing
        draft = CallDraft(len(self._drafts))
        self._drafts.append(draft)
        if index is not None:
            self._by_index.setdefault(index, []).append(draft)
        return draft
