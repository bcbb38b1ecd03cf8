"""What tests of the Inbox's models share: a hub in memory, a scope, and following the hub's events."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest

from placet.core.domain.stopping import TaskScope
from support.fake_hub import FakeHub


@pytest.fixture
def hub() -> FakeHub:
    return FakeHub()


@pytest.fixture
async def scope() -> AsyncGenerator[TaskScope]:
    made = TaskScope("test")
    yield made
    await made.close()
