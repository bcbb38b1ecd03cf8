"""The stop of a turn, and the owner of tasks."""

from __future__ import annotations

import asyncio

import pytest

from placet.core.domain.stopping import StopFlag, TaskScope, TurnStopped


async def forever(cleaned: list[str]) -> None:
    try:
        await asyncio.Event().wait()
    finally:
        cleaned.append("cleaned up")


async def test_work_that_ends_gives_its_result() -> None:
    async def work() -> int:
        await asyncio.sleep(0)
        return 42

    assert await StopFlag().race(work()) == 42


async def test_an_error_of_the_work_is_its_own() -> None:
    async def work() -> None:
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        await StopFlag().race(work())


async def test_a_stop_cancels_the_work_waits_for_its_clean_up_and_leaves_the_task_usable() -> None:
    stop, cleaned = StopFlag(), list[str]()
    asyncio.get_running_loop().call_soon(stop.set)
    with pytest.raises(TurnStopped):
        await stop.race(forever(cleaned))
    assert cleaned == ["cleaned up"]
    await asyncio.sleep(0)  # would raise if the cancellation were left behind
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


async def test_nested_races_end_with_one_stop() -> None:
    stop, cleaned = StopFlag(), list[str]()

    async def outer() -> None:
        await stop.race(forever(cleaned))

    asyncio.get_running_loop().call_soon(stop.set)
    with pytest.raises(TurnStopped):
        await stop.race(outer())
    await asyncio.sleep(0)
    assert cleaned == ["cleaned up"]


async def test_after_a_stop_nothing_begins() -> None:
    stop = StopFlag()
    stop.set()
    stop.set()
    with pytest.raises(TurnStopped):
        await stop.race(forever([]))
    with pytest.raises(TurnStopped):
        stop.check()


async def test_cancelling_the_caller_is_no_stop() -> None:
    stop, cleaned = StopFlag(), list[str]()
    scope = TaskScope("test")
    task = scope.start(stop.race(forever(cleaned)))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert cleaned == ["cleaned up"]


async def test_a_caller_that_is_cancelled_while_it_stops_is_cancelled() -> None:
    stop = StopFlag()
    scope = TaskScope("test")
    task = scope.start(stop.race(forever([])))
    await asyncio.sleep(0)
    stop.set()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_time_limit_inside_a_race_is_its_own() -> None:
    async def work() -> str:
        try:
            async with asyncio.timeout(0):
                await asyncio.Event().wait()
        except TimeoutError:
            return "timed out"
        return "never"

    assert await StopFlag().race(work()) == "timed out"


async def test_closing_a_scope_ends_its_tasks_and_refuses_new_ones() -> None:
    scope, cleaned = TaskScope("test"), list[str]()
    scope.start(forever(cleaned))
    await asyncio.sleep(0)
    await scope.close()
    assert cleaned == ["cleaned up"]
    with pytest.raises(RuntimeError, match="closed"):
        scope.start(forever(cleaned))


async def test_a_crash_in_a_task_is_reported() -> None:
    told: list[str] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(str(context["exception"])))
    scope = TaskScope("test")

    async def crash() -> None:
        raise ValueError("a bug")

    scope.start(crash())
    await scope.finish()
    await asyncio.sleep(0)
    assert told == ["a bug"]
