"""What tests of the window share: the program's own event loop, a hub in memory, a window that ends with the test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from placet.core.domain.model_calls import Dialect, Model, Provider
from placet.ui.frame import Frame
from placet.ui.loop import FastEventLoop
from placet.ui.theme.theme import Theme
from placet.ui.window import MainWindow
from placet.ui.window_state import FilePreferences
from support.window_hub import WindowHub

BOUND_S = 5.0
OpenWindow = Callable[..., Coroutine[Any, Any, MainWindow]]


@pytest.hookimpl(optionalhook=True)
def pytest_asyncio_loop_factories() -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Coroutines here run on the window's loop; the instance is made late, for it needs the application."""
    return {"window": lambda: FastEventLoop(QApplication.instance() or QApplication([]))}


@pytest.fixture(scope="session")
def theme(qapp: QApplication) -> Theme:
    qapp.setQuitOnLastWindowClosed(False)
    made = Theme(qapp)
    made.use("light")
    return made


@pytest.fixture
def hub() -> WindowHub:
    """With one provider and one model; no session yet."""
    made = WindowHub()
    made.catalogue.by_name["local"] = Provider(name="local", type=Dialect.OPENAI, base_url="http://127.0.0.1:8080/v1")
    made.catalogue.by_model["small"] = Model(name="small", provider="local", model_id="small-1", default=True)
    return made


@pytest.fixture
def preferences(tmp_path: Path) -> FilePreferences:
    made = FilePreferences(tmp_path / "window.ini")
    made.write("look", "light")
    return made


@pytest.fixture
async def open_window(hub: WindowHub, theme: Theme, preferences: FilePreferences) -> AsyncGenerator[OpenWindow]:
    """Make, show and open a window; called again, another one on the same hub and preferences."""
    made: list[MainWindow] = []

    async def make(width: int = 1440, height: int = 900) -> MainWindow:
        frame = Frame(preferences)
        window = MainWindow(frame, hub, theme, preferences)
        made.append(window)
        frame.fill(window)
        frame.resize(width, height)
        frame.show()
        frame.activateWindow()
        await until(window.isActiveWindow)
        await window.open()
        return window

    yield make
    for window in made:
        await window.aclose()
        window.frame.deleteLater()


async def until(condition: Callable[[], object]) -> None:
    """Let the loop turn until `condition` holds, at most five seconds."""
    async with asyncio.timeout(BOUND_S):
        while not condition():  # noqa: ASYNC110 (any of many events may bring it)
            await asyncio.sleep(0)
