"""Several sub-agents at once, in any order of events: each frame keeps its own, and the store says the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QCoreApplication

from placet.core.domain import events
from placet.core.domain.events import AnyEvent, Envelope
from placet.core.domain.ids import CallId, FrameId, MessageId, SessionId
from placet.core.domain.messages import CallStatus, HistoryPage, Message, Role, Session, ToolCall
from placet.ui.models.transcript import TranscriptModel
from placet.ui.models.transcript_rows import AnyRow, CodeRow, LedgerRow, NestedRow, ProseRow, ReasoningRow

SESSION = SessionId("s")
TOOLS = ("read_file", "grep", "write_todos")
TODOS = [{"content": "one", "status": "completed"}, {"content": "two", "status": "in_progress"}]


class World:
    """What the core would do: events in one order, and the rows that are stored as they happen."""

    def __init__(self, data: st.DataObject) -> None:
        self.data = data
        self.frames: dict[int, list[Message]] = {0: [_user(1)]}  # by the call that started the frame
        self.running = [self._root()]
        self._numbers = 1

    def number(self) -> int:
        self._numbers += 1
        return self._numbers

    def next(self) -> AnyEvent | None:
        """Let one of the frames that can go on take a step."""
        while self.running:
            at = self.data.draw(st.integers(0, len(self.running) - 1))
            try:
                return next(self.running[at])
            except StopIteration:
                self.running.pop(at)
        return None

    def page(self, call_id: int) -> HistoryPage:
        return HistoryPage(session=Session(id=SESSION), messages=tuple(self.frames[call_id]))

    # ---- what one frame does -----------------------------------------------------------------------------------

    def _root(self) -> Iterator[AnyEvent]:
        yield events.TurnRunning(running=True)
        yield events.UserMessage(message_id=MessageId(1), content="go")
        for event in self._frame(0, 0):
            yield msgspec.structs.replace(event, agent_call_id=event.agent_call_id or None)
        yield events.TurnRunning(running=False)

    def _frame(self, frame: int, depth: int) -> Iterator[AnyEvent]:
        """Rounds with text and calls, then a last text; sub-agents run beside one another."""
        for _ in range(self.data.draw(st.integers(0, 2))):
            yield from self._round(frame, depth)
        text = f"Last **words** of frame{frame}.\n\n- one\n- two"
        yield from self._stream(frame, text)
        self._store(frame, _answer(self.number(), text))
        if frame == 0:
            yield events.Done(message_id=self.frames[0][-1].id, content=text)

    def _round(self, frame: int, depth: int) -> Iterator[AnyEvent]:
        text = f"frame{frame} says `x`."
        yield from self._stream(frame, text)
        message = self.number()
        names = [self.data.draw(st.sampled_from(TOOLS)) for _ in range(self.data.draw(st.integers(1, 2)))]
        if depth < 2 and self.data.draw(st.booleans()):
            names = ["execute_task"] * self.data.draw(st.integers(1, 3))
        calls = tuple(self._call(message, name) for name in names)
        self._store(frame, _answer(message, text, *calls))
        yield self._in(frame, events.Thinking(message_id=MessageId(message), content=text))
        for call in calls:
            yield self._in(frame, _started(call))
        if names[0] == "execute_task":
            yield from self._batch(frame, depth, calls)
            return
        for call in calls:
            self._end(frame, call, "ok")
            yield self._in(frame, _done(call, "ok"))

    def _batch(self, frame: int, depth: int, calls: tuple[ToolCall, ...]) -> Iterator[AnyEvent]:
        left = [self._agent(frame, depth, call) for call in calls]
        while left:
            at = self.data.draw(st.integers(0, len(left) - 1))
            try:
                yield next(left[at])
            except StopIteration:
                left.pop(at)

    def _agent(self, frame: int, depth: int, call: ToolCall) -> Iterator[AnyEvent]:
        self._change(frame, call.id, started_at=2.0)
        self.frames[call.id] = [_asked(self.number())]
        told = {"tool_call_id": call.id, "agent_id": f"agent{call.id}", "depth": depth + 1}
        yield self._in(frame, events.AgentStart(**told, prompt="look"))
        yield from self._frame(call.id, depth + 1)
        yield self._in(frame, events.AgentDone(**told, outcome="done"))
        result = self.frames[call.id][-1].content
        self._end(frame, call, result)
        yield self._in(frame, _done(call, result))

    def _stream(self, frame: int, text: str) -> Iterator[AnyEvent]:
        for at in range(0, len(text), 25):
            yield self._in(frame, events.TextDelta(text=text[at : at + 25]))

    @staticmethod
    def _in(frame: int, event: AnyEvent) -> AnyEvent:
        return msgspec.structs.replace(event, agent_call_id=CallId(frame) if frame else None)

    # ---- rows --------------------------------------------------------------------------------------------------

    def _call(self, message: int, name: str) -> ToolCall:
        number = self.number()
        given: dict[str, Any] = {"todos": TODOS} if name == "write_todos" else {}
        if name == "execute_task":
            given = {"agent": f"agent{number}", "task": "look"}
        return ToolCall(
            id=CallId(number), message_id=MessageId(message), provider_id=f"c{number}", name=name, label="label",
            arguments=msgspec.json.encode(given).decode(),
            started_at=None if name == "execute_task" else 1.0,
        )  # fmt: skip

    def _store(self, frame: int, message: Message) -> None:
        self.frames[frame].append(message)

    def _end(self, frame: int, call: ToolCall, result: str) -> None:
        self._change(frame, call.id, status=CallStatus.DONE, result=result, ended_at=3.0)

    def _change(self, frame: int, call_id: int, **values: Any) -> None:
        for at, message in enumerate(self.frames[frame]):
            calls = tuple(
                msgspec.structs.replace(call, **values) if call.id == call_id else call for call in message.calls
            )
            self.frames[frame][at] = msgspec.structs.replace(message, calls=calls)


def _user(number: int) -> Message:
    return Message(id=MessageId(number), frame_id=FrameId(1), role=Role.USER, content="go")


def _asked(number: int) -> Message:
    return Message(id=MessageId(number), frame_id=FrameId(2), role=Role.AGENT, content="look")


def _answer(number: int, text: str, *calls: ToolCall) -> Message:
    return Message(id=MessageId(number), frame_id=FrameId(1), role=Role.ASSISTANT, content=text, calls=calls)


def _started(call: ToolCall) -> AnyEvent:
    given = msgspec.json.decode(call.arguments)
    return events.ToolStart(
        tool_call_id=call.id, message_id=call.message_id, name=call.name, arguments=given, label="label", detail=""
    )


def _done(call: ToolCall, result: str) -> AnyEvent:
    return events.ToolDone(tool_call_id=call.id, name=call.name, result=result)


def _tell(model: TranscriptModel, event: AnyEvent) -> None:
    model.apply(Envelope(source="desktop", session_id=SESSION, seq=0, event=event))


def _open_all(model: TranscriptModel, world: World) -> None:
    """Open every sub-agent from the top down, each as soon as its call can be seen."""
    for call_id in sorted(world.frames):
        if call_id:
            model.toggle_agent(call_id)


def _serve(model: TranscriptModel, world: World) -> None:
    model.nested_wanted.connect(lambda call_id: model.add_nested(call_id, world.page(call_id)))


def _check(rows: list[AnyRow]) -> None:
    """Words of a frame stand only in rows of its own."""
    for row in rows:
        inner, owner = (row.inner, row.agent.removeprefix("agent")) if isinstance(row, NestedRow) else (row, "0")
        if isinstance(inner, (ProseRow, CodeRow, ReasoningRow)) and "frame" in inner.source:
            assert f"frame{owner}" in inner.source, rows


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_t_4_no_frame_shows_the_words_of_another(qapp: QCoreApplication, data: st.DataObject) -> None:
    world, model = World(data), TranscriptModel()
    opened = set[int]()
    while (event := world.next()) is not None:
        _tell(model, event)
        if isinstance(event, events.AgentStart) and data.draw(st.booleans()):
            model.toggle_agent(event.tool_call_id)
            opened.add(event.tool_call_id)
        model.flush()
        _check(model.rows)
    for index in range(model.message_count()):
        assert "frame" not in model.plain_text(index).replace("frame0", "")
    for call_id in sorted(set(world.frames) - opened - {0}):
        model.toggle_agent(call_id)
    loaded = TranscriptModel()
    _serve(loaded, world)
    loaded.load(world.page(0), running=False)
    _open_all(loaded, world)
    assert model.rows == loaded.rows
    assert sum(isinstance(row, LedgerRow) for row in model.rows) or len(world.frames) == 1 or not world.frames[0][1:]


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_s_7_a_window_that_begins_to_look_in_the_middle_ends_with_the_same_rows(
    qapp: QCoreApplication, data: st.DataObject
) -> None:
    world, model = World(data), TranscriptModel()
    begins = data.draw(st.integers(0, 40))
    wanted = list[int]()
    model.nested_wanted.connect(wanted.append)
    told = 0
    while (event := world.next()) is not None:
        if told == begins:
            model.load(world.page(0), running=True)  # what the event tells may be stored already
        if told >= begins:
            _tell(model, event)
        if wanted and data.draw(st.booleans()):
            call_id = wanted.pop(0)
            model.add_nested(call_id, world.page(call_id))
        told += 1
    if told <= begins:
        return
    while wanted:
        call_id = wanted.pop(0)
        model.add_nested(call_id, world.page(call_id))
    loaded = TranscriptModel()
    for one in (model, loaded):
        _serve(one, world)
    loaded.load(world.page(0), running=False)
    for one in (model, loaded):
        _open_all(one, world)
        _check(one.rows)
    assert model.rows == loaded.rows
