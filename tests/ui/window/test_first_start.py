"""`D-11`: three steps, each skippable, or a demo that needs no model."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QWidget
from pytestqt.qtbot import QtBot

from placet.core.domain.messages import Mode
from placet.core.domain.model_calls import Dialect, ModelTest, Provider
from placet.ui.window import MainWindow
from placet.ui.window_state import FilePreferences
from support.window_hub import WindowHub

from .conftest import OpenWindow, until

OLLAMA = Provider(name="ollama", type=Dialect.OPENAI, base_url="http://127.0.0.1:11434/v1")
KEYED = Provider(
    name="anthropic", type=Dialect.ANTHROPIC, base_url="https://api.anthropic.com", api_key_env="ANTHROPIC_API_KEY"
)


@pytest.fixture
def fresh(hub: WindowHub) -> WindowHub:
    hub.catalogue.by_name.clear()
    hub.catalogue.by_model.clear()
    return hub


def click(qtbot: QtBot, widget: QWidget) -> None:
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton)


def _is_over(window: MainWindow) -> bool:
    return not window.pages.first_start.isVisible() and window.chat.isVisible()


async def test_it_appears_only_while_no_model_is_configured(hub: WindowHub, open_window: OpenWindow) -> None:
    window = await open_window()
    assert window.findChild(QWidget, "firstStart") is None
    hub.catalogue.by_model.clear()
    other = await open_window()
    assert other.pages.first_start.isVisible()


async def test_what_is_found_here_is_tested_and_becomes_the_default(
    qtbot: QtBot, fresh: WindowHub, open_window: OpenWindow
) -> None:
    fresh.catalogue.here = [OLLAMA, KEYED]
    fresh.catalogue.lists["ollama"] = ["gemma3:12b"]
    window = await open_window()
    step = window.pages.first_start.models
    await until(lambda: step.chosen() == OLLAMA)
    assert "found two" in step.sentence.text()
    rows = [button.text() for button in step.findChildren(QAbstractButton) if button.isCheckable()]
    assert "Anthropic, with the key in ANTHROPIC_API_KEY" in rows
    assert fresh.catalogue.by_name == {}  # nothing is used before it is chosen
    click(qtbot, step.go_on)
    await until(window.pages.first_start.folder.isVisible)
    made = fresh.catalogue.by_model["gemma3:12b"]
    assert made.default and made.provider == "ollama"
    assert fresh.catalogue.keys == {}  # a key in the environment is not copied


async def test_of_several_models_one_is_chosen(qtbot: QtBot, fresh: WindowHub, open_window: OpenWindow) -> None:
    fresh.catalogue.here = [OLLAMA]
    fresh.catalogue.lists["ollama"] = ["gemma3:12b", "qwen3:4b"]
    window = await open_window()
    step = window.pages.first_start.models
    await until(lambda: step.chosen() == OLLAMA)
    click(qtbot, step.go_on)
    await until(step.model.isVisible)
    step.model.choose("qwen3:4b")
    click(qtbot, step.go_on)
    await until(window.pages.first_start.folder.isVisible)
    assert list(fresh.catalogue.by_model) == ["qwen3:4b"]


async def test_a_failing_test_stays_and_says_what_to_do(
    qtbot: QtBot, fresh: WindowHub, open_window: OpenWindow
) -> None:
    fresh.catalogue.here = [OLLAMA]
    fresh.catalogue.lists["ollama"] = ["broken"]
    fresh.catalogue.tests["broken"] = ModelTest(
        model="broken", works=False, message="It does not fit into memory.", hint="Choose a smaller one."
    )
    window = await open_window()
    step = window.pages.first_start.models
    await until(lambda: step.chosen() == OLLAMA)
    click(qtbot, step.go_on)
    await until(step.banner.isVisible)
    assert step.banner.sentence.text() == "Choose a smaller one."
    assert step.go_on.isEnabled() and step.isVisible()


async def test_a_key_is_entered_by_hand(qtbot: QtBot, fresh: WindowHub, open_window: OpenWindow) -> None:
    fresh.catalogue.lists["mine"] = ["m-1"]
    window = await open_window()
    step = window.pages.first_start.models
    await until(step.form.isVisible)  # nothing was found, so this is chosen
    step.form.service.choose("other")
    step.form.service.chosen.emit("other")
    click(qtbot, step.go_on)
    assert step.banner.title.text() == "Give it a name."
    qtbot.keyClicks(step.form.name, "mine")
    qtbot.keyClicks(step.form.address, "http://127.0.0.1:9/v1")
    qtbot.keyClicks(step.form.secret, "sk-1")
    click(qtbot, step.go_on)
    await until(window.pages.first_start.folder.isVisible)
    assert fresh.catalogue.keys == {"mine": "sk-1"}


async def test_folder_and_care_are_asked_then_the_chat_begins(
    qtbot: QtBot, fresh: WindowHub, open_window: OpenWindow, preferences: FilePreferences
) -> None:
    window = await open_window()
    page = window.pages.first_start
    click(qtbot, page.models.skip)
    assert page.folder.path.text() == "/home/ada/src/mdlite"
    page.folder.path.setText("/home/ada/thesis")
    click(qtbot, page.folder.go_on)
    careful = next(b for b in page.care.findChildren(QAbstractButton) if b.text() == "Ask all")
    click(qtbot, careful)
    click(qtbot, page.care.go_on)
    await until(lambda: fresh.asked("set_policy") == ["/home/ada/thesis", Mode.ASK_ALL])
    assert _is_over(window)
    assert preferences.read("first_start") == "done"


async def test_every_step_can_be_skipped_and_is_not_asked_again(
    qtbot: QtBot, fresh: WindowHub, open_window: OpenWindow
) -> None:
    window = await open_window()
    page = window.pages.first_start
    for step in (page.models, page.folder, page.care):
        skip = next(b for b in step.findChildren(QAbstractButton) if b.text() == "Skip")
        click(qtbot, skip)
    assert _is_over(window)
    assert fresh.calls == []
    again = await open_window()
    assert again.findChild(QWidget, "firstStart") is None


async def test_the_demo_needs_no_choice(qtbot: QtBot, fresh: WindowHub, open_window: OpenWindow) -> None:
    window = await open_window()
    asked: list[bool] = []
    window.demo_requested.connect(lambda: asked.append(True))
    click(qtbot, window.pages.first_start.models.demo.start)
    assert asked == [True]
    assert _is_over(window)
