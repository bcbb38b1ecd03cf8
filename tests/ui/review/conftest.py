"""What tests of the review pane and the Changes page share: a theme, a clock, requests, waiting without sleeping."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QCoreApplication
from pytestqt.qtbot import QtBot

from placet.core.domain.stopping import TaskScope
from placet.ui.models.review import ReviewModel
from placet.ui.theme.theme import Theme
from support.fake_clock import FakeClock
from support.fake_hub import FakeHub
from support.panel_fixtures import clock, hub, scope, theme
from support.review_desk import Desk
from support.settled import settled

__all__ = ["clock", "hub", "scope", "theme"]  # fixtures of this folder too


@pytest.fixture
def settle(scope: TaskScope) -> Callable[[], object]:
    """Wait until everything that was started is done and shown."""

    async def wait() -> None:
        await settled()
        QCoreApplication.processEvents()

    return wait


@pytest.fixture
async def model(hub: FakeHub, scope: TaskScope) -> ReviewModel:
    return ReviewModel(hub, scope)


@pytest.fixture
async def desk(qtbot: QtBot, model: ReviewModel, theme: Theme, clock: FakeClock) -> Desk:
    return Desk(qtbot, model, theme, clock)
