"""Guards that every test runs under: closed network, own home, no unexpected log record, nothing left running.

`tests/conftest.py` installs them. Each guard is a context manager, so that it can be tested itself.
"""

from __future__ import annotations

import asyncio
import asyncio.runners
import errno
import ipaddress
import logging
import re
import socket
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from typing import Any

_GRACE_S = 2.0  # what a thread that is already ending may take
_cancel_all_tasks = asyncio.runners._cancel_all_tasks


class LeftBehind(AssertionError):
    """A test left something running or said something it did not declare."""


# ---- network -------------------------------------------------------------------------------------------------


def is_loopback(host: str) -> bool:
    """Whether a host name or address stays on this machine. No look-up is made."""
    if host in ("", "localhost"):
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False


@contextmanager
def closed_network() -> Generator[None]:
    """Let sockets reach this machine only: other names do not resolve, other addresses are unreachable."""
    connect, connect_ex, getaddrinfo = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo

    def leaves(sock: socket.socket, address: Any) -> bool:
        return sock.family in (socket.AF_INET, socket.AF_INET6) and not is_loopback(address[0])

    def guarded_connect(self: socket.socket, address: Any) -> None:
        if leaves(self, address):
            raise OSError(errno.ENETUNREACH, f"the network is closed in tests: {address}")
        connect(self, address)

    def guarded_connect_ex(self: socket.socket, address: Any) -> int:
        return errno.ENETUNREACH if leaves(self, address) else connect_ex(self, address)

    def guarded_getaddrinfo(host: Any, *args: Any, **kwargs: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        if name is None or is_loopback(name) or _is_address(name):
            return getaddrinfo(host, *args, **kwargs)
        raise socket.gaierror(socket.EAI_NONAME, f"the network is closed in tests: {name}")

    socket.socket.connect = guarded_connect  # type: ignore[method-assign]
    socket.socket.connect_ex = guarded_connect_ex  # type: ignore[method-assign]
    socket.getaddrinfo = guarded_getaddrinfo
    try:
        yield
    finally:
        socket.socket.connect = connect  # type: ignore[method-assign]
        socket.socket.connect_ex = connect_ex  # type: ignore[method-assign]
        socket.getaddrinfo = getaddrinfo


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return True


# ---- log records ---------------------------------------------------------------------------------------------


class _Collector(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@contextmanager
def quiet_logs(expected: Callable[[], Iterable[str]]) -> Generator[None]:
    """Fail at the end for each record at WARNING or above that none of the expected patterns finds."""
    collector = _Collector()
    root = logging.getLogger()
    root.addHandler(collector)
    try:
        yield
    finally:
        root.removeHandler(collector)
    patterns = [re.compile(pattern) for pattern in expected()]
    texts = (f"{record.name}: {record.levelname}: {record.getMessage()}" for record in collector.records)
    if surplus := [text for text in texts if not any(pattern.search(text) for pattern in patterns)]:
        raise LeftBehind("undeclared log records (see the `expected_logs` fixture):\n" + "\n".join(surplus))


# ---- what must not outlive a test ----------------------------------------------------------------------------


@contextmanager
def no_tasks_left() -> Generator[None]:
    """Fail at the end for asyncio tasks that were pending when their loop was closed."""
    left: list[str] = []
    before = asyncio.runners._cancel_all_tasks

    def recording(loop: asyncio.AbstractEventLoop) -> None:
        left.extend(repr(task) for task in asyncio.all_tasks(loop))
        _cancel_all_tasks(loop)

    asyncio.runners._cancel_all_tasks = recording
    try:
        yield
    finally:
        asyncio.runners._cancel_all_tasks = before
    if left:
        raise LeftBehind("tasks outlived the test:\n" + "\n".join(left))


@contextmanager
def no_threads_left() -> Generator[None]:
    """Fail at the end for threads that began inside and do not end within a grace."""
    before = set(threading.enumerate())
    yield
    deadline = time.monotonic() + _GRACE_S
    new = [thread for thread in threading.enumerate() if thread not in before]
    for thread in new:
        if not isinstance(thread, threading._DummyThread):
            thread.join(max(0.0, deadline - time.monotonic()))
    if alive := [thread.name for thread in new if thread.is_alive() and not isinstance(thread, threading._DummyThread)]:
        raise LeftBehind(f"threads outlived the test: {', '.join(alive)}")


@contextmanager
def no_windows_left() -> Generator[None]:
    """Fail at the end for top-level widgets that are still visible. Free where no QApplication exists."""
    before = set(map(id, _visible_windows()))
    yield
    if left := [repr(widget) for widget in _visible_windows() if id(widget) not in before]:
        raise LeftBehind(f"windows outlived the test: {', '.join(left)}")


def _visible_windows() -> list[Any]:
    widgets = sys.modules.get("PySide6.QtWidgets")
    application = widgets and widgets.QApplication.instance()
    if not widgets or not isinstance(application, widgets.QApplication):
        return []
    return [widget for widget in application.topLevelWidgets() if widget.isVisible()]
