"""The Inbox on a whole core: twenty writes in three sessions, some left by an earlier run, others decide too."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

import pytest

from placet.core.domain.ids import SessionId
from placet.core.domain.messages import RunContext
from placet.core.domain.stopping import TaskScope
from placet.core.hub.core import Core, open_core
from placet.ui.models.batch import BatchModel
from placet.ui.models.inbox import InboxModel
from placet.ui.models.inbox_items import origin, what
from support.conversations import CONFIG
from support.scripted_model import CastModel, Say, say

BOUND_S = 20.0


def writes(*names: str) -> Say:
    said = say("I write them.")
    for name in names:
        said = said.calling("write_file", {"path": name, "content": f"{name}\n"}, f"call-{name}")
    return said


class Run:
    """One run of the program, with an Inbox that somebody looks at."""

    def __init__(self, core: Core, workdir: Path) -> None:
        self.core, self.hub, self.workdir = core, core.hub, workdir
        self.scope = TaskScope("test")
        self.inbox = InboxModel(core.hub, self.scope)
        self.batch = BatchModel(self.inbox.review, core.hub, self.scope)
        self._changed = asyncio.Event()
        self.inbox.review.changed.connect(self._changed.set)
        self._stream = core.hub.events()
        self.scope.start(self._pump(), "events")
        self.inbox.begin()

    async def _pump(self) -> None:
        async for envelope in self._stream:
            self.batch.handle(envelope)
            self.inbox.handle(envelope)
            self._changed.set()

    async def begin(self, source: str, text: str) -> SessionId:
        """A new session that is asked something."""
        context = RunContext(workdir=str(self.workdir))
        session_id = await self.hub.provision_session(source, context=context, reset=True)
        await self.hub.send_message(source, text)
        return session_id

    async def until(self, holds: Callable[[], object]) -> None:
        async with asyncio.timeout(BOUND_S):
            while not holds():
                self._changed.clear()
                if not holds():
                    await self._changed.wait()

    def waiting(self) -> list[str]:
        return [request.label for request in self.inbox.review.requests]

    def is_written(self, name: str) -> bool:
        return (self.workdir / name).exists()

    async def aclose(self) -> None:
        self._stream.close()
        await self.scope.close()
        await self.core.aclose()


@pytest.fixture
async def opened(placet_home: Path, tmp_path: Path) -> AsyncGenerator[Callable]:
    placet_home.mkdir(parents=True)
    (placet_home / "config.toml").write_text(CONFIG)
    cast = {
        "EARLIER": [writes("a1", "a2", "a3"), say("done")],
        "MANY": [writes(*(f"b{number:02}" for number in range(12))), say("done")],
        "MAIL": [writes(*(f"c{number}" for number in range(5))), say("done")],
    }
    model, runs = CastModel(cast), []

    async def start() -> Run:
        core = open_core(placet_home, client=model)
        await core.start()
        runs.append(Run(core, tmp_path))
        return runs[-1]

    yield start
    for run in runs:
        await run.aclose()


async def test_r_10_r_15_r_17_twenty_writes_over_three_sessions_and_a_restart(opened) -> None:
    earlier = await opened()
    await earlier.begin("cli", "EARLIER")
    await earlier.until(lambda: len(earlier.waiting()) == 3)
    await earlier.aclose()

    run = await opened()
    await run.begin("desktop", "MANY")
    await run.until(lambda: len(run.waiting()) == 15)
    await run.begin("mail", "MAIL")
    await run.until(lambda: len(run.waiting()) == 20)
    assert [what(item) for item in run.inbox.items] == ["5 edits", "12 edits", "3 edits"]
    assert [origin(item.first).partition(":")[0] for item in run.inbox.items][::2] == ["mail", "Command line"]

    # decided elsewhere while it is looked at: the place goes to the next of its batch
    run.inbox.open(1)
    review = run.inbox.review
    assert review.current.label == "b00"
    await run.hub.approve(review.current.id)
    await run.until(lambda: review.current.label == "b01")

    # one rejection fails no other
    review.reject("not this one")
    await run.until(lambda: review.current.label == "b02" and review.diff is not None)
    review.approve()
    await run.until(lambda: len(run.batch.waiting()) == 9)
    assert [row.state.value for row in run.batch.rows][:3] == ["approved", "rejected", "approved"]

    # a stop of another session withdraws its requests; the place stays
    await run.hub.cancel("mail")
    await run.until(lambda: len(run.inbox.items) == 2)
    assert review.current.label == "b03"

    # the rest at once, by an offer that says how many were not looked at
    offer = run.batch.offer()
    assert (len(offer.ids), len(offer.unseen)) == (9, 9)
    assert run.batch.approve_all(offer)
    await run.until(lambda: [what(item) for item in run.inbox.items] == ["3 edits"])
    await run.until(lambda: run.is_written("b11"))
    assert [run.is_written(f"b{number:02}") for number in range(12)] == [number != 1 for number in range(12)]
    assert not any(run.is_written(f"c{number}") for number in range(5))

    # what an earlier run left is decided here, which resumes its session
    assert review.current.label == "a1"
    await run.until(lambda: review.diff is not None)
    review.approve()
    await run.until(lambda: run.waiting() == ["a2", "a3"])
    while not run.is_written("a3"):  # those that wait with it may be asked anew by the resumed turn
        await run.until(lambda: run.is_written("a3") or review.diff is not None)
        if (request := review.current) is not None:
            review.approve()
            await run.until(lambda old=request.id: review.current is None or review.current.id != old)
    assert all(run.is_written(name) for name in ("a1", "a2", "a3"))
