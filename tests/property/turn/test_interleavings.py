"""Whatever happens in whatever order, the promises of the engine hold in every state that a person can see.

The machine plays the outside of a core: messages, answers of the model, decisions, stops, crashes. A simple account of
what was asked for is the reference. `docs/campaigns.md` has the long run.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections import defaultdict
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from placet.core.context.builder import RequestBuilder
from placet.core.domain import events
from placet.core.domain.errors import ProviderFault
from placet.core.domain.ids import CallId
from placet.core.domain.messages import MessageStatus, Role
from placet.core.domain.model_calls import Answer, Finish, RequestedCall, TextDelta, Usage
from placet.core.domain.review import Amendment, EditedText
from placet.core.turn.config import MAX_DEPTH
from support.driven_model import CHECKS, OpenCall
from support.world import SOURCE, World, new_world

EXAMPLES = int(os.environ.get("PLACET_MACHINE_RUNS", "500"))
STEPS = int(os.environ.get("PLACET_MACHINE_STEPS", "20"))
THEN = st.sampled_from(["", "", "", "", "stop", "crash"])
_SINGLE = ["read", "write", "writes", "command", "unknown", "bad arguments", "question", "note", "plan", "task"]


class Account:
    """What was asked for, kept as simply as can be."""

    def __init__(self) -> None:
        self.number = 0
        self.sent: list[str] = []
        self.gone: set[str] = set()  # given back, dropped or lost with a crash before they were echoed
        self.approved: dict[str, set[str]] = defaultdict(set)  # what a person approved for each file
        self.files: set[str] = set()
        self.commands: set[str] = set()
        self.may_be_open = False  # a crash left calls or frames that nobody has gone on with

    def next(self) -> int:
        self.number += 1
        return self.number


class Interleavings(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.account = Account()
        self.world, self.folder = self.run(self._made())
        self.run(self.world.begin())
        self.checked: tuple[Any, int] = (None, 0)

    async def _made(self) -> tuple[World, Any]:
        return new_world()

    def run(self, work: Any) -> Any:
        return self.loop.run_until_complete(work)

    def teardown(self) -> None:
        self.run(self.world.aclose())
        self.loop.run_until_complete(self.loop.shutdown_asyncgens())
        self.loop.run_until_complete(self.loop.shutdown_default_executor())
        self.loop.close()
        self.folder.cleanup()

    # ---- the person ----------------------------------------------------------------------------------------------

    @rule(count=st.sampled_from([1, 1, 1, 2, 5]))
    def send(self, count: int) -> None:
        self.run(self._send(count))

    async def _send(self, count: int) -> None:
        was_running = self.world.running
        for _ in range(count):
            text = f"message {self.account.next()}."
            self.account.sent.append(text)
            self.world.unsettled.add(text)
            await self.world.hub.send_message(SOURCE, text)
        if not was_running:  # the first begins a turn, the others are injected or wait for its next boundary
            first = self.account.sent[-count]
            await self.world.until(lambda: first in self.world.echoed)
        await self.world.at_rest()

    @rule(what=st.sampled_from(["stop", "stop", "clear", "crash", "crash", "fail", "stream"]), ticks=st.integers(0, 30))
    def disturb(self, what: str, ticks: int) -> None:
        match what:
            case "stop":
                self.run(self._stop(ticks))
            case "clear":
                self.run(self._clear())
            case "crash":
                self.run(self._crash(ticks % 4))
            case "fail" if self.world.model.open:
                self.run(self._fail(ticks))
            case "stream" if self.world.model.open:
                self.run(self._stream(ticks))

    async def _stop(self, ticks: int = 0) -> None:
        for _ in range(ticks):
            await asyncio.sleep(0)
        was_running = self.world.running
        given_back = await self.world.hub.cancel(SOURCE)
        await self.world.hub.cancel(SOURCE)
        self.account.gone.update(given_back)
        self.world.unsettled.difference_update(given_back)
        await self.world.until(lambda: not self.world.running)
        assert self.world.model.open == [], "T-8: a model call outlived the stop"
        if was_running:  # what an earlier run of the program left asks again when it is resumed
            assert await self.world.hub.pending(self.world.session_id) == [], "T-10: a request outlived the stop"

    async def _clear(self) -> None:
        dropped = self.world.hub.queued(SOURCE)
        self.account.gone.update(dropped)
        self.world.unsettled.difference_update(dropped)
        self.world.session_id = await self.world.hub.clear(SOURCE)
        self.account.may_be_open = False
        await self.world.until(lambda: not self.world.running)

    @rule(model=st.sampled_from(["", "one", "two"]))
    def resume(self, model: str) -> None:
        if self.world.running:
            self.answer_finally(0)
            return
        if model:
            self.run(self.world.hub.select_model(SOURCE, model))
        self.run(self._resume())

    async def _resume(self) -> None:
        turns = self._turns()
        await self.world.hub.resume(self.world.session_id)
        await self.world.until(lambda: self._turns() > turns)
        await self.world.at_rest()

    def _turns(self) -> int:
        return sum(isinstance(event, events.TurnRunning) and event.running for event in self.world.seen)

    @rule(which=st.integers(0, 7), yes=st.booleans(), changes=st.booleans(), then=THEN, ticks=st.integers(0, 8))
    def decide(self, which: int, yes: bool, changes: bool, then: str, ticks: int) -> None:
        if self.world.asks:
            self.run(self._decide(which, yes, then, ticks, changes=changes))

    @rule(which=st.integers(0, 7), changes=st.booleans())
    def approve(self, which: int, changes: bool) -> None:
        if self.world.asks:
            self.run(self._decide(which, True, changes=changes))

    async def _decide(self, which: int, yes: bool, then: str = "", ticks: int = 0, *, changes: bool = False) -> None:
        request_id, asked = list(self.world.asks.items())[which % len(self.world.asks)]
        amendment: Amendment | None = None
        if isinstance(asked, events.PendingWrite) and yes:
            name = asked.path.rpartition("/")[2]
            amendment = EditedText(f"{name} as a person wants it, {self.account.next()}\n") if changes else None
            self.account.approved[name].add(amendment.text if amendment is not None else f"{name}\n")
        if isinstance(asked, events.PendingCommand) and yes:
            self.account.commands.add(asked.command.split()[-1])
        if isinstance(asked, events.AgentQuestion):
            await self.world.hub.resolve_question(request_id, "so be it")
        elif yes:
            await self.world.hub.approve(request_id, amendment=amendment)
        else:
            await self.world.hub.reject(request_id, "no")
        await self._settled(then, ticks, lambda: request_id not in self.world.asks)

    # ---- the model -----------------------------------------------------------------------------------------------

    @rule(which=st.integers(0, 7), kinds=st.lists(st.sampled_from(_SINGLE), min_size=1, max_size=3),
          then=THEN, ticks=st.integers(0, 8))  # fmt: skip
    def answer(self, which: int, kinds: list[str], then: str, ticks: int) -> None:
        self._begin_if_idle()
        self.run(self._answer(which, kinds, then, ticks))

    def _begin_if_idle(self) -> None:
        if not self.world.running:
            self.run(self._send(1))

    async def _answer(self, which: int, kinds: list[str], then: str = "", ticks: int = 0) -> None:
        if not self.world.model.open:
            return
        call = self._open_call(which)
        frame = self.world.frame_of(call)
        calls = [requested for kind in kinds for requested in self._calls(kind, frame)]
        asks, starts = len(self.world.asks), len(self.world.prompts)
        together = _asked_together(calls)
        may_delegate = frame is None or self.world.agents[frame].depth < MAX_DEPTH
        batch = len(calls) if len(calls) > 1 and all(map(_is_task, calls)) and may_delegate else 0
        call.give(_answer(f"words {self.account.next()}", calls))
        await self._settled(
            then,
            ticks,
            lambda: (
                call not in self.world.model.open
                and len(self.world.asks) >= asks + together
                and len(self.world.prompts) >= starts + batch
            ),
        )

    @rule(which=st.integers(0, 7))
    def answer_finally(self, which: int) -> None:
        if self.world.model.open:
            self.run(self._answer(which, []))

    @rule(which=st.integers(0, 7), count=st.integers(2, 4))
    def answer_with_a_batch(self, which: int, count: int) -> None:
        self._begin_if_idle()
        self.run(self._answer(which, ["task"] * count))

    async def _stream(self, which: int) -> None:
        told = len(self.world.seen)
        self._open_call(which).give(TextDelta("piece "))
        await self.world.until(lambda: len(self.world.seen) > told)

    async def _fail(self, which: int) -> None:
        call = self._open_call(which)
        call.fail(ProviderFault.AUTH)
        await self._settled("", 0, lambda: call not in self.world.model.open)

    def _open_call(self, which: int) -> OpenCall:
        return self.world.model.open[which % len(self.world.model.open)]

    def _calls(self, kind: str, frame: CallId | None) -> list[RequestedCall]:
        number = self.account.next()
        delegate = "execute_task" if frame is None else "execute_subtask"
        is_researcher = frame is not None and self.world.agents[frame].agent_id == "researcher"
        other = "generalist" if is_researcher else "researcher"
        made: dict[str, list[tuple[str, dict[str, Any]]]] = {
            "read": [("list_files", {"path": "."})],
            "write": [("write_file", {"path": f"file{number}", "content": f"file{number}\n"})],
            "writes": [
                ("write_file", {"path": f"file{number}a", "content": f"file{number}a\n"}),
                ("write_file", {"path": f"file{number}b", "content": f"file{number}b\n"}),
            ],
            "command": [("execute_cmd", {"command": f"printf x >> ran{number}"})],
            "unknown": [("no_such_tool", {})],
            "bad arguments": [("write_file", {"file": 3})],
            "question": [("ask_user_clarification", {"title": "t", "question": f"question {number}?"})],
            "note": [("update_scratchpad", {"key": f"k{number % 3}", "value": f"value {number}"})],
            "plan": [("write_todos", {"todos": [{"content": "x", "status": "pending"}]})],
            "task": [(delegate, {"agent": other, "task": f"<task {number}>"})],
        }
        for name, arguments in made[kind]:
            if name == "write_file" and "path" in arguments:
                self.account.files.add(arguments["path"])
        return [
            RequestedCall(provider_id=f"c{number % 5}", name=name, arguments=json.dumps(arguments))
            for name, arguments in made[kind]
        ]

    async def _settled(self, then: str, ticks: int, holds: Any) -> None:
        """Wait for what the move leads to; or stop, or crash, `ticks` turns of the loop after it."""
        if then == "stop":
            await self._stop(ticks)
        elif then == "crash":
            await self._crash(ticks)
        else:
            await self.world.until(lambda: holds() or not self.world.running)
            await self.world.at_rest()

    # ---- the machine ---------------------------------------------------------------------------------------------

    async def _crash(self, ticks: int) -> None:
        for _ in range(ticks):
            await asyncio.sleep(0)
        was_running = self.world.running
        self.account.gone.update(self.world.hub.queued(SOURCE))
        await self.world.crash()
        self.account.may_be_open |= was_running
        page = await self.world.core.store.sessions.newest(self.world.session_id, 10_000)
        stored = {row.content for row in page.messages}
        unheard = [text for text in self.account.sent if text in stored and text not in self.world.echoed]
        self.world.echoed += unheard  # the crash came between the commit and the echo
        self.account.gone.difference_update(unheard)

    # ---- what holds in every state -------------------------------------------------------------------------------

    @invariant()
    def nothing_impossible_was_told(self) -> None:
        assert self.world.faults == []
        assert self.world.model.refused == [], "T-6: a request was not well-formed"
        twice = [call_id for call_id, times in self.world.ended.items() if times > 1]
        assert not twice, f"calls that ended twice: {twice}"

    @invariant()
    def h1_messages_are_echoed_in_the_order_they_were_sent(self) -> None:
        assert len(set(self.world.echoed)) == len(self.world.echoed)
        assert self.world.echoed == [text for text in self.account.sent if text in set(self.world.echoed)]
        assert not self.account.gone & set(self.world.echoed), "H-6: a message that was given back was echoed"

    @invariant()
    def t5_only_what_was_approved_happened_and_only_once(self) -> None:
        names = [path.name for path in self.world.workdir.iterdir()]  # a write that goes on has one that is hidden
        there = {name: (self.world.workdir / name).read_text() for name in names if not name.startswith(".")}
        files = {name: text for name, text in there.items() if name.startswith("file")}
        assert all(text in self.account.approved[name] for name, text in files.items())
        runs = {name: text for name, text in there.items() if name.startswith("ran")}
        assert set(runs) <= self.account.commands
        assert set(runs.values()) <= {"", "x"}, "a command ran twice"  # empty: it was stopped before it had written

    @invariant()
    def the_store_tells_the_same(self) -> None:
        told = (self.world.core, len(self.world.seen))
        if told != self.checked:  # where nothing was told, nothing was stored
            self.run(self._check_store())
        self.checked = told

    async def _check_store(self) -> None:
        store, session_id = self.world.core.store, self.world.session_id
        page = await store.sessions.newest(session_id, 10_000)
        told = [row.content for row in page.messages if row.role is Role.USER and not row.synthetic]
        assert told == [text for text in self.world.echoed if text in set(told)]
        assert not set(told) & self.account.gone
        frames = await store.database.read(
            lambda c: c.all("SELECT id, depth, terminated FROM frames WHERE session_id = ?", (session_id,))
        )
        calls = [call for row in page.messages for call in row.calls]
        if not self.world.running and not self.account.may_be_open:
            assert all(call.status.is_final for call in calls), "a call was left open"
            assert all(terminated for _, depth, terminated in frames if depth), "T-1: a frame was left open"
            assert await self.world.hub.pending(session_id) == []
        if self.world.running:
            self.account.may_be_open = False
        assert all(row.status is not MessageStatus.FAILED or row.role is Role.USER for row in page.messages)
        await self._check_requests(session_id)

    async def _check_requests(self, session_id: Any) -> None:
        """T-6, T-7: from here, a resume would send something that every dialect accepts."""
        core = self.world.core
        rows = await core.store.database.read(
            lambda c: c.all("SELECT DISTINCT frame_id FROM messages WHERE session_id = ?", (session_id,))
        )
        frames = {frame.id: frame for frame in await core.store.turns.active_frames(session_id)}
        root = await core.store.turns.root_frame(session_id)
        frames[root.id] = root
        for (frame_id,) in rows:
            if frame_id not in frames:
                continue
            for name in ("one", "two"):
                binding = await core.catalogue.resolve(name)
                builder = RequestBuilder(core.store.turns, core.store.compactions, lambda _: "system")
                page = await core.store.sessions.get(session_id)
                request = await builder.request(frames[frame_id], binding, page.context, ())
                CHECKS[binding.provider.type](request.body)


def _answer(text: str, calls: list[RequestedCall]) -> Answer:
    finish = Finish.TOOL_CALLS if calls else Finish.STOP
    return Answer(text=text, calls=tuple(calls), finish=finish, usage=Usage(input_tokens=3, output_tokens=2))


def _is_task(call: RequestedCall) -> bool:
    return call.name in ("execute_task", "execute_subtask")


def _asked_together(calls: list[RequestedCall]) -> int:
    """How many requests the first group of calls that asks will show at once."""
    count = 0
    for call in calls:
        is_write = call.name == "write_file" and '"path"' in call.arguments
        if is_write:
            count += 1
        elif count or call.name in ("execute_cmd", "ask_user_clarification") or _is_task(call):
            break
    return count


@pytest.mark.timeout(2 * EXAMPLES)  # on an idle machine five hundred take a minute
def test_t1_t5_t6_t7_t10_h1_h6_hold_whatever_happens_in_whatever_order() -> None:
    run_state_machine_as_test(
        Interleavings, settings=settings(max_examples=EXAMPLES, stateful_step_count=STEPS, deadline=None)
    )
