"""The whole program under a qasync loop: real window, real core, a scripted server on loopback."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import qasync
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from placet.ui.loop import FastEventLoop
from placet.ui.models.transcript_rows import LedgerRow
from support.placet_process import write_config
from support.program_driver import Driver, run_program
from support.wire_server import WireServer, call, stall, text


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
