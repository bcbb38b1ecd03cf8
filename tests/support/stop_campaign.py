"""A batch of eight sub-agents, each of ten rounds, over a real loopback server, stopped at a random moment."""

from __future__ import annotations

import asyncio
import json
import random
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from placet.core.domain import events
from placet.core.domain.messages import MessageStatus, Mode, RunContext
from placet.core.hub.core import Core, open_core
from support.dialects import assert_well_formed_chat, assert_well_formed_messages
from support.placet_process import write_config
from support.scripted_model import first_message
from support.wire_server import Recorded, WireServer, call, pause, text
from support.wire_steps import Step

AGENTS, ROUNDS = 8, 10
LIMIT_S = 30.0
CHECKS = {"openai": assert_well_formed_chat, "anthropic": assert_well_formed_messages}


@dataclass
class Stopped:
    """How one stop went. `left` names what still ran afterwards."""

    after_s: float
    took_ms: float
    had_ended: bool
    left: list[str]


def answer(request: Recorded) -> list[Step]:
    """The root asks for eight sub-agents; each calls nine times, reads and commands in turn, and then reports."""
    body = request.json
    rounds = sum(message["role"] == "assistant" for message in body["messages"])
    if "part <" not in json.dumps(first_message(body)):
        if rounds == 0:
            return [call("execute_task", {"agent": "researcher", "task": f"part <{n}>"}) for n in range(AGENTS)]
        return [text("All is done.")]
    if rounds >= ROUNDS - 1:
        return [text("My ", "report.")]
    if rounds % 3 == 2:
        return [text("a command "), call("execute_cmd", {"command": f"echo {rounds}; sleep 0.03"})]
    return [text("I "), pause(0.004), text("look "), call("list_files", {"depth": rounds + 1})]


async def stop_once(root: Path, server: WireServer, dialect: str, after_s: float) -> Stopped:
    """One run in a folder of its own; a resume afterwards has to complete it."""
    home, work = root / "home", root / "work"
    work.mkdir(parents=True)
    write_config(home, server.url, dialect)
    server.script(answer, repeat_last=True)
    first_request = len(server.requests)
    core = open_core(home)
    await core.start()
    try:
        context = RunContext(workdir=str(work), mode=Mode.AUTO)
        session_id = await core.hub.provision_session("desktop", context=context)
        stream = core.hub.events(capacity=None)
        await core.hub.send_message("desktop", "go")
        await _until_running(stream, running=True)
        before = {task.get_name() for task in asyncio.all_tasks()}
        await asyncio.sleep(after_s)
        had_ended = not core.hub.is_running(session_id)
        began = time.perf_counter()
        await core.hub.cancel("desktop")
        took_ms = (time.perf_counter() - began) * 1000
        left = [*_processes(), *_tasks(before), *await _rows_left(core, session_id)]
        if not had_ended:
            await _until_running(stream, running=False)
        await core.hub.resume(session_id)
        await _until_running(stream, running=False)
        last = (await core.hub.history.newest(session_id)).messages[-1]
        if last.content != "All is done." and last.status is not MessageStatus.FAILED:  # stopped before any answer
            left.append(f"the resume ended with {last.content!r}")
        stream.close()
    finally:
        await core.aclose()
    for request in server.requests[first_request:]:
        CHECKS[dialect](request.body)
    return Stopped(after_s, took_ms, had_ended, left)


async def _until_running(stream: object, *, running: bool) -> None:
    async with asyncio.timeout(LIMIT_S):
        async for envelope in stream:  # type: ignore[attr-defined]
            if isinstance(envelope.event, events.TurnRunning) and envelope.event.running is running:
                return


def _processes() -> list[str]:
    """Child processes that still live; a zombie that nobody waited for counts too."""
    return [f"process {child.pid}" for child in psutil.Process().children(recursive=True)]


def _tasks(before: set[str]) -> list[str]:
    names = [task.get_name() for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    return [f"task {name}" for name in names if name not in before]


async def _rows_left(core: Core, session_id: str) -> list[str]:
    def work(connection: object) -> list[str]:
        open_calls = connection.all(  # type: ignore[attr-defined]
            "SELECT c.id FROM tool_calls c JOIN frames f ON f.id = c.frame_id "
            "WHERE f.session_id = ? AND c.status IN ('running', 'pending')",
            (session_id,),
        )
        frames = connection.all(  # type: ignore[attr-defined]
            "SELECT id FROM frames WHERE session_id = ? AND depth > 0 AND NOT terminated", (session_id,)
        )
        return [f"call {row[0]}" for row in open_calls] + [f"frame {row[0]}" for row in frames]

    return await core.store.database.read(work)


def moments(seed: int, count: int, longest_s: float) -> list[float]:
    made = random.Random(seed)
    return [made.uniform(0, longest_s) for _ in range(count)]
