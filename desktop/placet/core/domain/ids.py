"""Identifiers. A session has a public text id; rows below it are numbered by the store."""

from __future__ import annotations

import os
import time
from typing import NewType

SessionId = NewType("SessionId", str)
FrameId = NewType("FrameId", int)
MessageId = NewType("MessageId", int)
CallId = NewType("CallId", int)
ChangeId = NewType("ChangeId", int)
RequestId = NewType("RequestId", str)


def new_session_id() -> SessionId:
    """Return a fresh id whose text order is the order of creation (to the millisecond)."""
    return SessionId(f"{time.time_ns() // 1_000_000:011x}{os.urandom(5).hex()}")


def new_request_id() -> RequestId:
    return RequestId(os.urandom(8).hex())
