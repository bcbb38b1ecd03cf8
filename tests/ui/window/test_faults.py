"""A fault of the program is told in the window, with its details, and once (`D-12`)."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from placet.ui.faults import Faults
from placet.ui.window import MainWindow

from .conftest import OpenWindow, until


@pytest.fixture
async def window(open_window: OpenWindow) -> AsyncGenerator[MainWindow]:
    made = await open_window()
    loop = asyncio.get_running_loop()
    before = loop.get_exception_handler()
    faults = Faults(made.show_error)
    faults.watch(loop)
    yield made
    faults.end()
    loop.set_exception_handler(before)


def fail() -> None:
    raise ZeroDivisionError("the shed is on fire")


@pytest.mark.expected_logs("slot failed", "Exception in callback")
@pytest.mark.parametrize("where", ["slot", "callback"])
async def test_d_12_a_fault_says_what_it_means_and_its_details_can_be_copied(
    qtbot: QtBot, window: MainWindow, where: str
) -> None:
    if where == "slot":
        QTimer.singleShot(0, fail)
    else:
        asyncio.get_running_loop().call_soon(fail)
    banner = window.notices.banner
    await until(banner.isVisible)
    assert banner.title.text() and banner.sentence.text()
    qtbot.mouseClick(banner.details, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(banner.copy, Qt.MouseButton.LeftButton)
    assert "ZeroDivisionError: the shed is on fire" in QGuiApplication.clipboard().text()


@pytest.mark.expected_logs("slot failed")
async def test_a_fault_that_comes_back_with_each_frame_is_told_once(window: MainWindow) -> None:
    told: list[str] = []
    faults = Faults(lambda error: told.append(error.detail))
    faults.watch(asyncio.get_running_loop())
    timer = QTimer()
    timer.timeout.connect(fail)
    ticks: list[None] = []
    timer.timeout.connect(lambda: ticks.append(None))
    timer.start(1)
    await until(lambda: len(ticks) > 5)
    timer.stop()
    faults.end()
    assert len(told) == 1


async def test_the_hook_of_before_is_there_again(window: MainWindow) -> None:
    before = sys.excepthook
    faults = Faults(window.show_error)
    faults.watch(asyncio.get_running_loop())
    assert sys.excepthook is not before
    faults.end()
    assert sys.excepthook is before
