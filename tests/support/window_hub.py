"""A hub in memory for tests of the window: it has sessions, a catalogue and requests, and records what it is asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from placet.core.commands.shelf import CommandShelf
from placet.core.domain import events
from placet.core.domain.costs import CostInfo
from placet.core.domain.diff import FileDiff
from placet.core.domain.errors import NoModel, PlacetError, UnknownItem
from placet.core.domain.events import (
    AnyEvent,
    ApprovalResolved,
    Envelope,
    Lagged,
    NewSession,
    PendingWrite,
    SessionChanged,
    TurnRunning,
    UserMessage,
)
from placet.core.domain.ids import CallId, ChangeId, FrameId, MessageId, RequestId, SessionId
from placet.core.domain.messages import HistoryPage, Message, Mode, Role, RunContext, SearchHit, Session
from placet.core.domain.model_calls import ContextInfo, Model, ModelTest, Provider
from placet.core.domain.notifications import Notification
from placet.core.domain.review import (
    Amendment,
    Bypass,
    BypassGrant,
    Change,
    PendingRequest,
    RequestKind,
    RevertOutcome,
    ReviewNotes,
)
from placet.core.domain.undo import ChangedFile, FileUndo, UndoWish
from placet.core.hub.commands import Commands
from support.fake_agents import FakeAgents
from support.window_proposals import FakeProposals
from support.window_rules import FakeRules

NOWHERE = Path("/nowhere")


class Stream:
    """A subscription fed by `WindowHub.emit`."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[Envelope] = asyncio.Queue()
        self.is_closed = False

    def put(self, envelope: Envelope) -> None:
        self._queue.put_nowait(envelope)

    async def __aiter__(self) -> AsyncIterator[Envelope]:
        while True:
            yield await self._queue.get()

    def close(self) -> None:
        self.is_closed = True


class History:
    def __init__(self, hub: WindowHub) -> None:
        self._hub = hub
        self.searched: list[str] = []
        self.hits: list[SearchHit] = []
        self.frames: dict[CallId, HistoryPage] = {}

    async def sessions(
        self,
        *,
        source: str = "",
        archived: bool | None = None,
        pinned_first: bool = False,
        page: int = 1,
        per_page: int = 20,
    ) -> tuple[Sequence[Session], int]:
        rows = sorted(self._hub.rows.values(), key=lambda row: row.last_activity, reverse=True)
        return rows[(page - 1) * per_page : page * per_page], len(rows)

    async def session(self, session_id: SessionId) -> Session:
        return self._hub.row(session_id)

    async def newest(self, session_id: SessionId, limit: int = 60) -> HistoryPage:
        await self._hub.pause()
        rows = self._hub.messages.get(session_id, [])
        return HistoryPage(
            session=self._hub.row(session_id), messages=tuple(rows[-limit:]), has_older=len(rows) > limit
        )

    async def older(self, session_id: SessionId, before: MessageId, limit: int = 60) -> HistoryPage:
        rows = [row for row in self._hub.messages[session_id] if row.id < before]
        return HistoryPage(
            session=self._hub.row(session_id), messages=tuple(rows[-limit:]), has_older=len(rows) > limit
        )

    async def nested(self, call_id: CallId) -> HistoryPage:
        if call_id not in self.frames:
            raise UnknownItem("There is no such call.")
        return self.frames[call_id]

    async def search(self, text: str, *, page: int = 1, per_page: int = 20) -> tuple[Sequence[SearchHit], int]:
        self.searched.append(text)
        found = [hit for hit in self.hits if text in hit.snippet]
        return found, len(found)

    async def rename(self, session_id: SessionId, title: str) -> None:
        self._hub.change(session_id, title=title)
        self._hub.emit(session_id, SessionChanged(session_id=session_id))


class Changes:
    """Plans nothing but `plans`; `wishes` keeps what was asked for."""

    def __init__(self) -> None:
        self.plans: list[FileUndo] = []
        self.wishes: list[UndoWish] = []

    async def changes(
        self, session_id: SessionId | None = None, *, page: int = 1, per_page: int = 20
    ) -> tuple[Sequence[Change], int]:
        return (), 0

    async def diff(self, change_id: ChangeId) -> FileDiff:
        raise UnknownItem("There is no such change.")

    async def revert(self, change_ids: Sequence[ChangeId]) -> Sequence[RevertOutcome]:
        return ()

    async def revert_turn(self, message_id: MessageId) -> Sequence[RevertOutcome]:
        return ()

    async def files(
        self, session_id: SessionId | None = None, *, text: str = "", page: int = 1, per_page: int = 100
    ) -> tuple[Sequence[ChangedFile], int]:
        return (), 0

    async def plan_undo(self, wish: UndoWish) -> Sequence[FileUndo]:
        self.wishes.append(wish)
        return self.plans


class Catalogue:
    def __init__(self) -> None:
        self.by_name: dict[str, Provider] = {}
        self.by_model: dict[str, Model] = {}
        self.keys: dict[str, str] = {}
        self.here: list[Provider] = []
        self.lists: dict[str, list[str]] = {}
        self.refusal: PlacetError | None = None
        self.tests: dict[str, ModelTest] = {}

    async def providers(self) -> Sequence[Provider]:
        return list(self.by_name.values())

    async def models(self) -> Sequence[Model]:
        return list(self.by_model.values())

    async def save_provider(self, provider: Provider, key: str | None = None) -> None:
        self.by_name[provider.name] = provider
        if key is not None:
            self.keys[provider.name] = key

    async def remove_provider(self, name: str) -> None:
        self.by_name.pop(name)

    async def save_model(self, model: Model) -> None:
        self.by_model[model.name] = model

    async def remove_model(self, name: str) -> None:
        self.by_model.pop(name)

    async def test(self, model_name: str) -> ModelTest:
        return self.tests.get(model_name) or ModelTest(model=model_name, works=True, first_token_ms=412)

    async def offered(self, provider: Provider, key: str | None = None) -> Sequence[str]:
        if self.refusal is not None:
            raise self.refusal
        return self.lists.get(provider.name, [])

    async def found_here(self) -> Sequence[Provider]:
        return self.here

    async def keys_note(self) -> str:
        return "Keys are kept in the system's keychain."


class WindowHub:
    """Verbs are recorded in `calls` as (name, arguments). `gate`, when set, holds loads until it is opened."""

    def __init__(self) -> None:
        self.history = History(self)
        self.changes = Changes()
        self.catalogue = Catalogue()
        self.agents = FakeAgents()
        self.rules = FakeRules(self)
        self.proposals = FakeProposals(self)
        self.rows: dict[SessionId, Session] = {}
        self.messages: dict[SessionId, list[Message]] = {}
        self.active: dict[str, SessionId] = {}
        self.running: set[SessionId] = set()
        self.waiting: list[PendingRequest] = []
        self.bypass_items: list[Bypass] = []
        self.diffs: dict[RequestId, FileDiff] = {}
        self.streams: list[Stream] = []
        self.calls: list[tuple[str, Any]] = []
        self.queue: list[str] = []
        self.left: list[str] = []  # queued when the program ended last
        self.gate: asyncio.Event | None = None
        self.troubles: list[str] = []
        self.own_commands = NOWHERE
        self._seq = 0

    @property
    def commands(self) -> Commands:
        """The real ones, on this hub."""
        shelf = CommandShelf(NOWHERE, self.own_commands)
        return Commands(self, shelf, active_session=self.register, max_rounds=20)

    # ---- what a test sets up -------------------------------------------------------------------------------------

    def add_session(self, session_id: str, **facts: Any) -> SessionId:
        facts.setdefault("context", RunContext(workdir="/home/ada/src/mdlite"))
        row = Session(id=SessionId(session_id), **facts)
        self.rows[row.id] = row
        return row.id

    def add_message(self, session_id: SessionId, role: Role, content: str, **facts: Any) -> Message:
        rows = self.messages.setdefault(session_id, [])
        number = MessageId(sum(map(len, self.messages.values())) + 1)
        row = Message(id=number, frame_id=FrameId(1), role=role, content=content, **facts)
        rows.append(row)
        self.change(session_id, messages=len(rows))
        return row

    def change(self, session_id: SessionId, **facts: Any) -> None:
        self.rows[session_id] = msgspec.structs.replace(self.rows[session_id], **facts)

    def emit(self, session_id: SessionId | None, event: AnyEvent, source: str = "desktop") -> None:
        self._seq += 1
        for stream in self.streams:
            stream.put(Envelope(source=source, session_id=session_id, seq=self._seq, event=event))

    def lose_events(self) -> None:
        self.emit(None, Lagged(missed=7))

    def set_running(self, session_id: SessionId, running: bool) -> None:
        (self.running.add if running else self.running.discard)(session_id)
        self.emit(session_id, TurnRunning(running=running))

    def row(self, session_id: SessionId) -> Session:
        if session_id not in self.rows:
            raise UnknownItem("There is no such chat.")
        return self.rows[session_id]

    def take_up(self, call_id: CallId) -> RequestId:
        """A person's own request, as `proposals.again` makes one."""
        session_id = self.active["desktop"]
        number = RequestId(f"own {call_id}")
        request = PendingRequest(
            id=number, session_id=session_id, call_id=call_id, kind=RequestKind.WRITE, tool="edit_file", label="a",
            detail="a", because="you", added=1, removed=1, is_own=True,
        )  # fmt: skip
        self.waiting.append(request)
        self.diffs[number] = FileDiff(path="/w/a", hunks=(), unchanged_after=0, added=1, removed=1)
        told = PendingWrite(
            request_id=number, tool_call_id=call_id, name="edit_file", path="/w/a", old_content="", new_content="", is_own=True,
            added=1, removed=1,
        )  # fmt: skip
        self.emit(session_id, told)
        return number

    def asked(self, name: str) -> list[Any]:
        return [arguments for verb, arguments in self.calls if verb == name]

    async def pause(self) -> None:
        if self.gate is not None:
            await self.gate.wait()

    # ---- HubApi --------------------------------------------------------------------------------------------------

    def events(self) -> Stream:
        self.streams.append(Stream())
        return self.streams[-1]

    def is_running(self, session_id: SessionId) -> bool:
        return session_id in self.running

    def queued(self, source: str) -> Sequence[str]:
        return list(self.queue)

    def problems(self) -> Sequence[str]:
        return [*self.troubles, *self.agents.problems()]

    async def register(self, source: str) -> SessionId:
        if source not in self.active:
            self.active[source] = self.add_session(f"new{len(self.rows)}")
        return self.active[source]

    async def send_message(
        self,
        source: str,
        text: str,
        *,
        attachments: Sequence[str] = (),
        typed: str = "",
        tools: tuple[str, ...] | None = None,
    ) -> None:
        self.calls.append(("send_message", text))
        if not self.catalogue.by_model:
            raise NoModel("No model is configured.", hint="Add one in Settings, Providers and models.")
        session_id = self.active[source]
        if session_id in self.running:
            self.queue.append(typed or text)
            return
        message = self.add_message(session_id, Role.USER, text, metadata={"typed": typed} if typed else {})
        self.emit(session_id, UserMessage(message_id=message.id, content=text, typed=typed))
        self.set_running(session_id, True)

    async def interrupt_and_send(self, source: str, text: str, *, attachments: Sequence[str] = ()) -> None:
        self.calls.append(("interrupt_and_send", text))
        message = self.add_message(self.active[source], Role.USER, text)
        self.emit(self.active[source], UserMessage(message_id=message.id, content=text))

    async def take_drafts(self, source: str) -> Sequence[str]:
        texts, self.left = self.left, []
        return texts

    async def notify(self, notification: Notification) -> None:
        self.emit(None, events.Notification(summary=notification.summary))

    async def home(self) -> str:
        return "desktop"

    async def set_home(self, source: str) -> None:
        self.calls.append(("set_home", source))

    async def cost_info(self, session_id: SessionId) -> CostInfo:
        return CostInfo()

    async def drop_queued(self, source: str, index: int) -> str:
        self.calls.append(("drop_queued", index))
        return self.queue.pop(index)

    async def cancel(self, source: str) -> Sequence[str]:
        self.calls.append(("cancel", source))
        texts, self.queue = self.queue, []
        self.set_running(self.active[source], False)
        return texts

    async def resume(self, session_id: SessionId) -> None:
        self.calls.append(("resume", session_id))

    async def clear(self, source: str) -> SessionId:
        self.calls.append(("clear", source))
        previous = self.active.get(source)
        self.active[source] = self.add_session(f"new{len(self.rows)}")
        self.emit(self.active[source], NewSession(session_id=self.active[source], previous=previous))
        return self.active[source]

    async def continue_session(self, source: str, session_id: SessionId) -> None:
        self.calls.append(("continue_session", session_id))
        previous, self.active[source] = self.active.get(source), session_id
        self.emit(session_id, NewSession(session_id=session_id, previous=previous))

    async def approve(
        self,
        request_id: RequestId,
        *,
        amendment: Amendment | None = None,
        bypass: BypassGrant | None = None,
        shown: str = "",
    ) -> None:
        self.calls.append(("approve", request_id))
        self._resolve(request_id, "approved")

    async def reject(self, request_id: RequestId, note: str = "") -> None:
        self.calls.append(("reject", (request_id, note)))
        self._resolve(request_id, "rejected")

    async def resolve_question(self, request_id: RequestId, answer: str) -> None:
        self.calls.append(("resolve_question", (request_id, answer)))
        self._resolve(request_id, "answered")

    def _resolve(self, request_id: RequestId, decision: str) -> None:
        request = next(item for item in self.waiting if item.id == request_id)
        self.waiting.remove(request)
        self.change(request.session_id, waiting=self.row(request.session_id).waiting - 1)
        event = ApprovalResolved(request_id=request_id, tool_call_id=CallId(request.call_id), decision=decision)
        self.emit(request.session_id, event)

    async def pending(self, session_id: SessionId | None = None) -> Sequence[PendingRequest]:
        return [item for item in self.waiting if session_id in (None, item.session_id)]

    async def bypasses(self, session_id: SessionId) -> Sequence[Bypass]:
        return [bypass for bypass in self.bypass_items if bypass.session_id == session_id]

    async def remove_bypass(self, bypass_id: int) -> None:
        self.calls.append(("remove_bypass", bypass_id))
        self.bypass_items = [bypass for bypass in self.bypass_items if bypass.id != bypass_id]

    def keep_notes(self, request_id: RequestId, notes: ReviewNotes) -> None:
        self.waiting = [
            msgspec.structs.replace(item, notes=notes) if item.id == request_id else item for item in self.waiting
        ]

    async def request_diff(self, request_id: RequestId, amendment: Amendment | None = None) -> FileDiff:
        if request_id not in self.diffs:
            raise UnknownItem("There is no such request.")
        return self.diffs[request_id]

    async def request_diff_together(self, request_ids: Sequence[RequestId]) -> FileDiff:
        return [await self.request_diff(each) for each in request_ids][-1]

    async def select_model(self, source: str, name: str) -> None:
        self.calls.append(("select_model", name))
        self.change(self.active[source], model=name)

    async def select_agent(self, source: str, agent_id: str) -> None:
        self.calls.append(("select_agent", agent_id))
        agent = self.agents.get(agent_id)
        self.change(self.active[source], agent=agent.id)
        self.emit(self.active[source], SessionChanged(session_id=self.active[source]))

    async def set_policy(
        self,
        source: str,
        *,
        mode: Mode | None = None,
        workdir: str | None = None,
        max_rounds: int | msgspec.UnsetType | None = msgspec.UNSET,
    ) -> None:
        self.calls.append(("set_policy", mode if mode is not None else workdir))
        session_id = self.active[source]
        context = self.row(session_id).context
        if mode is not None:
            context = msgspec.structs.replace(context, mode=mode)
        if workdir is not None:
            context = msgspec.structs.replace(context, workdir=workdir)
        if max_rounds is not msgspec.UNSET:
            context = msgspec.structs.replace(context, max_rounds=max_rounds)
        self.change(session_id, context=context)
        self.emit(session_id, SessionChanged(session_id=session_id))

    async def context_info(self, session_id: SessionId) -> ContextInfo:
        if not self.catalogue.by_model:
            raise NoModel("No model is configured.")
        return ContextInfo(used=72_000, budget=180_000, window=200_000, reserved=20_000)
