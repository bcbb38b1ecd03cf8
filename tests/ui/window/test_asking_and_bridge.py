"""Asking without a nested loop, and the one crossing between core and window."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QWidget
from pytestqt.qtbot import QtBot

from placet.core.domain.errors import PlacetError, StoreError
from placet.core.domain.events import Notification
from placet.ui.asking import ask
from placet.ui.bridge import Bridge
from placet.ui.theme.theme import Theme
from placet.ui.window_closing import ClosingQuestion
from support.window_hub import WindowHub

from .conftest import until


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    made.show()
    return made


@pytest.fixture
async def bridge(hub: WindowHub) -> AsyncGenerator[Bridge]:
    made = Bridge(hub)
    made.start()
    yield made
    await made.aclose()


@pytest.mark.parametrize("accepts", [True, False])
async def test_the_answer_is_awaited_while_other_tasks_go_on(
    qtbot: QtBot, window: QWidget, theme: Theme, accepts: bool
) -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0)
            ticks += 1

    dialog = ClosingQuestion(window, theme)
    async with asyncio.TaskGroup() as group:
        ticking = group.create_task(tick())
        asking = group.create_task(ask(dialog))
        await until(dialog.isVisible)
        before = ticks
        await until(lambda: ticks > before + 3)
        button = dialog.quit if accepts else dialog.cancel
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        assert await asking == (QDialog.DialogCode.Accepted if accepts else QDialog.DialogCode.Rejected)
        ticking.cancel()


async def test_escape_is_an_answer_too(qtbot: QtBot, window: QWidget, theme: Theme) -> None:
    dialog = ClosingQuestion(window, theme)
    asking = asyncio.ensure_future(ask(dialog))
    await until(dialog.isVisible)
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert await asking == QDialog.DialogCode.Rejected


async def test_cancelling_the_wait_closes_the_dialog(window: QWidget, theme: Theme) -> None:
    dialog = ClosingQuestion(window, theme)
    asking = asyncio.ensure_future(ask(dialog))
    await until(dialog.isVisible)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    await until(lambda: window.findChild(QDialog, "closingQuestion") is None)


async def test_a_dialog_that_dies_with_its_window_counts_as_rejected(qtbot: QtBot, theme: Theme) -> None:
    parent = QWidget()
    parent.show()
    dialog = ClosingQuestion(parent, theme)
    asking = asyncio.ensure_future(ask(dialog))
    await until(dialog.isVisible)
    parent.deleteLater()
    async with asyncio.timeout(5):
        assert await asking == QDialog.DialogCode.Rejected


async def test_events_arrive_in_order_from_the_moment_of_the_start(hub: WindowHub, bridge: Bridge) -> None:
    seen: list[str] = []
    bridge.event_arrived.connect(lambda envelope: seen.append(envelope.event.summary))
    for number in range(50):
        hub.emit(None, Notification(summary=str(number)))
    await until(lambda: len(seen) == 50)
    assert seen == [str(number) for number in range(50)]


async def test_missed_events_are_told_as_a_reload(qtbot: QtBot, hub: WindowHub, bridge: Bridge) -> None:
    told: list[bool] = []
    bridge.reload_needed.connect(lambda: told.append(True))
    hub.lose_events()
    await until(lambda: told == [True])


async def test_a_result_goes_to_then_and_an_error_to_the_notice(bridge: Bridge) -> None:
    async def works() -> int:
        return 7

    async def fails() -> int:
        raise StoreError("The disk is full.", hint="Free some space.")

    results: list[int] = []
    errors: list[PlacetError] = []
    own: list[PlacetError] = []
    bridge.failed.connect(errors.append)
    bridge.run(works(), results.append)
    bridge.run(fails(), results.append)
    bridge.run(fails(), results.append, own.append)
    await until(lambda: results and errors and own)
    assert results == [7] and len(errors) == len(own) == 1


async def test_what_comes_after_the_end_is_dropped(bridge: Bridge) -> None:
    begun: list[bool] = []

    async def work() -> None:
        begun.append(True)

    bridge.run(work())
    await bridge.aclose()  # cancelled before its first step
    bridge.run(work())
    await asyncio.sleep(0)
    assert begun == []
