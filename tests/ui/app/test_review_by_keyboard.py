"""The whole way of a review without the mouse: choose hunks, edit, edit a command, let more of the same pass."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from placet.ui.widgets.diff.exact import ExactText
from placet.ui.widgets.diff.view import DiffView
from support.placet_process import write_config
from support.program_driver import Driver, run_program
from support.wire_server import WireServer, call, text

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
OLD = "".join(f"line {n}\n" for n in range(1, 41))
NEW = OLD.replace("line 3\n", "line three\n").replace("line 20\n", "line twenty\n").replace("line 38\n", "the end\n")


async def at(driver: Driver, label: str) -> None:
    """Wait until the review pane says on its first button what Approve would do, and give it the keyboard."""
    approve = driver.widget("approveButton")
    await driver.until(lambda: approve.isVisible() and approve.accessibleName() == label, f"no button {label}")
    driver.key(Qt.Key.Key_F6)


async def enter_until(driver: Driver, said: str) -> None:
    """Press Enter again and again: for half a second after something appears it decides nothing."""

    def pressed() -> bool:
        if said not in driver.chat_text() and driver.widget("approveButton").isVisible():
            driver.key(Qt.Key.Key_Return)
        return said in driver.chat_text()

    await driver.until(pressed, f"{said} is not said")


def test_r_5_hunks_are_chosen_and_a_text_is_edited_by_keyboard_alone(
    qapp: QApplication, placet_home: Path, tmp_path: Path, server: WireServer
) -> None:
    write_config(placet_home, server.url)
    target = tmp_path / "a.txt"
    target.write_text(OLD)
    again = {"path": str(target), "content": NEW}
    server.script([call("write_file", again)], [text("Part one. "), call("write_file", again)], [text("Part two.")])

    async def journey(driver: Driver) -> None:
        await driver.send("change it")
        await at(driver, "Approve all 3 hunks")
        for key in (Qt.Key.Key_S, Qt.Key.Key_A, Qt.Key.Key_N, Qt.Key.Key_S):
            driver.key(key)
        await at(driver, "Approve 1 of 3 hunks")
        await enter_until(driver, "Part one.")
        assert target.read_text() == OLD.replace("line 20\n", "line twenty\n")
        assert b"approved only a part" in server.requests[1].body
        await at(driver, "Approve all 2 hunks")
        driver.key(Qt.Key.Key_S)
        driver.key(Qt.Key.Key_E)
        await driver.until(lambda: driver.widget("codeEditor").hasFocus(), "no editor")
        driver.type("my own ")
        driver.key(Qt.Key.Key_Return, CONTROL)
        await at(driver, "Approve your version")
        assert "+my own the end" in driver.widget("diffView", DiffView).plain_text()
        await enter_until(driver, "Part two.")
        assert target.read_text() == OLD.replace("line 20\n", "line twenty\n").replace("line 38\n", "my own the end\n")

    run_program(qapp, placet_home, journey)


def test_r_13_a_command_is_edited_and_more_of_the_same_let_pass_by_keyboard_alone(
    qapp: QApplication, placet_home: Path, server: WireServer
) -> None:
    write_config(placet_home, server.url)
    server.script(
        [call("execute_cmd", {"command": "echo proposed"})],
        [text("One. "), call("execute_cmd", {"command": "echo second"})],
        [text("Two. "), call("execute_cmd", {"command": "echo third"})],
        [text("Three.")],
    )

    async def journey(driver: Driver) -> None:
        await driver.send("run it")
        await at(driver, "Approve")
        driver.key(Qt.Key.Key_E)
        await driver.until(lambda: driver.widget("codeEditor").hasFocus(), "no editor")
        driver.key(Qt.Key.Key_A, CONTROL)
        driver.type("echo $((40 + 2)) > /dev/null; sudo -n true; echo mine")
        driver.key(Qt.Key.Key_Return, CONTROL)
        await at(driver, "Run your command")
        exact = driver.window.findChild(ExactText)
        assert exact is not None
        assert "sudo" in exact.notices.accessibleName()  # said anew, of what was typed
        await enter_until(driver, "One.")
        assert b"echo mine" in server.requests[1].body
        await at(driver, "Approve")
        unasked = driver.widget("unaskedButton")

        def menu() -> QMenu | None:
            return next((found for found in driver.window.findChildren(QMenu) if found.isVisible()), None)

        def opened() -> bool:
            if menu() is None:
                driver.key(Qt.Key.Key_Return, SHIFT)
            return menu() is not None

        await driver.until(opened, "no menu")
        shown = menu()
        assert shown is not None
        for _ in range(4):  # past the three times of exactly this command, to those of any command
            QTest.keyClick(shown, Qt.Key.Key_Down)
        QTest.keyClick(shown, Qt.Key.Key_Return)
        await driver.until(lambda: "Three." in driver.chat_text(), "the third command was asked about")
        await driver.until(unasked.isVisible, "nothing says that commands pass unasked")
        assert unasked.accessibleName().startswith("Not asked: any command until ")

    run_program(qapp, placet_home, journey)
