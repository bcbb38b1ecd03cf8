"""The Changes page: list, diff, revert and its outcomes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QListView, QRadioButton
from pytestqt.qtbot import QtBot

from placet.core.domain.ids import CallId, ChangeId
from placet.core.domain.review import Change, ChangeState
from placet.core.domain.stopping import TaskScope
from placet.ui.models.changes import ChangesModel
from placet.ui.panels.changes.page import ChangesPage
from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Label
from support.fake_hub import FakeHub
from support.review_samples import SESSION, file_diff

Settle = Callable[[], Awaitable[None]]


def change(number: int, **fields: Any) -> Change:
    defaults: dict[str, Any] = {
        "id": ChangeId(number),
        "session_id": SESSION,
        "call_id": CallId(number),
        "path": f"/home/ann/file{number}.py",
        "before_digest": "a" * 64,
        "after_digest": "b" * 64,
        "state": ChangeState.APPLIED,
        "created_at": 1_700_000_000.0 + number,
        "added": number,
        "removed": 1,
    }
    return Change(**{**defaults, **fields})


@pytest.fixture
async def page(qtbot: QtBot, hub: FakeHub, scope: TaskScope, theme: Theme, settle: Settle) -> ChangesPage:
    hub.changes.items = [change(1), change(2), change(3, session_id="other", session_title="Thesis")]
    hub.changes.diffs = {ChangeId(n): file_diff(path=f"/home/ann/file{n}.py") for n in (1, 2, 3)}
    made = ChangesPage(ChangesModel(hub.changes, scope), theme)
    qtbot.addWidget(made)
    made.resize(1000, 700)
    made.show()
    qtbot.waitExposed(made)
    made.show_session(SESSION)
    await settle()
    return made


def rows(page: ChangesPage) -> list[str]:
    found = page.findChild(QListView, "changesList")
    assert isinstance(found, QListView)
    return [found.model().index(row, 0).data() for row in range(found.model().rowCount())]


async def test_the_newest_change_of_the_session_is_chosen_and_its_diff_shown(page, settle) -> None:
    assert rows(page) == ["/home/ann/file2.py", "/home/ann/file1.py"]
    await settle()
    assert page.diff.diff.path == "/home/ann/file2.py"
    QTest.keyClick(page.list, Qt.Key.Key_Down)
    await settle()
    assert page.diff.diff.path == "/home/ann/file1.py"


async def test_all_sessions_can_be_listed(page, settle) -> None:
    every = next(button for button in page.findChildren(QRadioButton) if button.text() == "All sessions")
    QTest.mouseClick(every, Qt.MouseButton.LeftButton)
    await settle()
    assert len(rows(page)) == 3


async def test_R9_revert_and_apply_again(page, hub, settle) -> None:
    QTest.mouseClick(page.revert_button, Qt.MouseButton.LeftButton)
    await settle()
    await settle()
    assert hub.changes.reverts == [(2,)]
    assert "Reverted" in page.banner.accessibleName()
    assert page.select_change(ChangeId(2))
    assert page.again_button.isVisible()
    assert not page.revert_button.isVisible()
    QTest.mouseClick(page.again_button, Qt.MouseButton.LeftButton)
    await settle()
    assert hub.changes.items[1].state is ChangeState.APPLIED


async def test_a_file_that_moved_on_is_left_and_named(page, hub, settle) -> None:
    hub.changes.moved_on.add(ChangeId(2))
    QTest.mouseClick(page.revert_button, Qt.MouseButton.LeftButton)
    await settle()
    assert "/home/ann/file2.py: left as it is, because it has changed since" in page.banner.accessibleName()


async def test_several_selected_changes_are_reverted_together(page, hub, settle) -> None:
    QTest.keyClick(page.list, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert page.revert_button.text() == "Revert 2"
    QTest.mouseClick(page.revert_button, Qt.MouseButton.LeftButton)
    await settle()
    assert hub.changes.reverts == [(2, 1)]


async def test_contents_that_retention_removed_are_told(page, hub, settle) -> None:
    del hub.changes.diffs[ChangeId(1)]
    page.select_change(ChangeId(1))
    await settle()
    assert "are gone" in page.banner.accessibleName()
    assert page.diff.painted_items.item_count() == 0


async def test_it_says_that_commands_are_not_listed(page) -> None:
    words = " ".join(label.text() for label in page.findChildren(Label))
    assert "What commands changed is not" in words


async def test_with_no_changes_it_says_what_will_appear(page, hub, settle) -> None:
    hub.changes.items.clear()
    page.show_session(SESSION)
    await settle()
    words = " ".join(label.text() for label in page.findChildren(Label) if label.isVisible())
    assert "No changes yet" in words
    assert not page.diff.isVisible()
