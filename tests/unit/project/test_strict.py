"""The guards of the test suite catch what they are for."""

from __future__ import annotations

import asyncio
import logging
import socket
import threading

import pytest

from support import strict


def test_a_name_outside_this_machine_does_not_resolve() -> None:
    with pytest.raises(socket.gaierror, match="closed"):
        socket.getaddrinfo("example.org", 80)


def test_an_address_outside_this_machine_is_unreachable() -> None:
    with socket.socket() as sock, pytest.raises(OSError, match="closed"):
        sock.connect(("192.0.2.1", 80))


async def test_asyncio_cannot_leave_this_machine_either() -> None:
    with pytest.raises(OSError, match="closed"):
        await asyncio.open_connection("192.0.2.1", 80)


def test_loopback_stays_open() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        assert client.getpeername() == server.getsockname()


def test_an_undeclared_warning_fails(expected_logs: list[str]) -> None:
    expected_logs.append("something odd")
    with pytest.raises(strict.LeftBehind, match="something odd"), strict.quiet_logs(list):
        logging.getLogger("placet.somewhere").warning("something odd")


@pytest.mark.expected_logs("^placet.elsewhere: ERROR: foreseen")
def test_a_declared_warning_passes() -> None:
    with strict.quiet_logs(lambda: ["foreseen"]):
        logging.getLogger("placet.elsewhere").error("foreseen")


def test_a_thread_that_goes_on_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strict, "_GRACE_S", 0.0)
    end = threading.Event()
    thread = threading.Thread(target=end.wait, name="endless")
    with pytest.raises(strict.LeftBehind, match="endless"), strict.no_threads_left():
        thread.start()
    end.set()
    thread.join()


def test_a_task_that_outlives_its_loop_fails() -> None:
    async def leave_one() -> None:
        asyncio.get_running_loop().create_task(asyncio.Event().wait(), name="forgotten")

    with pytest.raises(strict.LeftBehind, match="forgotten"), strict.no_tasks_left(), asyncio.Runner() as runner:
        runner.run(leave_one())
