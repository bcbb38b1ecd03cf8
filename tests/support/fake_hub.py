"""A hub in memory for tests of panels: the same verbs, the same errors, the same order of events as the real one.

Tests fill its lists and read its records (`decided`, `sent`); nothing happens that a verb of `HubApi` did not ask for.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

import msgspec

from placet.core.domain import events
from placet.core.domain.costs import CostInfo
from placet.core.domain.diff import FileDiff
from placet.core.domain.errors import NoModel, PlacetError, UnknownItem
from placet.core.domain.events import (
    AgentQuestion,
    AnyEvent,
    ApprovalRequired,
    ApprovalResolved,
    Envelope,
    NewSession,
    PendingCommand,
    PendingWrite,
    PreviewStale,
    SessionChanged,
    TurnRunning,
)
from placet.core.domain.ids import CallId, MessageId, RequestId, SessionId
from placet.core.domain.messages import HistoryPage, Message, Mode, SearchHit, Session
from placet.core.domain.model_calls import ContextInfo, Model, ModelTest, Provider
from placet.core.domain.notifications import Notification
from placet.core.domain.review import (
    Amendment,
    Bypass,
    BypassGrant,
    ChosenHunks,
    EditableText,
    EditedText,
    PendingRequest,
    RequestKind,
    ReviewNotes,
)
from placet.core.review.choosing import with_hunks
from placet.core.review.diffing import diff_contents
from support.fake_agents import FakeAgents


class FakeSubscription:
    def __init__(self, listeners: list[FakeSubscription]) -> None:
        self._queue: asyncio.Queue[Envelope | None] = asyncio.Queue()
        self._listeners = listeners
        listeners.append(self)

    def put(self, envelope: Envelope | None) -> None:
        self._queue.put_nowait(envelope)

    async def __aiter__(self) -> AsyncIterator[Envelope]:
        while (envelope := await self._queue.get()) is not None:
            yield envelope

    def close(self) -> None:
        if self in self._listeners:
            self._listeners.remove(self)
            self.put(None)


def page_of(items: Sequence[object], page: int, per_page: int) -> list:
    return list(items[(page - 1) * per_page : page * per_page])


class FakeHistory:
    def __init__(self) -> None:
        self.items: dict[SessionId, Session] = {}
        self.messages: dict[SessionId, list[Message]] = {}
        self.frames: dict[CallId, HistoryPage] = {}

    async def sessions(self, *, source: str = "", page: int = 1, per_page: int = 20) -> tuple[Sequence[Session], int]:
        found = [s for s in self.items.values() if not source or s.source == source]
        found.sort(key=lambda s: s.last_activity, reverse=True)
        return page_of(found, page, per_page), len(found)

    async def session(self, session_id: SessionId) -> Session:
        if session_id not in self.items:
            raise UnknownItem(f"There is no session {session_id}.")
        return self.items[session_id]

    async def newest(self, session_id: SessionId, limit: int = 60) -> HistoryPage:
        rows = self.messages.get(session_id, [])
        return HistoryPage(
            session=await self.session(session_id), messages=tuple(rows[-limit:]), has_older=len(rows) > limit
        )

    async def older(self, session_id: SessionId, before: MessageId, limit: int = 60) -> HistoryPage:
        rows = [m for m in self.messages.get(session_id, []) if m.id < before]
        return HistoryPage(
            session=await self.session(session_id), messages=tuple(rows[-limit:]), has_older=len(rows) > limit
        )

    async def nested(self, call_id: CallId) -> HistoryPage:
        if call_id not in self.frames:
            raise UnknownItem(f"There is no tool call {call_id}.")
        return self.frames[call_id]

    async def search(self, text: str, *, page: int = 1, per_page: int = 20) -> tuple[Sequence[SearchHit], int]:
        hits = [
            SearchHit(
                session_id=session_id,
                message_id=message.id,
                kind=message.role,
                snippet=message.content,
                created_at=message.created_at,
            )
            for session_id, rows in self.messages.items()
            for message in rows
            if text.lower() in message.content.lower()
        ]
        return page_of(hits, page, per_page), len(hits)

    async def rename(self, session_id: SessionId, title: str) -> None:
        self.items[session_id] = msgspec.structs.replace(await self.session(session_id), title=title)


class FakeCatalogue:
    def __init__(self) -> None:
        self.provider_items: dict[str, Provider] = {}
        self.model_items: dict[str, Model] = {}
        self.keys: dict[str, str] = {}
        self.tests: dict[str, ModelTest] = {}
        self.offers: dict[str, Sequence[str]] = {}

    async def providers(self) -> Sequence[Provider]:
        return list(self.provider_items.values())

    async def models(self) -> Sequence[Model]:
        return list(self.model_items.values())

    async def save_provider(self, provider: Provider, key: str | None = None) -> None:
        self.provider_items[provider.name] = provider
        if key is not None:
            self.keys[provider.name] = key

    async def remove_provider(self, name: str) -> None:
        del self.provider_items[name]

    async def save_model(self, model: Model) -> None:
        self.model_items[model.name] = model

    async def remove_model(self, name: str) -> None:
        del self.model_items[name]

    async def test(self, model_name: str) -> ModelTest:
        return self.tests.get(model_name, ModelTest(model=model_name, works=True, first_token_ms=120.0))

    async def offered(self, provider: Provider, key: str | None = None) -> Sequence[str]:
        return self.offers.get(provider.name, ())

    async def found_here(self) -> Sequence[Provider]:
        return ()

    async def keys_note(self) -> str:
        return "Keys are kept in the system's keychain."


class FakeHub:
    """`refusals` maps a verb's name to the error that it raises once; `hold` keeps answers back until it is set."""

    def __init__(self) -> None:
        self.history = FakeHistory()
        self.catalogue = FakeCatalogue()
        self.agents = FakeAgents()
        self.requests: list[PendingRequest] = []
        self.diffs: dict[RequestId, FileDiff] = {}
        self.decided: list[tuple[RequestId, str, str]] = []  # request, approved or rejected, note
        self.amendments: dict[RequestId, Amendment] = {}
        self.grants: dict[RequestId, BypassGrant] = {}
        self.contents: dict[RequestId, tuple[str, str]] = {}  # old and new side, for an editor
        self.texts: dict[RequestId, EditableText] = {}
        self.bypass_items: list[Bypass] = []
        self.sent: list[tuple[str, str, tuple[str, ...]]] = []
        self.refusals: dict[str, PlacetError] = {}
        self.running: set[SessionId] = set()
        self.hold = asyncio.Event()
        self.hold.set()
        self._active: dict[str, SessionId] = {}
        self._queued: dict[str, list[str]] = {}
        self._home = "desktop"
        self._listeners: list[FakeSubscription] = []
        self._seq: dict[SessionId | None, int] = {}

    # ---- for tests -----------------------------------------------------------------------------------------------

    def emit(self, event: AnyEvent, session_id: SessionId | None, source: str = "desktop") -> Envelope:
        self._seq[session_id] = self._seq.get(session_id, 0) + 1
        envelope = Envelope(source=source, session_id=session_id, seq=self._seq[session_id], event=event)
        for listener in list(self._listeners):
            listener.put(envelope)
        return envelope

    def ask(self, request: PendingRequest, diff: FileDiff | None = None) -> Envelope:
        """Let something wait, as the gate does; returns the event that tells of it."""
        self.requests.append(request)
        if diff is not None:
            self.diffs[request.id] = diff
        common = {"request_id": request.id, "tool_call_id": request.call_id, "name": request.tool}
        why = {"because": request.because, "reason": request.reason}
        event: AnyEvent
        match request.kind:
            case RequestKind.WRITE:
                event = PendingWrite(**common, **why, path=request.path, old_content="", new_content="")
            case RequestKind.COMMAND:
                event = PendingCommand(
                    **common,
                    **why,
                    command=request.detail,
                    workdir=request.workdir,
                    timeout_s=request.timeout_s or 0,
                    facts=request.facts,
                )
            case RequestKind.QUESTION:
                event = AgentQuestion(
                    request_id=request.id,
                    tool_call_id=request.call_id,
                    title=request.label,
                    question=request.detail,
                    suggested_answers=request.suggested_answers,
                )
            case RequestKind.OTHER:
                event = ApprovalRequired(**common, **why, arguments={})
        return self.emit(event, request.session_id)

    def make_stale(self, old: RequestId, new: PendingRequest, diff: FileDiff) -> tuple[Envelope, Envelope]:
        """The file moved while it was looked at: the request is gone, one for the same call takes its place."""
        request = self._take(old)
        stale = PreviewStale(request_id=old, tool_call_id=request.call_id, path=request.path)
        return self.emit(stale, request.session_id), self.ask(msgspec.structs.replace(new, stale=True), diff)

    def _take(self, request_id: RequestId) -> PendingRequest:
        for request in self.requests:
            if request.id == request_id:
                self.requests.remove(request)
                self.diffs.pop(request_id, None)
                return request
        raise UnknownItem("This request does not wait any more.")

    async def _pass(self, verb: str) -> None:
        await self.hold.wait()
        if (error := self.refusals.pop(verb, None)) is not None:
            raise error

    # ---- HubApi --------------------------------------------------------------------------------------------------

    def events(self) -> FakeSubscription:
        return FakeSubscription(self._listeners)

    def is_running(self, session_id: SessionId) -> bool:
        return session_id in self.running

    def queued(self, source: str) -> Sequence[str]:
        return tuple(self._queued.get(source, ()))

    def problems(self) -> Sequence[str]:
        return ()

    async def register(self, source: str) -> SessionId:
        if source not in self._active:
            self._begin(source)
        session_id = self._active[source]
        self.emit(TurnRunning(running=self.is_running(session_id)), session_id, source)
        return session_id

    def _begin(self, source: str) -> SessionId:
        session_id = SessionId(f"session-{len(self.history.items) + 1}")
        self.history.items[session_id] = Session(id=session_id, source=source)
        self._active[source] = session_id
        return session_id

    async def send_message(self, source: str, text: str, *, attachments: Sequence[str] = ()) -> None:
        self.sent.append((source, text, tuple(attachments)))
        if self.is_running(self._active.get(source, SessionId(""))):
            self._queued.setdefault(source, []).append(text)

    async def interrupt_and_send(self, source: str, text: str, *, attachments: Sequence[str] = ()) -> None:
        self.running.discard(self._active.get(source, SessionId("")))
        await self.send_message(source, text, attachments=attachments)

    async def take_drafts(self, source: str) -> Sequence[str]:
        return ()

    async def notify(self, notification: Notification) -> None:
        self.emit(events.Notification(summary=notification.summary), None)

    async def home(self) -> str:
        return self._home

    async def set_home(self, source: str) -> None:
        self._home = source

    async def cost_info(self, session_id: SessionId) -> CostInfo:
        return CostInfo()

    async def drop_queued(self, source: str, index: int) -> str:
        return self._queued[source].pop(index)

    async def cancel(self, source: str) -> Sequence[str]:
        self.running.discard(self._active.get(source, SessionId("")))
        return self._queued.pop(source, [])

    async def resume(self, session_id: SessionId) -> None:
        self.running.add(session_id)

    async def clear(self, source: str) -> SessionId:
        previous = self._active.get(source)
        session_id = self._begin(source)
        self.emit(NewSession(session_id=session_id, previous=previous), session_id, source)
        return session_id

    async def continue_session(self, source: str, session_id: SessionId) -> None:
        await self.history.session(session_id)
        self._active[source] = session_id

    async def approve(
        self,
        request_id: RequestId,
        *,
        amendment: Amendment | None = None,
        bypass: BypassGrant | None = None,
        shown: str = "",
    ) -> None:
        await self._decide("approve", request_id, "approved", "")
        if amendment is not None:
            self.amendments[request_id] = amendment
        if bypass is not None:
            self.grants[request_id] = bypass

    async def reject(self, request_id: RequestId, note: str = "") -> None:
        await self._decide("reject", request_id, "rejected", note)

    async def _decide(self, verb: str, request_id: RequestId, decision: str, note: str) -> None:
        await self._pass(verb)
        request = self._take(request_id)
        self.decided.append((request_id, decision, note))
        resolved = ApprovalResolved(request_id=request_id, tool_call_id=request.call_id, decision=decision, note=note)
        self.emit(resolved, request.session_id)

    async def resolve_question(self, request_id: RequestId, answer: str) -> None:
        await self._decide("resolve_question", request_id, "answered", answer)

    async def pending(self, session_id: SessionId | None = None) -> Sequence[PendingRequest]:
        await self._pass("pending")
        found = [r for r in self.requests if session_id is None or r.session_id == session_id]
        return sorted(found, key=lambda r: r.created_at, reverse=True)

    def keep_notes(self, request_id: RequestId, notes: ReviewNotes) -> None:
        self.requests = [
            msgspec.structs.replace(each, notes=notes) if each.id == request_id else each for each in self.requests
        ]

    async def request_diff(self, request_id: RequestId, amendment: Amendment | None = None) -> FileDiff:
        await self._pass("request_diff")
        if request_id not in self.diffs:
            raise UnknownItem("This request does not wait any more.")
        if isinstance(amendment, EditedText):
            old, _ = self.contents[request_id]
            diff = diff_contents(self.diffs[request_id].path, old.encode(), amendment.text.encode())
            return msgspec.structs.replace(diff, of=f"the difference to {amendment.text!r}")
        return self.diffs[request_id]

    async def request_text(self, request_id: RequestId, amendment: Amendment | None = None) -> EditableText:
        await self._pass("request_text")
        if isinstance(amendment, ChosenHunks | EditedText) and amendment.hunks is not None:
            old, new = self.contents[request_id]
            new = amendment.text if isinstance(amendment, EditedText) else new
            return EditableText(text=with_hunks(old.encode(), new.encode(), amendment.hunks).decode())
        return self.texts.get(request_id) or EditableText(text=self.contents[request_id][1])

    async def request_facts(self, request_id: RequestId, command: str) -> Sequence[str]:
        await self._pass("request_facts")
        return tuple(f"{word} is unusual" for word in ("sudo", "curl") if word in command)

    async def bypasses(self, session_id: SessionId) -> Sequence[Bypass]:
        return [bypass for bypass in self.bypass_items if bypass.session_id == session_id]

    async def remove_bypass(self, bypass_id: int) -> None:
        self.bypass_items = [bypass for bypass in self.bypass_items if bypass.id != bypass_id]

    async def request_diff_together(self, request_ids: Sequence[RequestId]) -> FileDiff:
        """The last one's diff, as if it were what they come to."""
        await self._pass("request_diff_together")
        return [await self.request_diff(each) for each in request_ids][-1]

    async def select_model(self, source: str, name: str) -> None:
        if name not in self.catalogue.model_items:
            raise NoModel(f"There is no model named {name}.")
        session_id = self._active[source]
        self.history.items[session_id] = msgspec.structs.replace(self.history.items[session_id], model=name)
        self.emit(SessionChanged(session_id=session_id), session_id, source)

    async def select_agent(self, source: str, agent_id: str) -> None:
        agent = self.agents.get(agent_id)
        session_id = self._active[source]
        self.history.items[session_id] = msgspec.structs.replace(self.history.items[session_id], agent=agent.id)
        self.emit(SessionChanged(session_id=session_id), session_id, source)

    async def set_policy(self, source: str, *, mode: Mode | None = None, workdir: str | None = None) -> None:
        session_id = self._active[source]
        session = self.history.items[session_id]
        context = msgspec.structs.replace(
            session.context, mode=mode or session.context.mode, workdir=workdir or session.context.workdir
        )
        self.history.items[session_id] = msgspec.structs.replace(session, context=context)
        self.emit(SessionChanged(session_id=session_id), session_id, source)

    async def context_info(self, session_id: SessionId) -> ContextInfo:
        return ContextInfo(used=0, budget=28672, window=32768, reserved=4096)
