"""The whole program under a qasync loop: real window, real core, a scripted server on loopback."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
import qasync
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from placet.app import Application, create_application
from placet.ui.loop import FastEventLoop
from placet.ui.models.transcript_rows import LedgerRow
from support.placet_process import write_config
from support.wire_server import WireServer, call, stall, text

BOUND_S = 15.0
W = TypeVar("W", bound=QWidget)


@pytest.fixture
def server() -> Iterator[WireServer]:
    with WireServer() as running:
        yield running


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


@pytest.mark.parametrize("make_loop", [FastEventLoop, qasync.QEventLoop])
def test_a_message_an_approved_edit_and_the_answer(
    qapp: QApplication,
    placet_home: Path,
    tmp_path: Path,
    server: WireServer,
    make_loop: Callable[[QApplication], asyncio.AbstractEventLoop],
) -> None:
    write_config(placet_home, server.url)
    target = tmp_path / "a.txt"
    target.write_text("one\ntwo\n")
    server.script(
        [text("Two becomes 2. "), call("edit_file", {"path": str(target), "old_string": "two", "new_string": "2"})],
        [text("It is **done**.")],
    )

    async def journey(driver: Driver) -> None:
        await driver.send("change it")
        await driver.shown("approveButton")
        assert "change it" in driver.chat_text()
        await driver.press_until_gone("approveButton")
        await driver.until(lambda: "It is done." in driver.chat_text(), "no final answer")
        assert target.read_text() == "one\n2\n"

    run_program(qapp, placet_home, journey, make_loop)


def test_r13_a_rejected_edit_leaves_the_file_and_tells_the_model(
    qapp: QApplication, placet_home: Path, tmp_path: Path, server: WireServer
) -> None:
    write_config(placet_home, server.url)
    target = tmp_path / "a.txt"
    target.write_text("one\n")
    server.script([call("write_file", {"path": str(target), "content": "x"})], [text("I understand.")])

    async def journey(driver: Driver) -> None:
        await driver.send("overwrite it")
        await driver.shown("rejectButton")
        await driver.press_until(
            "rejectButton", lambda: driver.widget("rejectNote").isVisible(), "no field for the reason"
        )
        QTest.keyClicks(driver.widget("rejectNote"), "keep it")
        QTest.keyClick(driver.widget("rejectNote"), Qt.Key.Key_Return)
        await driver.until(lambda: "I understand." in driver.chat_text(), "no final answer")
        assert target.read_text() == "one\n"
        assert b"Reason: keep it" in server.requests[1].body

    run_program(qapp, placet_home, journey)


def test_stop_ends_a_streaming_answer_and_the_session_goes_on(
    qapp: QApplication, placet_home: Path, server: WireServer
) -> None:
    write_config(placet_home, server.url)
    server.script([text("A long thought "), stall()], [text("Fresh start.")])

    async def journey(driver: Driver) -> None:
        await driver.send("think")
        await driver.until(lambda: "A long thought" in driver.chat_text(), "nothing streams")
        driver.click("stopButton")
        await driver.until(lambda: not driver.widget("stopButton").isVisible(), "it does not stop")
        await driver.send("again")
        await driver.until(lambda: "Fresh start." in driver.chat_text(), "no answer after the stop")

    run_program(qapp, placet_home, journey)


def test_d11_without_a_model_the_window_offers_the_demo_and_it_runs(qapp: QApplication, placet_home: Path) -> None:
    async def journey(driver: Driver) -> None:
        await driver.shown("startDemo")
        driver.click("startDemo")
        await driver.shown("approveButton")
        await driver.press_until_gone("approveButton")
        await driver.until(lambda: "Undo" in driver.chat_text(), "the demo does not end")

    run_program(qapp, placet_home, journey)


def test_s1_a_second_start_shows_the_same_chat(qapp: QApplication, placet_home: Path, server: WireServer) -> None:
    write_config(placet_home, server.url)
    server.script([text("Remembered.")])

    async def first(driver: Driver) -> None:
        await driver.send("keep this")
        await driver.until(lambda: "Remembered." in driver.chat_text(), "no answer")

    async def second(driver: Driver) -> None:
        await driver.until(lambda: "keep this" in driver.chat_text(), "the chat is not there")
        assert "Remembered." in driver.chat_text()

    run_program(qapp, placet_home, first)
    run_program(qapp, placet_home, second)


def test_r9_a_reverted_edit_is_known_after_a_restart_and_applied_again(
    qapp: QApplication, placet_home: Path, tmp_path: Path, server: WireServer
) -> None:
    write_config(placet_home, server.url)
    file = tmp_path / "a.txt"
    file.write_text("one\n")
    edit = {"path": str(file), "old_string": "one", "new_string": "two"}
    server.script([call("edit_file", edit)], [text("It is done.")])

    def change_id(driver: Driver) -> int:
        rows = driver.content.chat.model.rows
        return next(c.change_id for row in rows if isinstance(row, LedgerRow) for c in row.calls if c.change_id)

    async def first(driver: Driver) -> None:
        await driver.send("change it")
        await driver.shown("approveButton")
        await driver.press_until_gone("approveButton")
        await driver.until(lambda: "It is done." in driver.chat_text(), "the turn does not end")
        driver.content.undo.undo(change_id(driver))
        await driver.shown("undoButton")
        assert file.read_text() == "two\n"
        await driver.press_until_gone("undoButton")
        await driver.until(lambda: "undone" in driver.chat_text(), "it is not undone")
        assert file.read_text() == "one\n"

    async def second(driver: Driver) -> None:
        await driver.until(lambda: "undone" in driver.chat_text(), "the chat has forgotten that it was undone")
        driver.content.undo.apply_again(change_id(driver))
        await driver.shown("undoButton")
        await driver.press_until_gone("undoButton")
        await driver.until(lambda: "undone" not in driver.chat_text(), "it is not applied again")
        assert file.read_text() == "two\n"

    run_program(qapp, placet_home, first)
    run_program(qapp, placet_home, second)


def test_d5_closing_ends_commands_and_threads(
    qapp: QApplication, placet_home: Path, tmp_path: Path, server: WireServer
) -> None:
    write_config(placet_home, server.url)
    server.script([call("execute_cmd", {"command": "sleep 300"})])
    before = threading.active_count()

    async def journey(driver: Driver) -> None:
        await driver.send("run it")
        await driver.shown("approveButton")
        await driver.press_until_gone("approveButton")

    run_program(qapp, placet_home, journey)
    assert threading.active_count() <= before + 1
