"""System notifications through the desktop portal, against a portal of our own on a bus of its own."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Generator

import pytest
from PySide6.QtCore import ClassInfo, QObject, Signal, Slot
from PySide6.QtDBus import QDBusConnection
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from placet.ui.notices_portal import INTERFACE, PATH, SERVICE, Portal

pytestmark = pytest.mark.skipif(shutil.which("dbus-daemon") is None, reason="there is no dbus-daemon here")


@ClassInfo({"D-Bus Interface": INTERFACE})
class Desktop(QObject):
    """What shows notifications; a person clicks on one by `ActionInvoked`."""

    ActionInvoked = Signal(str, str, "QVariantList")

    def __init__(self) -> None:
        super().__init__()
        self.shown: dict[str, dict[str, str]] = {}
        self.count = 0

    @Slot(str, "QVariantMap")
    def AddNotification(self, name: str, notification: dict[str, str]) -> None:
        self.shown[name] = notification
        self.count += 1

    @Slot(str)
    def RemoveNotification(self, name: str) -> None:
        self.shown.pop(name, None)


@pytest.fixture
def address() -> Generator[str]:
    command = ["dbus-daemon", "--session", "--nofork", "--print-address=1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as daemon:
        assert daemon.stdout is not None
        try:
            yield daemon.stdout.readline().strip()
        finally:
            daemon.terminate()


@pytest.fixture
def desktop(address: str, qapp: QApplication) -> Generator[Desktop]:
    bus = QDBusConnection.connectToBus(address, "desktop")
    made = Desktop()
    assert bus.registerObject(PATH, made, QDBusConnection.RegisterOption.ExportAllContents)
    assert bus.registerService(SERVICE)
    yield made
    QDBusConnection.disconnectFromBus("desktop")


@pytest.fixture
def portal(address: str, desktop: Desktop) -> Generator[Portal]:
    yield Portal(QDBusConnection.connectToBus(address, "placet"))
    QDBusConnection.disconnectFromBus("placet")


def test_d_6_a_notification_stands_in_the_place_of_the_one_before(
    portal: Portal, desktop: Desktop, qtbot: QtBot
) -> None:
    portal.notify("Placet waits for you", "Run a command: make")
    portal.notify("Placet waits for you", "3 things wait for you")
    qtbot.waitUntil(lambda: desktop.count == 2)
    assert [each["body"] for each in desktop.shown.values()] == ["3 things wait for you"]


def test_d_6_a_click_on_ours_is_told_and_one_on_another_programs_is_not(
    portal: Portal, desktop: Desktop, qtbot: QtBot
) -> None:
    told: list[bool] = []
    portal.clicked.connect(lambda: told.append(True))
    portal.notify("Placet waits for you", "Run a command: make")
    qtbot.waitUntil(lambda: bool(desktop.shown))
    desktop.ActionInvoked.emit("somebody's", "default", [])
    desktop.ActionInvoked.emit(next(iter(desktop.shown)), "default", [])
    qtbot.waitUntil(lambda: bool(told))
    assert told == [True]


def test_what_is_shown_goes_with_the_program(portal: Portal, desktop: Desktop, qtbot: QtBot) -> None:
    portal.notify("Placet waits for you", "Run a command: make")
    qtbot.waitUntil(lambda: bool(desktop.shown))
    portal.hide()
    qtbot.waitUntil(lambda: not desktop.shown)


def test_without_a_portal_nothing_is_shown_and_nothing_fails(address: str, qapp: QApplication, qtbot: QtBot) -> None:
    portal = Portal(QDBusConnection.connectToBus(address, "alone"))
    portal.notify("Placet waits for you", "Run a command: make")
    portal.notify("Placet waits for you", "2 things wait for you")
    portal.hide()
    QDBusConnection.disconnectFromBus("alone")
    nowhere = Portal(QDBusConnection("no such bus"))
    nowhere.notify("Placet waits for you", "Run a command: make")
    nowhere.hide()
