"""The debug view in the whole program: every row of a session, hidden ones too, and who let each call pass (`R-12`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit

from placet.ui.panels.sessions.detail_page import SessionDetail
from support.placet_process import write_config
from support.program_driver import Driver, run_program
from support.wire_server import WireServer, call, text


def test_r_12_everything_of_a_session_is_shown_by_keys_and_a_decision_is_explained(
    qapp: QApplication, placet_home: Path, tmp_path: Path, server: WireServer
) -> None:
    write_config(placet_home, server.url)
    target = tmp_path / "a.txt"
    target.write_text("one\n")
    task = {"agent": "generalist", "task": "look at it"}
    server.script(
        [text("I read it. "), call("read_file", {"path": str(target)}), call("execute_task", task)],
        [text("I looked below.")],
        [call("write_file", {"path": str(target), "content": "two\n"})],
        [text("All is done.")],
    )

    async def journey(driver: Driver) -> None:
        await driver.send("change it")
        await driver.shown("approveButton")
        for _ in range(3):  # reading outside of the chat's folder, the task, the write: each waits
            await driver.press_until_gone("approveButton")
            if "All is done." in driver.chat_text():
                break
            await driver.until(
                lambda: driver.widget("approveButton").isVisible() or "All is done." in driver.chat_text(), "stuck"
            )
        await driver.until(lambda: "All is done." in driver.chat_text(), "no final answer")
        driver.key(Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
        await driver.shown("sessionDetail")
        page: Any = driver.widget("sessionDetail", SessionDetail)
        await driver.until(lambda: page.list.model().rowCount() > 8, "no rows")
        rows = [page.list.model().index(row, 0).data() for row in range(page.list.model().rowCount())]
        assert rows[0] == "you: change it" and rows[-1].endswith("All is done.")
        assert "sub-agent begins" in rows and "sub-agent ends" in rows
        shown = page.findChild(QPlainTextEdit)
        assert "All is done." in shown.toPlainText()
        page.list.choose(next(at for at, row in enumerate(rows) if row.startswith("write_file")))
        told = shown.toPlainText()
        assert "Who decided\nallow by person: approved by a person" in told
        assert '"content": "two\\n"' in told and "Result" in told
        page.list.choose(0)
        assert "Working directory" in shown.toPlainText(), "what the model was told beside it"
        page.list.choose(next(at for at, row in enumerate(rows) if row.startswith("write_file")))
        QTest.mouseClick(page.explain, Qt.MouseButton.LeftButton)
        await driver.until(lambda: driver.widget("settingsDialog").isVisible(), "no explanation")
        driver.content.places.go_to("detail")
        await driver.shown("sessionDetail")
        QTest.keyClick(page.list, Qt.Key.Key_Escape)
        await driver.until(lambda: driver.widget("composer").isVisible(), "Escape does not lead back")

    run_program(qapp, placet_home, journey)
