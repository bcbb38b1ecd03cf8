"""Listening to sockets: nothing is lost while one pauses, streams are heard in larger pieces, short words at once."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication

from placet.ui.loop import FastEventLoop
from placet.ui.loop_readers import PACE_S, STREAK

BOUND_S = 10.0


@pytest.fixture
def loop(qapp: QApplication) -> Iterator[FastEventLoop]:
    loop = FastEventLoop(qapp)
    asyncio.set_event_loop(loop)
    yield loop
    loop.close()
    asyncio.set_event_loop(None)


class Listener:
    """Reads as an HTTP client does: it listens, and pauses after every read."""

    def __init__(self, loop: FastEventLoop, ear: socket.socket) -> None:
        ear.setblocking(False)
        self._loop, self._ear = loop, ear

    async def read(self) -> bytes:
        heard = asyncio.Event()
        self._loop.add_reader(self._ear, heard.set)
        try:
            async with asyncio.timeout(BOUND_S):
                await heard.wait()
        finally:
            self._loop.remove_reader(self._ear)
        return self._ear.recv(65536)


def test_a_stream_is_heard_whole_and_in_larger_pieces(loop: FastEventLoop) -> None:
    pieces = 300

    async def speak(mouth: socket.socket) -> None:
        for number in range(pieces):
            mouth.send(b"%04d" % number)
            await asyncio.sleep(0.001)
        mouth.close()

    async def work() -> list[bytes]:
        ear, mouth = socket.socketpair()
        with ear:
            listener, heard = Listener(loop, ear), []
            speaking = asyncio.ensure_future(speak(mouth))
            while data := await listener.read():
                heard.append(data)
            await speaking
        return heard

    heard = loop.run_until_complete(work())
    assert b"".join(heard) == b"".join(b"%04d" % number for number in range(pieces))
    assert len(heard) < pieces / 2


def test_a_short_exchange_never_waits(loop: FastEventLoop) -> None:
    async def work() -> list[float]:
        ear, mouth = socket.socketpair()
        took = []
        with ear, mouth:
            listener = Listener(loop, ear)
            for _ in range(STREAK):
                mouth.send(b"word")
                began = loop.time()
                await listener.read()
                took.append(loop.time() - began)
        return took

    took = loop.run_until_complete(work())
    assert sorted(took)[len(took) // 2] < PACE_S / 2


def test_after_a_stream_a_late_word_is_heard_at_once(loop: FastEventLoop) -> None:
    async def work() -> float:
        ear, mouth = socket.socketpair()
        with ear, mouth:
            listener = Listener(loop, ear)
            for _ in range(2 * STREAK):
                mouth.send(b"word")
                await listener.read()
            waits = []
            for _ in range(3):
                await asyncio.sleep(3 * PACE_S)
                mouth.send(b"late")
                began = loop.time()
                await listener.read()
                waits.append(loop.time() - began)
        return min(waits)

    assert loop.run_until_complete(work()) < PACE_S / 2


def test_a_number_that_is_used_again_is_another_connection(loop: FastEventLoop) -> None:
    async def heard_on(word: bytes) -> tuple[int, bytes]:
        ear, mouth = socket.socketpair()
        with ear, mouth:
            mouth.send(word)
            return ear.fileno(), await Listener(loop, ear).read()

    async def work() -> None:
        first, second = await heard_on(b"one"), await heard_on(b"two")
        assert first[0] == second[0]
        assert (first[1], second[1]) == (b"one", b"two")

    loop.run_until_complete(work())


def test_who_pauses_is_not_called(loop: FastEventLoop) -> None:
    async def work() -> list[str]:
        calls: list[str] = []
        called = asyncio.Event()

        def call(name: str) -> None:
            calls.append(name)
            called.set()

        ear, mouth = socket.socketpair()
        with ear, mouth:
            loop.add_reader(ear, call, "old")
            loop.add_reader(ear, call, "new")
            mouth.send(b"word")
            async with asyncio.timeout(BOUND_S):
                await called.wait()
            assert loop.remove_reader(ear)
            assert not loop.remove_reader(ear)
            count = len(calls)
            await asyncio.sleep(0.02)
            assert len(calls) == count
        return calls

    assert set(loop.run_until_complete(work())) == {"new"}
