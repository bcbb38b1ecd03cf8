"""Settings, Agents: who there is, where they are from, and what is broken."""

from __future__ import annotations

from collections.abc import Generator

import pytest
from PySide6.QtCore import QEvent, QObject, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget
from pytestqt.qtbot import QtBot

from placet.core.domain.agents import AgentType
from placet.ui.panels.settings.agents_section import AgentsSection
from placet.ui.panels.settings.page import SettingsPage
from placet.ui.window import MainWindow
from support.window_hub import WindowHub

from .conftest import OpenWindow, until


@pytest.fixture
def hub(hub: WindowHub) -> WindowHub:
    """With a shipped agent of each type and two own ones."""
    agents = hub.agents
    agents.add("writer", description="Writes prose.", friendly="Writes for people.", strength="high", scope="writing")
    agents.add("tic", AgentType.SYSTEM, friendly="Watches.", memory=("index.md",))
    agents.add("poet", own=True, friendly="Makes verses.", description="Writes poems.", model="large")
    agents.add("teacher", AgentType.CHAT, own=True, friendly="Explains.")
    return hub


class _Opened(QObject):
    def __init__(self) -> None:
        super().__init__()
        self.paths: list[str] = []

    @Slot(QUrl)
    def take(self, url: QUrl) -> None:
        self.paths.append(url.toLocalFile())


@pytest.fixture
def opened() -> Generator[list[str]]:
    """The folders that the system was asked to open."""
    catcher = _Opened()
    QDesktopServices.setUrlHandler("file", catcher, "take")
    yield catcher.paths
    QDesktopServices.unsetUrlHandler("file")


def click(qtbot: QtBot, widget: QWidget) -> None:
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton)


async def _section(qtbot: QtBot, window: MainWindow) -> AgentsSection:
    window.places.go_to("settings")
    page = window.pages.settings
    click(qtbot, next(button for button in page.findChildren(QAbstractButton) if button.text() == "Agents"))
    assert page.agents.isVisible()
    await until(lambda: window.catalogue.is_loaded)
    return page.agents


async def test_all_agents_are_listed_by_what_they_are_for(qtbot: QtBot, open_window: OpenWindow) -> None:
    section = await _section(qtbot, await open_window())
    assert list(section.cards) == ["assistant", "teacher", "poet", "writer", "tic"]
    names = {agent_id: card.line.accessibleName() for agent_id, card in section.cards.items()}
    assert names["assistant"] == "Assistant, Works with you in the folder you chose., answers in this chat"
    assert names["poet"] == "Poet, own, Makes verses."
    assert not section.problems.isVisible()


async def test_an_opened_agent_tells_its_facts_in_words(qtbot: QtBot, open_window: OpenWindow) -> None:
    section = await _section(qtbot, await open_window())
    writer = section.cards["writer"]
    click(qtbot, writer.line)
    assert writer.body.isVisible()
    assert writer.facts == [
        ("Id", "writer"), ("Kind", "Takes tasks from other agents"), ("From", "Comes with Placet"),
        ("Model", "Prefers a strong model for writing, else the chat's model"), ("Chosen for", "Writes prose."),
    ]  # fmt: skip
    assert not writer.open.isVisible() and not writer.use.isVisible()
    poet = dict(section.cards["poet"].facts)
    assert poet["From"] == "/home/ada/.local/share/placet/agents/poet"
    assert poet["Model"] == "large, which is not configured"
    assert dict(section.cards["assistant"].facts)["Model"] == "The chat's model"
    tic = dict(section.cards["tic"].facts)
    assert (tic["Kind"], tic["Begins with"]) == ("Works in the background", "its notes in index.md")


async def test_folders_of_own_agents_can_be_opened(qtbot: QtBot, open_window: OpenWindow, opened: list[str]) -> None:
    section = await _section(qtbot, await open_window())
    click(qtbot, section.open)
    poet = section.cards["poet"]
    click(qtbot, poet.line)
    click(qtbot, poet.open)
    assert opened == ["/home/ada/.local/share/placet/agents", "/home/ada/.local/share/placet/agents/poet"]


async def test_a_chat_agent_is_put_to_use_in_the_chat(qtbot: QtBot, hub: WindowHub, open_window: OpenWindow) -> None:
    section = await _section(qtbot, await open_window())
    teacher = section.cards["teacher"]
    click(qtbot, teacher.line)
    click(qtbot, teacher.use)
    await until(lambda: "answers in this chat" in section.cards["teacher"].line.accessibleName())
    assert hub.asked("select_agent") == ["teacher"]
    assert section.cards["teacher"].line.isChecked()  # an open card stays open
    assert not section.cards["teacher"].use.isVisible()
    assert "answers" not in section.cards["assistant"].line.accessibleName()


async def test_what_is_broken_is_told_in_words_and_here_only(
    qtbot: QtBot, hub: WindowHub, open_window: OpenWindow
) -> None:
    hub.agents.troubles = ["agents/bad/AGENT.md: it is missing; the agent is left out."]
    section = await _section(qtbot, await open_window())
    assert section.problems.isVisible()
    assert section.problems.sentence.text() == hub.agents.troubles[0]
    page = section.window().findChild(SettingsPage)
    page.show_section(0)
    assert page.providers.isVisible() and not page.providers.problems.isVisible()


async def test_a_file_that_changed_is_seen_when_one_comes_back(
    qtbot: QtBot, hub: WindowHub, open_window: OpenWindow
) -> None:
    section = await _section(qtbot, await open_window())
    hub.agents.add("novelist", own=True, friendly="Writes more.")
    hub.agents.troubles = ["agents/bad: x."]
    QApplication.sendEvent(section, QEvent(QEvent.Type.ActivationChange))
    assert "novelist" in section.cards and section.problems.isVisible()
    hub.agents.troubles = []
    page = section.window().findChild(SettingsPage)
    page.show_section(0)
    page.show_section(3)
    assert not section.problems.isVisible()
