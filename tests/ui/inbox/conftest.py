"""What tests of the Inbox's page share: a theme, a clock, a hub in memory, the page in a window of its own."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from placet.core.domain.events import Envelope
from placet.core.domain.review import PendingRequest, RequestKind
from placet.core.domain.stopping import TaskScope
from placet.ui.models.inbox import InboxModel
from placet.ui.panels.inbox.batch_panel import BatchPanel
from placet.ui.panels.inbox.batch_review import BatchReview
from placet.ui.panels.inbox.page import InboxPage
from placet.ui.theme.theme import Theme
from placet.ui.widgets.plane import column_of
from support.fake_clock import FakeClock
from support.fake_hub import FakeHub
from support.panel_fixtures import clock, hub, scope, theme
from support.review_samples import file_diff
from support.settled import settled

__all__ = ["clock", "hub", "scope", "theme"]  # fixtures of this folder too


class Desk:
    """The page, a person at the keyboard, and somebody else at the hub."""

    def __init__(self, qtbot: QtBot, hub: FakeHub, scope: TaskScope, theme: Theme, clock: FakeClock) -> None:
        self.hub, self.clock = hub, clock
        self.window = QWidget()
        qtbot.addWidget(self.window)
        self.model = InboxModel(hub, scope)
        self.page = InboxPage(self.model, hub, scope, theme, now_ms=clock, hold_ms=0)
        self.pane, self.list = self.page.pane, self.page.list
        column_of(self.page, parent=self.window)
        self.window.resize(1200, 800)
        self.window.show()
        self.window.activateWindow()
        qtbot.waitUntil(self.window.isActiveWindow)
        self.page.to_list()

    async def settle(self) -> None:
        """Wait until everything that was started is done, shown, and looked at for long enough to be read."""
        for _ in range(3):
            await settled()
            QCoreApplication.processEvents()

    async def ask(self, *requests: PendingRequest) -> None:
        """Let them wait; half a second passes."""
        for request in requests:
            self.tell(self.hub.ask(request, file_diff() if request.kind is RequestKind.WRITE else None))
        await self.settle()
        self.clock.pass_ms(500)

    def tell(self, *envelopes: Envelope) -> None:
        for envelope in envelopes:
            self.page.handle(envelope)
            self.model.handle(envelope)

    async def elsewhere(self, verb: Callable[[], Awaitable[object]]) -> None:
        """Somebody else does something, and it is told."""
        stream = self.hub.events()
        await verb()
        stream.close()
        async for envelope in stream:
            self.tell(envelope)
        await self.settle()

    async def press(self, *keys: Qt.Key) -> None:
        """Press keys where the keyboard is."""
        for key in keys:
            focused = QApplication.focusWidget()
            assert focused is not None
            await self._act(lambda focused=focused, key=key: QTest.keyClick(focused, key))

    async def click(self, widget: QWidget) -> None:
        await self._act(lambda: QTest.mouseClick(widget, Qt.MouseButton.LeftButton))

    async def _act(self, act: Callable[[], object]) -> None:
        """What it comes to is told afterwards, as a bus may be slower than the list."""
        stream = self.hub.events()
        act()
        await self.settle()
        stream.close()
        async for envelope in stream:
            self.tell(envelope)
        await self.settle()

    @property
    def batch(self) -> BatchReview:
        assert self.page.batch.review is not None
        return self.page.batch.review

    @property
    def panel(self) -> BatchPanel:
        return self.batch.panel

    @property
    def decided(self) -> list[tuple[str, str]]:
        return [(request.removeprefix("request-"), decision) for request, decision, _ in self.hub.decided]

    def is_in(self, part: QWidget) -> bool:
        focused = QApplication.focusWidget()
        return focused is not None and (focused is part or part.isAncestorOf(focused))


@pytest.fixture
async def desk(qtbot: QtBot, hub: FakeHub, scope: TaskScope, theme: Theme, clock: FakeClock) -> AsyncGenerator[Desk]:
    made = Desk(qtbot, hub, scope, theme, clock)
    await made.settle()
    yield made
    made.window.hide()
