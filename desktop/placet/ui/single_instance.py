"""A second start hands what it was asked for to the window that is there, and ends (`S-4`).

What comes over the socket is data: bounded, checked, and never more than a folder and a session to show.
"""

from __future__ import annotations

import secrets
import sys
import time
from pathlib import Path

import msgspec
from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from placet.ui.window_lock import WindowLock, name_in, take_lock

PATIENCE_S = 8.0  # how long the window that is there may take to answer: it may be starting, or ending
_MOST_BYTES = 16_384
_MOST_CHARACTERS = 4096
_LISTEN_MS = 2000  # a caller says what it wants at once
_MOST_CALLERS = 8
_TRY_MS = 200
_TAKEN = b"taken\n"


class Call(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a start was asked for; both may be empty. `workdir` is absolute."""

    workdir: str = ""
    session: str = ""

    def is_sound(self) -> bool:
        """Whether it can be taken at its word: no text that no command line can have."""
        texts = (self.workdir, self.session)
        short = all(len(each) <= _MOST_CHARACTERS and each.isprintable() for each in texts)
        return short and (not self.workdir or Path(self.workdir).is_absolute())


class CallListener(QObject):
    """Listens for later starts on a socket that only its owner can open. `called` gives a `Call`."""

    called = Signal(object)

    def __init__(self, lock: WindowLock, home: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        if old := name_in(home):
            QLocalServer.removeServer(old)  # of a window that died; there is none beside the one with the lock
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.setMaxPendingConnections(_MOST_CALLERS)
        self._server.newConnection.connect(self._on_new_connection)
        name = f"placet-{secrets.token_hex(16)}"
        if self._server.listen(name):
            lock.write_name(name)

    @property
    def is_listening(self) -> bool:
        return self._server.isListening()

    def close(self) -> None:
        """Take no more calls. Idempotent."""
        self._server.close()

    def _on_new_connection(self) -> None:
        while (caller := self._server.nextPendingConnection()) is not None:
            if len(self._server.findChildren(QLocalSocket)) > _MOST_CALLERS:
                caller.abort()
                caller.deleteLater()
                continue
            caller.setReadBufferSize(_MOST_BYTES)
            caller.readyRead.connect(lambda caller=caller: self._hear(caller))
            caller.disconnected.connect(caller.deleteLater)
            QTimer.singleShot(_LISTEN_MS, caller, caller.abort)
            self._hear(caller)  # it may have spoken before anybody listened

    def _hear(self, caller: QLocalSocket) -> None:
        said = bytes(caller.peek(_MOST_BYTES).data())
        if b"\n" not in said:
            if len(said) >= _MOST_BYTES:
                caller.abort()
            return
        caller.readAll()
        call = read_call(said)
        if call is None:
            caller.abort()
            return
        caller.write(_TAKEN)
        caller.flush()
        caller.disconnectFromServer()
        self.called.emit(call)


def read_call(said: bytes) -> Call | None:
    """Read one line; None where it is anything but a sound call."""
    try:
        call = msgspec.json.decode(said.partition(b"\n")[0], type=Call)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return call if call.is_sound() else None


def lock_or_hand_over(home: Path, workdir: str, session: str) -> WindowLock | int:
    """Wait for one of two: the lock, because the other window ended, or its answer; then an exit code.

    Where neither comes in `PATIENCE_S`, no window is opened beside the one that does not answer.
    """
    wanted = Call(workdir=str(Path(workdir).expanduser().absolute()) if workdir else "", session=session)
    if not wanted.is_sound():
        sys.stderr.write("placet: the folder or the session on the command line is too long or not a text.\n")
        return 2
    app = QCoreApplication.instance() or QCoreApplication(["placet"])  # sockets want one
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        if (name := name_in(home)) and _is_taken(name, wanted, end):
            return 0
        if (lock := take_lock(home)) is not None:
            app.shutdown()  # the window makes its own
            return lock
        time.sleep(_TRY_MS / 1000)
    sys.stderr.write(
        f"placet: Placet is already running on {home}, but its window does not answer. Nothing was opened, for two "
        "windows on one data folder would get in each other's way. Close it, or end its process, and start again.\n"
    )
    return 1


def _is_taken(name: str, wanted: Call, end: float) -> bool:
    """Call the window; whether it took what is wanted."""
    socket = QLocalSocket()
    socket.connectToServer(name)
    if not socket.waitForConnected(_TRY_MS):
        return False
    socket.write(msgspec.json.encode(wanted) + b"\n")
    heard = b""
    while len(heard) < len(_TAKEN) and (left := end - time.monotonic()) > 0:
        if not socket.waitForReadyRead(max(1, int(left * 1000))):
            break
        heard += bytes(socket.read(len(_TAKEN)).data())
    return heard == _TAKEN
