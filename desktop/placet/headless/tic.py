"""`placet tic`: look through the events that wait, once; what there were before."""

from __future__ import annotations

import argparse
import sys

import msgspec

from placet.core.domain import events
from placet.core.domain.background import Tick, TickStatus
from placet.core.domain.events import to_json
from placet.core.domain.hidden import visible
from placet.core.hub.core import Core
from placet.headless.session import DONE, FAILED, complain, on_interrupt, print_json, print_list, run_verb
from placet.headless.times import local


def run_tic(options: argparse.Namespace) -> int:
    async def work(core: Core) -> int:
        stream = core.hub.events(capacity=None)
        running = core.scope.start(_run(core, options.output), name="tic run")

        def stop() -> None:
            core.scope.start(core.hub.background.stop(), name="interrupt")

        on_interrupt(stop)
        if options.output != "events":
            stream.close()
            return await running
        running.add_done_callback(lambda _: stream.close())
        async for envelope in stream:
            if not isinstance(envelope.event, events.BackgroundChanged):
                sys.stdout.write(to_json(envelope).decode() + "\n")
                sys.stdout.flush()
        return await running

    return run_verb(work)


async def _run(core: Core, form: str) -> int:
    tick = await core.hub.background.run_now()
    if form == "json":
        print_json({"tick": None if tick is None else msgspec.to_builtins(tick)})
    if tick is None:
        if form == "text":
            sys.stdout.write("No event waits.\n")
        return DONE
    if tick.status is TickStatus.FAILED:
        return complain(f"the look through {tick.events} events failed: {tick.error}", FAILED)
    if form == "text":
        sys.stdout.write(f"{tick.events} events, {tick.told} worth telling. Session {tick.session_id}\n")
    return DONE


def list_ticks(options: argparse.Namespace) -> int:
    async def work(core: Core) -> int:
        ticks, total = await core.hub.background.ticks(page=options.page, per_page=options.per_page)
        if options.json:
            print_list([msgspec.to_builtins(tick) for tick in ticks], total, options.page, options.per_page)
            return DONE
        for tick in ticks:
            sys.stdout.write(_line(tick) + "\n")
        if not ticks:
            sys.stdout.write("TIC has looked at nothing yet.\n")
        return DONE

    return run_verb(work)


def _line(tick: Tick) -> str:
    error = f"  {visible(tick.error)}" if tick.error else ""
    return f"{local(tick.started_at)}  {tick.status.value:<8} {tick.events} events, {tick.told} told  {tick.session_id}{error}"
