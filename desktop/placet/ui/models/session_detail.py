"""Everything that is stored of a session, row by row: what was said, hidden or shown, each call and who let it pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum

import msgspec
from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from placet.core.domain.errors import PlacetError
from placet.core.domain.ids import CallId, SessionId
from placet.core.domain.messages import HistoryPage, Message, Role, Session, ToolCall
from placet.core.domain.review import Verdict
from placet.core.domain.stopping import TaskScope
from placet.core.domain.tools import DELEGATING
from placet.core.hub.api import HistoryApi

_PAGE = 200
EntryRole = Qt.ItemDataRole.UserRole + 1
Index = QModelIndex | QPersistentModelIndex
_NO_INDEX = QModelIndex()


class EntryKind(StrEnum):
    MESSAGE = "message"
    CALL = "call"
    AGENT = "agent"  # a sub-agent begins
    AGENT_END = "agent_end"


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One row. `depth` counts the sub-agents that it is in; `trail` is what was decided about a call (`R-12`)."""

    kind: EntryKind
    depth: int = 0
    message: Message | None = None
    call: ToolCall | None = None
    trail: tuple[Verdict, ...] = ()


class SessionDetailModel(QAbstractListModel):
    """Reads from the end, a page at a time: a long session opens as fast as a short one (`S-5`). Main thread only."""

    loaded = Signal()  # another session, or the same one anew
    failed = Signal(object)  # a PlacetError

    def __init__(self, history: HistoryApi, scope: TaskScope, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._history, self._scope = history, scope
        self._entries: list[Entry] = []
        self._trail: dict[CallId, tuple[Verdict, ...]] = {}
        self._oldest: HistoryPage | None = None
        self._asked = 0
        self._is_reading = False
        self.session: Session | None = None

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._entries)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        entry = self._entries[index.row()]
        if role == EntryRole:
            return entry
        return headline(entry) if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole) else None

    @property
    def entries(self) -> Sequence[Entry]:
        return self._entries

    @property
    def has_older(self) -> bool:
        return self._oldest is not None and self._oldest.has_older

    def show_session(self, session_id: SessionId) -> None:
        self._asked += 1
        self._is_reading = True
        self._scope.start(self._read(session_id, self._asked), "debug view")

    def load_older(self) -> None:
        """Read the page before the first row, unless one is on its way."""
        if self.has_older and not self._is_reading and self.session is not None:
            self._is_reading = True
            self._scope.start(self._read_older(self.session.id, self._asked), "debug view: older")

    async def _read(self, session_id: SessionId, question: int) -> None:
        try:
            page = await self._history.newest(session_id, _PAGE)
            trail: dict[CallId, tuple[Verdict, ...]] = {}
            for call_id, verdict in await self._history.decisions(session_id):
                trail[call_id] = (*trail.get(call_id, ()), verdict)
            entries = await self._entries_of(page.messages, trail, 0)
        except PlacetError as error:
            self._end_reading(question, error)
            return
        if question != self._asked:
            return
        self._is_reading = False
        self.beginResetModel()
        self.session, self._oldest, self._trail, self._entries = page.session, page, trail, entries
        self.endResetModel()
        self.loaded.emit()

    async def _read_older(self, session_id: SessionId, question: int) -> None:
        assert self._oldest is not None
        try:
            page = await self._history.older(session_id, self._oldest.messages[0].id, _PAGE)
            entries = await self._entries_of(page.messages, self._trail, 0)
        except PlacetError as error:
            self._end_reading(question, error)
            return
        if question != self._asked:
            return
        self._is_reading = False
        self._oldest = page if page.messages else msgspec.structs.replace(self._oldest, has_older=False)
        if entries:
            self.beginInsertRows(QModelIndex(), 0, len(entries) - 1)
            self._entries[:0] = entries
            self.endInsertRows()

    def _end_reading(self, question: int, error: PlacetError) -> None:
        if question == self._asked:
            self._is_reading = False
            self.failed.emit(error)

    async def _entries_of(
        self, messages: Sequence[Message], trail: dict[CallId, tuple[Verdict, ...]], depth: int
    ) -> list[Entry]:
        """The rows of a frame, those of each sub-agent behind the call that started it."""
        found: list[Entry] = []
        for message in messages:
            found.append(Entry(kind=EntryKind.MESSAGE, depth=depth, message=message))
            for call in message.calls:
                found.append(Entry(kind=EntryKind.CALL, depth=depth, call=call, trail=trail.get(call.id, ())))
                below = (await self._history.nested(call.id)).messages if call.name in DELEGATING else ()
                if below:
                    found.append(Entry(kind=EntryKind.AGENT, depth=depth + 1, call=call))
                    found += await self._entries_of(below, trail, depth + 1)
                    found.append(Entry(kind=EntryKind.AGENT_END, depth=depth + 1, call=call))
        return found


# ---- in words ----------------------------------------------------------------------------------------------------


def headline(entry: Entry) -> str:
    """One line: who, and how it begins."""
    call, message = entry.call, entry.message
    match entry.kind:
        case EntryKind.CALL if call is not None:
            return " ".join(f"{call.name} {call.label}".split())
        case EntryKind.AGENT:
            return "sub-agent begins"
        case EntryKind.AGENT_END:
            return "sub-agent ends"
    if message is None or message.unreadable:
        return "a damaged row"
    words = " ".join(message.content[:300].split())
    if not words and message.calls:
        words = "one call" if len(message.calls) == 1 else f"{len(message.calls)} calls"
    return f"{who(message)}: {words}"


def who(message: Message) -> str:
    if message.role is Role.ASSISTANT:
        return message.model or "assistant"
    name = "task" if message.role is Role.AGENT else "you"
    return f"{name}, not shown in the chat" if message.synthetic else name


def facts(entry: Entry) -> str:
    """A second line: state, size, tokens, and who decided."""
    if entry.call is not None and entry.kind is EntryKind.CALL:
        decided = "; ".join(verdict.because for verdict in entry.trail) or entry.call.decision
        return ", ".join(filter(None, (entry.call.status.value, decided)))
    message = entry.message
    if message is None:
        return ""
    told = [message.status.value] if message.status.value != "ok" else []
    if message.reasoning:
        told.append(f"{len(message.reasoning):,} characters of reasoning")
    if (usage := message.usage) is not None:
        cached = f", {usage.cached_tokens:,} of them cached" if usage.cached_tokens else ""
        told.append(f"{usage.input_tokens:,} tokens in{cached}, {usage.output_tokens:,} out")
    return ", ".join(told)


def whole(entry: Entry, at: Sequence[str]) -> str:
    """Everything of a row as text; `at` are its times in words: made, begun, ended."""
    return "\n\n".join(f"{name}\n{text}" for name, text in _parts(entry, at) if text)


def _parts(entry: Entry, at: Sequence[str]) -> Iterator[tuple[str, str]]:
    if (message := entry.message) is not None:
        yield "Row", f"{message.id}, {who(message)}, {message.status.value}, {at[0]}"
        yield "Text", message.content
        yield "As it was typed", message.typed
        yield "Reasoning", message.reasoning
        yield "Told to the model beside it", message.context_block
        yield "The provider's own blocks", message.parts
        yield "Numbers", facts(entry)
        yield "More", msgspec.json.encode(message.metadata).decode() if message.metadata else ""
    if (call := entry.call) is not None and entry.kind is EntryKind.CALL:
        yield "Call", f"{call.id}, {call.name}, {call.status.value}, {', '.join(filter(None, at))}"
        yield "Who decided", "\n".join(map(_decided, entry.trail)) or call.decision
        yield "Arguments", msgspec.json.format(call.arguments.encode(), indent=2).decode()
        yield "Result", call.result
        yield "Facts", msgspec.json.encode(call.facts).decode() if call.facts else ""


def _decided(verdict: Verdict) -> str:
    parts = [f"{verdict.action.value} by {verdict.by.value}: {verdict.because}"]
    if verdict.rule_id is not None:
        parts.append(f"rule {verdict.rule_id}")
    if verdict.digest:
        parts.append(f"on {verdict.digest[:16]}")
    if verdict.note:
        parts.append(f"changed: {verdict.note}")
    return ", ".join(parts)
