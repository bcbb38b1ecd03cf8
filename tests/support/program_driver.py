"""Drives the whole program in this process as a person does: by the names of widgets, clicks and keys."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from placet.app import Application, create_application
from placet.ui.loop import FastEventLoop

BOUND_S = 15.0
W = TypeVar("W", bound=QWidget)


class Driver:
    """Drives one application as a person does: it looks for widgets by name, clicks and types."""

    def __init__(self, application: Application) -> None:
        self.application = application
        self.window, self.content = application.window, application.content

    def widget(self, name: str, kind: type[W] = QWidget) -> W:
        found = self.window.findChild(kind, name)
        assert found is not None, f"no widget is named {name}"
        return found

    async def until(self, is_so: Callable[[], bool], what: str) -> None:
        """Look again and again until `is_so`; bounded."""
        try:
            async with asyncio.timeout(BOUND_S):
                while not is_so():  # noqa: ASYNC110 - what is waited for is on the screen, and has no event
                    await asyncio.sleep(0.01)
        except TimeoutError:
            raise AssertionError(f"{what}; the chat shows: {self.chat_text()}") from None

    def chat_text(self) -> str:
        chat: Any = self.widget("chatView")
        return "\n".join(chat.plain_text(index) for index in range(chat.message_count()))

    async def send(self, message: str) -> None:
        composer = self.widget("composer")
        QTest.keyClicks(composer, message)
        QTest.keyClick(composer, Qt.Key.Key_Return)

    def click(self, name: str) -> None:
        QTest.mouseClick(self.widget(name), Qt.MouseButton.LeftButton)

    async def press_until(self, name: str, is_so: Callable[[], bool], what: str) -> None:
        """Press again and again: for half a second after a request appears, nothing decides it."""

        def pressed() -> bool:
            if not is_so():
                self.click(name)
            return is_so()

        await self.until(pressed, what)

    async def press_until_gone(self, name: str) -> None:
        await self.press_until(name, lambda: not self.widget(name).isVisible(), f"{name} stays")

    def key(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """Press a key where the keyboard is."""
        QTest.keyClick(QApplication.focusWidget() or self.window, key, modifiers)

    def type(self, words: str) -> None:
        QTest.keyClicks(QApplication.focusWidget() or self.window, words)

    async def shown(self, name: str) -> None:
        await self.until(
            lambda: self.widget(name).isVisible() and self.widget(name).isEnabled(), f"{name} is not there"
        )


def run_program(
    qapp: QApplication,
    home: Path,
    journey: Callable[[Driver], Coroutine[Any, Any, None]],
    make_loop: Callable[[QApplication], asyncio.AbstractEventLoop] = FastEventLoop,
) -> None:
    """Start the program on `home`, go through `journey`, and close it in order."""

    async def whole() -> None:
        application = create_application(home)
        application.window.resize(1440, 900)  # the screen of the tests is smaller
        try:
            await application.start()
            await journey(Driver(application))
        finally:
            await application.aclose()

    with asyncio.Runner(loop_factory=lambda: make_loop(qapp)) as runner:
        runner.run(whole())
