"""The window's models and small values without a window."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QCoreApplication, QLocale

from placet.core.domain.ids import SessionId
from placet.ui.bridge import Bridge
from placet.ui.models.sessions import SessionsModel, title_of
from placet.ui.models.settings import CatalogueModel
from placet.ui.panels.sidebar.session_list import ago
from placet.ui.window_state import FilePreferences, read_bytes, read_drafts, write_bytes, write_drafts
from support.window_hub import WindowHub

NOW = 1_800_000_000.0


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-5, "now"), (0, "now"), (89, "now"), (90, "1 min"), (3599, "59 min"), (3600, "1 h"), (86_399, "23 h"),
        (86_400, "1 d"), (13 * 86_400, "13 d"),
    ],
)  # fmt: skip
def test_ages_are_short(qapp: QCoreApplication, seconds: float, words: str) -> None:
    assert ago(NOW - seconds, NOW) == words


def test_old_ages_are_dates_in_the_own_language(qapp: QCoreApplication) -> None:
    before = QLocale()
    QLocale.setDefault(QLocale(QLocale.Language.German))
    try:
        assert "2026" in ago(NOW - 300 * 86_400, NOW)
        assert "2027" not in ago(NOW - 14 * 86_400, NOW)
    finally:
        QLocale.setDefault(before)


def test_preferences_are_there_after_a_restart(tmp_path: Path) -> None:
    FilePreferences(tmp_path / "w.ini").write("look", "dark")
    again = FilePreferences(tmp_path / "w.ini")
    assert again.read("look") == "dark"
    assert again.read("never written") == ""


def test_bytes_and_drafts_survive_and_damage_is_nothing(tmp_path: Path) -> None:
    preferences = FilePreferences(tmp_path / "w.ini")
    write_bytes(preferences, "geometry", QByteArray(b"\x00\x01\xff"))
    write_drafts(preferences, {"one": 'ä\n"quoted", text;', "blank": "  "})
    assert bytes(read_bytes(preferences, "geometry").data()) == b"\x00\x01\xff"
    assert read_drafts(preferences) == {"one": 'ä\n"quoted", text;'}
    for damaged in ("{not json", json.dumps([1, 2])):
        preferences.write("drafts", damaged)
        assert read_drafts(preferences) == {}


async def test_empty_sessions_are_left_out_and_not_asked_for_again() -> None:
    hub = WindowHub()
    hub.add_session("empty")
    hub.add_session("talk", snippet="the first words", messages=2)
    model = SessionsModel(Bridge(hub))
    await model.reload()
    assert model.rowCount() == 1
    assert model.row_of(SessionId("talk")) == 0
    assert title_of(hub.rows[SessionId("talk")]) == "the first words"
    assert not model.canFetchMore(model.index(-1, -1))


async def test_the_number_of_waiting_sessions_is_told_once() -> None:
    hub = WindowHub()
    hub.add_session("a", title="a", waiting=2)
    hub.add_session("b", title="b")
    model = SessionsModel(Bridge(hub))
    told: list[int] = []
    model.waiting_changed.connect(told.append)
    await model.reload()
    await model.reload()
    assert told == [1]


async def test_the_catalogue_tells_only_of_changes(hub_with_model: WindowHub) -> None:
    catalogue = CatalogueModel(Bridge(hub_with_model))
    changes: list[bool] = []
    catalogue.changed.connect(lambda: changes.append(True))
    await catalogue.reload()
    await catalogue.reload()
    assert changes == [True]
    assert catalogue.default_model is not None and catalogue.default_model.name == "small"
    assert catalogue.lacks("unknown") and not catalogue.lacks("unknown")  # asked for once
    assert not catalogue.lacks("small")
