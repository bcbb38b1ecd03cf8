"""Settings: providers with keys, models, tests, and what `config.toml` declares."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QWidget
from pytestqt.qtbot import QtBot

from placet.core.domain.errors import ProviderError, ProviderFault
from placet.core.domain.model_calls import Dialect, Model, ModelTest, Provider
from placet.ui.panels.settings import SettingsPage
from placet.ui.panels.settings.provider_card import ProviderCard
from placet.ui.window import MainWindow
from support.window_hub import WindowHub

from .conftest import OpenWindow, until


async def _settings(open_window: OpenWindow) -> SettingsPage:
    window: MainWindow = await open_window()
    window.places.go_to("settings")
    return window.pages.settings


def click(qtbot: QtBot, widget: QWidget) -> None:
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton)


def _cards(page: SettingsPage, name: str) -> list[ProviderCard]:
    """The cards that are shown now; an old one may not be deleted yet, a new one not be shown yet."""
    return [card for card in page.findChildren(ProviderCard) if card.isVisible() and card.provider.name == name]


def _card(page: SettingsPage, name: str) -> ProviderCard:
    (card,) = _cards(page, name)
    return card


async def test_a_provider_is_added_with_its_key_and_then_a_model(
    qtbot: QtBot, hub: WindowHub, open_window: OpenWindow
) -> None:
    page = await _settings(open_window)
    section = page.providers
    click(qtbot, section.add_provider)
    form = section.form
    form.service.choose("other")
    form.service.chosen.emit("other")
    qtbot.keyClicks(form.name, "mine")
    qtbot.keyClicks(form.address, "http://127.0.0.1:9999/v1")
    qtbot.keyClicks(form.secret, "sk-secret")
    click(qtbot, section.form_save)
    await until(section.model_form.isVisible)
    saved = hub.catalogue.by_name["mine"]
    assert saved.base_url == "http://127.0.0.1:9999/v1" and saved.type is Dialect.OPENAI
    assert hub.catalogue.keys == {"mine": "sk-secret"}
    assert form.secret.text() == ""  # a key is not kept in a field

    model = section.model_form
    assert model.provider.key == "mine"
    qtbot.keyClicks(model.model_id, "org/smol-2")
    assert model.name.text() == "smol-2"
    qtbot.keyClicks(model.window_size, "32768")
    click(qtbot, model.save)
    await until(lambda: "smol-2" in hub.catalogue.by_model)
    made = hub.catalogue.by_model["smol-2"]
    assert (made.model_id, made.context_length, made.max_output_tokens) == ("org/smol-2", 32768, None)
    await until(lambda: not model.isVisible())
    assert section.table.model().rowCount() == 2


async def test_a_known_service_fills_in_the_form(open_window: OpenWindow) -> None:
    page = await _settings(open_window)
    form = page.providers.form
    form.service.choose("openrouter")
    form.service.chosen.emit("openrouter")
    assert form.address.text().startswith("https://openrouter")
    assert form.value().type is Dialect.OPENAI


async def test_an_incomplete_provider_is_not_saved_but_told(
    qtbot: QtBot, hub: WindowHub, open_window: OpenWindow
) -> None:
    page = await _settings(open_window)
    section = page.providers
    section.begin_provider()
    section.form.address.setText("127.0.0.1")
    click(qtbot, section.form_save)
    assert section.form_banner.isVisible() and "http://" in section.form_banner.title.text()
    assert list(hub.catalogue.by_name) == ["local"]


async def test_a_working_model_tells_its_time_and_a_failing_one_what_to_do(
    qtbot: QtBot, hub: WindowHub, open_window: OpenWindow
) -> None:
    page = await _settings(open_window)
    card = _card(page, "local")
    click(qtbot, card.line)
    click(qtbot, card.test)
    await until(lambda: "works" in card.line.state)
    assert "412 ms" in page.providers.result.sentence.text()
    hub.catalogue.tests["small"] = ModelTest(
        model="small", works=False, message="The key is not accepted.", hint="Enter it again.", detail="HTTP 401"
    )
    click(qtbot, card.test)
    await until(lambda: card.line.state == "The key is not accepted.")
    assert card.banner.sentence.text() == "Enter it again."
    assert card.banner.detail.toPlainText() == "HTTP 401"


async def test_what_config_toml_declares_can_be_tested_not_changed(
    qtbot: QtBot, hub: WindowHub, open_window: OpenWindow
) -> None:
    catalogue = hub.catalogue
    catalogue.by_name["fixed"] = Provider(
        name="fixed", type=Dialect.OPENAI, base_url="http://127.0.0.1:1/v1", declared=True
    )
    catalogue.by_model["fixed-model"] = Model(name="fixed-model", provider="fixed", model_id="m", declared=True)
    page = await _settings(open_window)
    await until(lambda: page.providers.table.model().rowCount() == 2)
    await until(lambda: _cards(page, "fixed"))
    card = _card(page, "fixed")
    click(qtbot, card.line)
    assert not card.form.isEnabled()
    assert not card.save.isVisible() and not card.remove.isVisible() and card.test.isVisible()
    table = page.providers.table
    table.selectRow(1)
    enabled = {action.text(): action.isEnabled() for action in table.open_actions().actions()}
    assert enabled == {"Test": True, "Make it the default": False, "Edit…": False, "Remove": False}


async def test_the_default_is_moved_to_another_model(hub: WindowHub, open_window: OpenWindow) -> None:
    hub.catalogue.by_model["large"] = Model(name="large", provider="local", model_id="l")
    page = await _settings(open_window)
    await until(lambda: page.providers.table.model().rowCount() == 2)
    table = page.providers.table
    table.selectRow(1)
    next(action for action in table.open_actions().actions() if "default" in action.text()).trigger()
    await until(lambda: hub.catalogue.by_model["large"].default)
    assert not hub.catalogue.by_model["small"].default


async def test_a_provider_and_a_model_are_removed(qtbot: QtBot, hub: WindowHub, open_window: OpenWindow) -> None:
    page = await _settings(open_window)
    table = page.providers.table
    table.selectRow(0)
    next(action for action in table.open_actions().actions() if action.text() == "Remove").trigger()
    await until(lambda: hub.catalogue.by_model == {})
    await until(lambda: table.model().rowCount() == 0)
    await until(lambda: _cards(page, "local"))
    card = _card(page, "local")
    assert not card.test.isEnabled()  # nothing to test without a model
    click(qtbot, card.line)
    click(qtbot, card.remove)
    await until(lambda: hub.catalogue.by_name == {})


async def test_editing_a_provider_keeps_its_name_and_its_key(
    qtbot: QtBot, hub: WindowHub, open_window: OpenWindow
) -> None:
    page = await _settings(open_window)
    card = _card(page, "local")
    click(qtbot, card.line)
    assert not card.form.name.isEnabled()
    card.form.address.setText("http://127.0.0.1:7777/v1")
    click(qtbot, card.save)
    await until(lambda: hub.catalogue.by_name["local"].base_url.endswith("7777/v1"))
    assert hub.catalogue.keys == {}  # None leaves the key that is there
    await until(lambda: _cards(page, "local") not in ([], [card]))
    assert _card(page, "local").line.isChecked()  # an open card stays open


async def test_the_servers_list_can_be_fetched_and_its_refusal_is_told(
    qtbot: QtBot, hub: WindowHub, open_window: OpenWindow
) -> None:
    page = await _settings(open_window)
    section = page.providers
    section.begin_model("local")
    hub.catalogue.refusal = ProviderError(ProviderFault.UNREACHABLE, "Nobody answers there.", hint="Start the server.")
    click(qtbot, section.model_form.fetch)
    await until(section.model_form.banner.isVisible)
    assert section.model_form.banner.title.text() == "Nobody answers there."
    hub.catalogue.refusal = None
    hub.catalogue.lists["local"] = ["one", "two"]
    click(qtbot, section.model_form.fetch)
    await until(lambda: not section.model_form.banner.isVisible())
    section.model_form.pick("two")
    assert section.model_form.name.text() == "two"


async def test_problems_of_config_toml_are_shown(hub: WindowHub, open_window: OpenWindow) -> None:
    hub.troubles = ["Unknown key max_tool_round in [llm]; did you mean max_tool_rounds?"]
    page = await _settings(open_window)
    assert page.providers.problems.isVisible()
    assert "max_tool_rounds" in page.providers.problems.sentence.text()


@pytest.mark.parametrize("words", ["Shortcuts", "Appearance"])
async def test_the_sections_are_reached_from_the_left(qtbot: QtBot, open_window: OpenWindow, words: str) -> None:
    page = await _settings(open_window)
    row = next(button for button in page.findChildren(QAbstractButton) if button.text() == words)
    click(qtbot, row)
    section = page.shortcuts if words == "Shortcuts" else page.appearance
    assert section.isVisible() and not page.providers.isVisible()
