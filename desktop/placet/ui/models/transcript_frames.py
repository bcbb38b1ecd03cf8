"""The frames of a session: the root's conversation, and one for each sub-agent below the call that started it. Pure."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from placet.core.domain import events
from placet.core.domain.messages import HistoryPage, Role
from placet.ui.models.transcript_answers import Entry
from placet.ui.models.transcript_calls import CallMark
from placet.ui.models.transcript_conversation import Conversation
from placet.ui.models.transcript_events import tell
from placet.ui.models.transcript_flow_calls import is_agent
from placet.ui.models.transcript_rows import CallRow, CallState


class AgentFrame:
    """What one sub-agent does. `is_complete` says that all of it is known; else the store has to be read, and
    `is_missed` that this failed and is tried again only when a person wants to see it.

    `held` are its events while it is read, None otherwise. `is_known`: there is something to show meanwhile.
    `is_joined`: it was first read in the middle, so pieces may be missing; its end is the time to read it again.
    """

    def __init__(self, call_id: int, clock: Callable[[], float]) -> None:
        self.call_id = call_id
        self.conversation = Conversation(clock, is_nested=True)
        self.holder: Conversation | None = None  # of the frame that its call is in
        self.task = ""
        self.outcome = ""
        self.is_open = False
        self.is_complete = False
        self.is_missed = False
        self.is_known = False
        self.is_joined = False
        self.held: list[events.AnyEvent] | None = None
        self.stale: dict[int, Entry] = {}  # entries whose rows are made when they are looked at

    def entries(self) -> Iterator[Entry]:
        """All of its entries, with rows that are as they should be."""
        for entry in self.stale.values():
            entry.refresh()
        self.stale.clear()
        yield from self.conversation.entries


class Frames:
    """Sends each event to the frame it happened in, so that no frame's text is ever shown as another's."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self.root = Conversation(clock)
        self._agents: dict[int, AgentFrame] = {}
        self._announced: set[int] = set()  # calls whose beginning was seen
        self._wanted: list[int] = []
        self._marks: dict[int, CallMark] = {}

    # ---- looking -----------------------------------------------------------------------------------------------

    def agent(self, call_id: int) -> AgentFrame | None:
        return self._agents.get(call_id)

    def conversations(self) -> Iterator[Conversation]:
        yield self.root
        for frame in self._agents.values():
            yield frame.conversation

    def home_of(self, call_id: int) -> Conversation | None:
        """The frame that a call is in."""
        return next((one for one in self.conversations() if call_id in one.entries.by_call), None)

    def call(self, call_id: int) -> CallRow | None:
        home = self.home_of(call_id)
        calls = home.entries.by_call[call_id].calls() if home is not None else ()
        return next((call for call in calls if call.call_id == call_id), None)

    # ---- events ------------------------------------------------------------------------------------------------

    def apply(self, event: events.AnyEvent) -> bool:
        """Take an event; False where a transcript does not care."""
        if isinstance(event, events.ToolStart):
            self._announced.add(event.tool_call_id)
        call_id = getattr(event, "tool_call_id", None)
        home = self.home_of(call_id) if call_id is not None else None
        frame = self._frame_of(event, home)
        if frame is not None and frame.held is not None:
            frame.held.append(event)
            return False
        if isinstance(event, events.TurnRunning) and event.agent_call_id is None:
            self._set_running(event.running)
            return True
        if isinstance(event, events.AgentStart):
            self._start(event, home)
        elif isinstance(event, events.AgentDone):
            self._agent(event.tool_call_id).outcome = event.outcome
        elif isinstance(event, (events.ToolDone, events.ToolError, events.ToolCancelled, events.ToolRejected)):
            self._end(event)
        told = tell(home or (frame.conversation if frame is not None else self.root), event)
        return told or isinstance(event, (events.AgentStart, events.AgentDone))

    def _frame_of(self, event: events.AnyEvent, home: Conversation | None) -> AgentFrame | None:
        """The sub-agent an event belongs to, None for the root. What became of a known call belongs where it is."""
        if home is not None:
            return next((frame for frame in self._agents.values() if frame.conversation is home), None)
        if event.agent_call_id is None:
            return None
        frame = self._agent(event.agent_call_id)
        frame.conversation.running = True
        self.want(frame)
        return frame

    def _agent(self, call_id: int) -> AgentFrame:
        frame = self._agents.get(call_id)
        if frame is None:
            frame = self._agents[call_id] = AgentFrame(call_id, self._clock)
            frame.is_complete = call_id in self._announced
        return frame

    def _start(self, event: events.AgentStart, home: Conversation | None) -> None:
        """An agent that was announced has its turn now."""
        frame = self._agent(event.tool_call_id)
        if home is not None:
            now = self._clock()
            home.change_call(event.tool_call_id, "", lambda call: replace(call, started_at=now))
        frame.task, frame.outcome = event.prompt, ""
        frame.conversation.running = True
        self.want(frame)

    def _end(self, event: events.ToolDone | events.ToolError | events.ToolCancelled | events.ToolRejected) -> None:
        frame = self._agents.get(event.tool_call_id)
        if frame is not None:
            is_done = isinstance(event, events.ToolDone) and frame.outcome in ("", "done")
            frame.conversation.end_agent(event.result if isinstance(event, events.ToolDone) and is_done else None)
            frame.conversation.set_running(False)
            if frame.is_joined:
                self._read_again(frame)

    def _read_again(self, frame: AgentFrame) -> None:
        """It has ended, and the store has all of it; asked for when it is seen."""
        frame.is_joined = frame.is_complete = False
        if frame.is_open:
            self.want(frame)

    def _set_running(self, running: bool) -> None:
        self.root.set_running(running)
        for frame in self._agents.values():
            call = self.call(frame.call_id)
            if not running or (call is not None and not call.state.is_final):
                frame.conversation.set_running(running)

    # ---- the store ---------------------------------------------------------------------------------------------

    def load(self, page: HistoryPage, running: bool | None) -> None:
        """Begin anew with a page of the root frame."""
        self.clear()
        if running is not None:
            self.root.running = running
        self.root.load(page)
        self._want_running(self.root)

    def clear(self) -> None:
        self.root.clear()
        self._agents.clear()
        self._announced.clear()
        self._wanted.clear()
        self._marks.clear()

    def take_wanted(self) -> list[int]:
        """Calls whose frames have to be read from the store, each once."""
        wanted, self._wanted = self._wanted, []
        return wanted

    def want(self, frame: AgentFrame) -> bool:
        """Have a frame read unless all of it is known; whether it has to be waited for."""
        if not frame.is_complete and not frame.is_missed and frame.held is None:
            frame.held = []
            self._wanted.append(frame.call_id)
        return frame.held is not None

    def unfold(self, call_id: int, is_open: bool) -> None:
        """Show or hide a frame's rows; one that is not known is read first."""
        frame = self._agent(call_id)
        frame.is_open = is_open
        if is_open:
            frame.is_missed = False
            self.want(frame)
        self.touch_holder(frame)

    def add_nested(self, call_id: int, page: HistoryPage | None) -> None:
        """Take a frame as the store has it, then what happened meanwhile; None: it could not be read."""
        frame = self._agents.get(call_id)
        if frame is None or frame.held is None:
            return
        held, frame.held = frame.held, None
        frame.is_complete, frame.is_missed = page is not None, page is None
        frame.is_known = frame.is_known or page is not None
        if page is not None:
            self._load(frame, page)
        elif not frame.conversation.entries.last_message():
            frame.is_open = False
        for event in _untold(held, frame.conversation.entries.by_id):
            self.apply(event)
        if (call := self.call(call_id)) is not None and call.state.is_final:
            frame.conversation.end_agent(call.result if call.state is CallState.DONE else None)
            if held and page is not None:
                self._read_again(frame)
        self.touch_holder(frame)

    def _load(self, frame: AgentFrame, page: HistoryPage) -> None:
        call, conversation = self.call(frame.call_id), frame.conversation
        conversation.running = self.root.running and (call is None or not call.state.is_final)
        frame.is_joined = conversation.running
        conversation.load(page)
        conversation.mark_calls(self._marks)
        asked = (row.content for row in page.messages if row.role is Role.AGENT)
        frame.task = frame.task or next(asked, "")
        frame.stale.clear()
        self._want_running(conversation)

    def _want_running(self, conversation: Conversation) -> None:
        """Sub-agents that have not ended are read at once: their line tells what they do."""
        for entry in conversation.entries.newest_first():
            for call in entry.calls():
                if is_agent(call) and not call.state.is_final and call.started_at is not None:
                    self.want(self._agent(call.call_id))

    def mark_calls(self, marks: Mapping[int, CallMark]) -> None:
        """Calls of frames that are read later get their marks then."""
        self._marks.update(marks)
        for conversation in self.conversations():
            conversation.mark_calls(marks)

    # ---- what looks different now ------------------------------------------------------------------------------

    def take_touched(self) -> list[Entry]:
        """The root's entries that look different now, themselves or in what hangs below them."""
        for frame in list(self._agents.values()):
            if touched := frame.conversation.entries.take_touched():
                frame.stale.update((id(entry), entry) for entry in touched)
                self.touch_holder(frame)
        touched = self.root.entries.take_touched()
        for entry in touched:
            entry.refresh()
        return touched

    def touch_holder(self, frame: AgentFrame) -> None:
        """Mark the root's entry that this frame hangs below."""
        above: AgentFrame | None = frame
        while above is not None:
            frame, holder = above, above.holder
            if holder is None or frame.call_id not in holder.entries.by_call:
                holder = frame.holder = self.home_of(frame.call_id)
            if holder is None:
                return
            above = next((one for one in self._agents.values() if one.conversation is holder), None)
        self.root.entries.touch(self.root.entries.by_call[frame.call_id])


_PIECES = (events.TextDelta, events.ReasoningDelta, events.ToolArgsDelta)


def _untold(held: list[events.AnyEvent], known: Mapping[int, Entry]) -> Iterator[events.AnyEvent]:
    """The held events without the streamed pieces of answers that the store already had."""
    told = (at for at in reversed(range(len(held))) if getattr(held[at], "message_id", None) in known)
    last = next(told, -1)
    for at, event in enumerate(held):
        if at > last or not isinstance(event, _PIECES):
            yield event
