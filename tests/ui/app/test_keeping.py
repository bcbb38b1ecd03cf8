"""Sessions kept from the sidebar of the whole program: forked, pinned, put away, exported, removed and brought back."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from placet.core.domain.archive import ExportFormat
from placet.core.domain.messages import Session
from placet.ui.models.sessions import ROW_ROLE, Keep
from placet.ui.window import MainWindow
from support.placet_process import write_config
from support.program_driver import Driver, run_program
from support.wire_server import WireServer, text


def rows(window: MainWindow) -> list[Session]:
    model = window.sessions
    return [model.index(row).data(ROW_ROLE) for row in range(model.rowCount())]


def titles(driver: Driver) -> list[str]:
    return [row.title for row in rows(driver.content)]


async def two_chats(driver: Driver) -> None:
    await driver.send("the albatross")
    await driver.until(lambda: "One." in driver.chat_text(), "no answer")
    driver.content.places.start_new_chat()
    await driver.until(lambda: "One." not in driver.chat_text(), "no new chat")
    await driver.send("the pelican")
    await driver.until(lambda: "Two." in driver.chat_text(), "no answer")
    await driver.until(lambda: titles(driver) == ["the pelican", "the albatross"], "not both are listed")


def menu_of(driver: Driver, row: int) -> dict[str, QAction]:
    """Open the menu of a row by keyboard."""
    listed = driver.content.sidebar.sessions
    listed.setCurrentIndex(listed.model().index(row, 0))
    QTest.keyClick(listed, Qt.Key.Key_Menu)
    (menu,) = [each for each in listed.findChildren(QMenu) if each.isVisible()]
    found = {action.text().partition("\t")[0]: action for action in menu.actions() if action.text()}
    menu.hide()
    return found


def test_a_chat_is_removed_by_key_and_brought_back_by_the_button(
    qapp: QApplication, placet_home: Path, server: WireServer
) -> None:
    write_config(placet_home, server.url)
    server.script([text("One.")], [text("Two.")])

    async def journey(driver: Driver) -> None:
        await two_chats(driver)
        listed = driver.content.sidebar.sessions
        listed.setCurrentIndex(listed.model().index(0, 0))
        QTest.keyClick(listed, Qt.Key.Key_Delete)
        await driver.until(lambda: titles(driver) == ["the albatross"], "it is still listed")
        await driver.until(lambda: "Two." not in driver.chat_text(), "it is still shown")
        banner = driver.content.notices.banner
        assert banner.title.text() == "“the pelican” is removed."
        QTest.mouseClick(banner.offer, Qt.MouseButton.LeftButton)
        await driver.until(lambda: len(titles(driver)) == 2, "it did not come back")
        assert not banner.isVisible()

    run_program(qapp, placet_home, journey)


def test_a_chat_is_pinned_forked_and_put_away_from_its_menu(
    qapp: QApplication, placet_home: Path, server: WireServer
) -> None:
    write_config(placet_home, server.url)
    server.script([text("One.")], [text("Two.")])

    async def journey(driver: Driver) -> None:
        await two_chats(driver)
        menu_of(driver, 1)["Pin"].trigger()
        await driver.until(lambda: titles(driver) == ["the albatross", "the pelican"], "it is not first")
        model = driver.content.sessions
        assert model.index(0).data(Qt.ItemDataRole.AccessibleTextRole) == "the albatross, pinned"
        menu_of(driver, 0)["Fork"].trigger()
        await driver.until(lambda: len(titles(driver)) == 3 and "One." in driver.chat_text(), "no fork is shown")
        menu_of(driver, 0)["Unpin"].trigger()
        await driver.until(lambda: not rows(driver.content)[0].pinned, "it is still pinned")
        pelican = titles(driver).index("the pelican")
        menu_of(driver, pelican)["Put away"].trigger()
        await driver.until(lambda: "the pelican" not in titles(driver), "it is still listed")
        QTest.mouseClick(driver.content.notices.banner.offer, Qt.MouseButton.LeftButton)
        await driver.until(lambda: "the pelican" in titles(driver), "it did not come back")

    run_program(qapp, placet_home, journey)


def test_a_chat_is_exported_removed_and_imported_again(
    qapp: QApplication, placet_home: Path, tmp_path: Path, server: WireServer
) -> None:
    write_config(placet_home, server.url)
    server.script([text("One.")], [text("Two.")])

    async def journey(driver: Driver) -> None:
        await two_chats(driver)
        window, (pelican, _) = driver.content, rows(driver.content)
        place = tmp_path / "pelican.json"
        await window.keeping.export_to(pelican.id, ExportFormat.JSON, place)
        assert window.notices.banner.sentence.text() == str(place)
        window.keeping.keep(pelican, Keep.DELETE)
        await driver.until(lambda: titles(driver) == ["the albatross"], "it is still listed")
        await window.keeping.import_from([place])
        await driver.until(lambda: "Two." in driver.chat_text(), "it is not shown")
        assert window.notices.banner.title.text() == "1 imported"
        window.keeping.keep(rows(window)[0], Keep.EXPORT)  # the dialog is no obstacle to quitting

    run_program(qapp, placet_home, journey)
