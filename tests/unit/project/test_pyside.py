"""The binding in use keeps the reference counts of None and True.

PySide6 6.12 on Python 3.11 loses one per void call and per emit, and the process aborts after a few hundred.
"""

from __future__ import annotations

import sys

import pytest
from PySide6.QtCore import QObject, Signal

CALLS = 10_000
immortal = pytest.mark.skipif(sys.version_info >= (3, 12), reason="None and True are immortal from Python 3.12 on")


class _Emitter(QObject):
    happened = Signal(int)


def test_ten_thousand_emits_arrive() -> None:
    emitter, seen = _Emitter(), []
    emitter.happened.connect(seen.append)
    for number in range(CALLS):
        emitter.happened.emit(number)
    assert seen == list(range(CALLS))


@immortal
def test_void_calls_and_emits_keep_refcounts() -> None:
    emitter = _Emitter()
    emitter.happened.connect(lambda _number: None)
    before = sys.getrefcount(None), sys.getrefcount(True)
    for number in range(CALLS):
        emitter.setObjectName("name")
        emitter.happened.emit(number)
    after = sys.getrefcount(None), sys.getrefcount(True)
    assert all(abs(new - old) < CALLS // 100 for old, new in zip(before, after, strict=True))
