"""A scripted server on loopback for the whole program."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.wire_server import WireServer


@pytest.fixture
def server() -> Iterator[WireServer]:
    with WireServer() as running:
        yield running
