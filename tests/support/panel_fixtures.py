"""What tests of panels share as fixtures: a theme, a clock, a hub in memory, a scope that ends with the test."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest
from PySide6.QtWidgets import QApplication

from placet.core.domain.stopping import TaskScope
from placet.ui.theme.theme import Theme
from support.fake_clock import FakeClock
from support.fake_hub import FakeHub


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(scope="session")
def theme(qapp: QApplication) -> Theme:
    made = Theme(qapp)
    made.use("light")
    return made


@pytest.fixture
def hub() -> FakeHub:
    return FakeHub()


@pytest.fixture
async def scope() -> AsyncGenerator[TaskScope]:
    made = TaskScope("test")
    yield made
    await made.close()
