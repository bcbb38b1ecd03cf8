"""The Changes page on a real journal and real files: files, steps, who changed them, and undoing after a look."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QListView, QRadioButton, QWidget
from pytestqt.qtbot import QtBot

from placet.core.domain.ids import SessionId
from placet.core.domain.stopping import TaskScope
from placet.core.domain.undo import UndoWish
from placet.ui.models.changes import ChangedFilesModel, FileStory
from placet.ui.models.undo import UndoModel
from placet.ui.panels.changes.page import ChangesPage
from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Label
from support.fake_clock import FakeClock
from support.real_changes import RealChanges

Settle = Callable[[], Awaitable[None]]
LINES = "one\ntwo\nthree\nfour\nfive\nsix\n"


@pytest.fixture
async def real(tmp_path: Path) -> AsyncIterator[RealChanges]:
    made = RealChanges(tmp_path)
    yield made
    await made.aclose()


@pytest.fixture
async def here(real: RealChanges) -> SessionId:
    """Two steps on a.txt, one on b.txt; another session changed a.txt before."""
    (real.folder / "a.txt").write_text(LINES)
    (real.folder / "b.txt").write_text("b\n")
    other = await real.session("other", "Thesis")
    await real.say(other, "begin it")
    await real.write(other, "a.txt", LINES.replace("six", "6"))
    made = await real.session("here", "Shed")
    await real.say(made, "mend it")
    await real.write(made, "b.txt", "B\n")
    await real.write(made, "a.txt", LINES.replace("six", "6").replace("two", "2"))
    await real.write(made, "a.txt", LINES.replace("six", "6").replace("two", "zwei"))
    return made


@pytest.fixture
async def page(
    qtbot: QtBot, real: RealChanges, here: SessionId, scope: TaskScope, theme: Theme, settle: Settle, clock: FakeClock
) -> ChangesPage:
    files, story, undoing = ChangedFilesModel(real.api, scope), FileStory(real.api, scope), UndoModel(real.api, scope)
    made = ChangesPage(files, story, undoing, theme, clock)
    qtbot.addWidget(made)
    made.resize(1200, 700)
    made.show()
    qtbot.waitExposed(made)
    made.show_session(here, str(real.folder))
    await settle()
    await settle()
    return made


def rows(page: ChangesPage) -> list[str]:
    found = page.findChild(QListView, "changesList")
    assert isinstance(found, QListView)
    return [Path(found.model().index(row, 0).data()).name for row in range(found.model().rowCount())]


def words(widget: QWidget) -> str:
    labels = " ".join(label.text() for label in widget.findChildren(Label) if label.isVisible())
    named = " ".join(w.accessibleName() for w in widget.findChildren(QWidget) if w.isVisible())
    return f"{labels} {named}"


def button(widget: QWidget, text: str) -> QAbstractButton:
    return next(b for b in widget.findChildren(QAbstractButton) if b.text() == text and b.isVisible())


async def press(page: ChangesPage, clock: FakeClock, settle: Settle) -> None:
    """Press the button that does it, after having looked for a while."""
    clock.pass_ms(600)
    QTest.mouseClick(page.undo_view.undo_button, Qt.MouseButton.LeftButton)
    await settle()
    await settle()


def content(real: RealChanges, name: str = "a.txt") -> str:
    return (real.folder / name).read_text()


async def test_the_file_changed_last_is_chosen_with_what_all_its_steps_came_to(page, settle) -> None:
    assert rows(page) == ["a.txt", "b.txt"]
    assert page.file.diff.diff.path.endswith("a.txt")
    assert "zwei" in page.file.diff.plain_text()
    assert "2 steps" in words(page)
    QTest.keyClick(page.list, Qt.Key.Key_Down)
    await settle()
    assert page.file.diff.diff.path.endswith("b.txt")


async def test_the_steps_are_walked_by_keys(page, settle) -> None:
    page.file.steps.setFocus()
    QTest.keyClick(page.file.steps, Qt.Key.Key_Right)
    await settle()
    assert "+2" in page.file.diff.plain_text()
    QTest.keyClick(page.file.steps, Qt.Key.Key_End)
    await settle()
    assert "+zwei" in page.file.diff.plain_text()
    QTest.keyClick(page.file.steps, Qt.Key.Key_Home)
    await settle()
    assert "-two" in page.file.diff.plain_text()


async def test_which_session_changed_a_file_is_found_and_leads_to_the_very_message(page, settle, qtbot) -> None:
    QTest.mouseClick(
        next(b for b in page.findChildren(QRadioButton) if b.text() == "All sessions"), Qt.MouseButton.LeftButton
    )
    QTest.keyClicks(page.search, "a.t")
    qtbot.waitUntil(lambda: page.search.text() == "a.t")
    await settle()
    wanted = []
    page.place_requested.connect(wanted.append)
    page.file.steps.setFocus()
    QTest.keyClick(page.file.steps, Qt.Key.Key_Right)
    await settle()
    assert "begin it" in words(page.file.who)
    assert "Thesis" in words(page.file.who)
    QTest.mouseClick(button(page.file.who, "Go to message"), Qt.MouseButton.LeftButton)
    assert [(step.change.session_id, step.said, step.message_id is not None) for step in wanted] == [
        ("other", "begin it", True)
    ]


async def test_R9_an_undo_is_shown_first_and_done_by_the_button(page, real, settle, clock) -> None:
    before = content(real)
    QTest.mouseClick(page.file.undo_button, Qt.MouseButton.LeftButton)
    await settle()
    view = page.undo_view
    assert view.isVisible()
    assert "+two" in view.diff.plain_text()
    assert "commands changed is not in the journal" in words(view)
    assert content(real) == before
    QTest.keyClick(view.undo_button, Qt.Key.Key_Return)  # meant for what was there before
    await settle()
    assert content(real) == before
    clock.pass_ms(600)
    QTest.keyClick(view.undo_button, Qt.Key.Key_Return)
    await settle()
    await settle()
    assert content(real) == LINES.replace("six", "6")
    assert "Done" in page.file.banner.accessibleName()
    assert "2 steps, undone: 1, 2" in words(page)


async def test_R9_leaving_the_undo_leaves_the_files(page, real, settle) -> None:
    before = content(real)
    QTest.mouseClick(page.all_button, Qt.MouseButton.LeftButton)
    await settle()
    assert page.undo_view.list.model().rowCount() == 2
    QTest.keyClick(page.undo_view.undo_button, Qt.Key.Key_Escape)
    await settle()
    assert not page.undo_view.isVisible()
    assert content(real) == before


async def test_R9_a_step_that_was_undone_stays_and_is_applied_again(page, real, settle, clock) -> None:
    page.file.steps.setFocus()
    QTest.keyClick(page.file.steps, Qt.Key.Key_End)
    await settle()
    QTest.mouseClick(button(page.file.who, "Undo step"), Qt.MouseButton.LeftButton)
    await settle()
    await press(page, clock, settle)
    assert "2\n" in content(real)
    QTest.mouseClick(button(page.file.who, "Apply again"), Qt.MouseButton.LeftButton)
    await settle()
    assert page.undo_view.undo_button.text() == "Apply again"
    await press(page, clock, settle)
    assert "zwei" in content(real)


async def test_R9_a_conflict_is_decided_by_keys_before_anything_is_written(page, real, settle, clock) -> None:
    (real.folder / "a.txt").write_text(content(real).replace("zwei", "by hand"))
    QTest.mouseClick(page.file.undo_button, Qt.MouseButton.LeftButton)
    await settle()
    view = page.undo_view
    assert view.sides.isVisible()
    assert not view.undo_button.isEnabled()
    assert "by hand" in words(view.sides)
    undecided = next(b for b in view.sides.choices[0].findChildren(QRadioButton) if b.isChecked())
    undecided.setFocus()
    for _ in range(2):  # the focus stays where it is decided
        QTest.keyClick(view.focusWidget(), Qt.Key.Key_Right)
        await settle()
        await settle()
    assert view.undo_button.isEnabled()
    assert "by hand" in content(real)
    await press(page, clock, settle)
    assert content(real) == LINES.replace("six", "6")


async def test_a_file_that_others_changed_is_marked_on_the_page(page, real, settle) -> None:
    (real.folder / "a.txt").write_text("by hand\n")
    page.select_file(str(real.folder / "b.txt"))
    await settle()
    page.select_file(str(real.folder / "a.txt"))
    await settle()
    await settle()
    assert "changed since by somebody else" in page.file.banner.accessibleName()


async def test_a_file_that_changes_while_it_is_looked_at_is_left_alone(page, real, settle, clock) -> None:
    QTest.mouseClick(page.file.undo_button, Qt.MouseButton.LeftButton)
    await settle()
    (real.folder / "a.txt").write_text("by hand\n")
    await press(page, clock, settle)
    assert content(real) == "by hand\n"
    assert "could not be undone" in page.file.banner.accessibleName()


async def test_an_undo_from_elsewhere_goes_back_there(page, real, here, settle, clock) -> None:
    left, told = [], []
    page.left.connect(lambda: left.append(True))
    page.hinted.connect(told.append)
    page.begin_undo(UndoWish(path=str(real.folder / "b.txt")), "Undo it", str(real.folder))
    await settle()
    assert page.undo_view.title.text() == "Undo it"
    await press(page, clock, settle)
    assert (left, told) == ([True], ["b.txt has its earlier content again."])


async def test_contents_that_retention_removed_are_told(page, real, settle) -> None:
    newest = (await real.store.changes.page(None))[0][0]
    await real.store.changed_files.forget_contents(newest.created_at + 1)
    page.select_file(str(real.folder / "b.txt"))
    await settle()
    assert "no longer kept" in page.file.banner.accessibleName()
    assert page.file.diff.painted_items.item_count() == 0


async def test_it_says_that_commands_are_not_listed(page) -> None:
    assert "What commands changed is not" in words(page)


async def test_with_no_changes_it_says_what_will_appear(page, real, settle) -> None:
    empty = await real.session("empty")
    page.show_session(empty)
    await settle()
    assert "No changes yet" in words(page)
    assert not page.file.diff.isVisible()


async def test_in_a_narrow_window_the_step_has_its_actions_at_the_head(page, real, settle, clock) -> None:
    page.resize(800, 600)
    assert not page.file.who.isVisible()
    page.file.steps.setFocus()
    QTest.keyClick(page.file.steps, Qt.Key.Key_End)
    await settle()
    wanted = []
    page.place_requested.connect(wanted.append)
    QTest.mouseClick(page.file.place_button, Qt.MouseButton.LeftButton)
    assert [step.said for step in wanted] == ["mend it"]
    assert page.file.undo_button.text() == "Undo step"
    QTest.mouseClick(page.file.undo_button, Qt.MouseButton.LeftButton)
    await settle()
    await press(page, clock, settle)
    assert "2\n" in content(real)
    assert page.file.undo_button.text() == "Apply again"


async def test_a_long_line_of_a_conflict_can_be_read_to_its_end(page, real, settle) -> None:
    (real.folder / "a.txt").write_text(content(real).replace("zwei", "by hand " * 60))
    QTest.mouseClick(page.file.undo_button, Qt.MouseButton.LeftButton)
    await settle()
    await settle()
    sides = next(w for w in page.undo_view.sides.findChildren(QWidget) if "by hand" in w.accessibleName())
    wide = sides.height()
    page.resize(900, 700)
    await settle()
    assert sides.height() > wide > 8 * 20


async def test_many_conflicts_are_drawn_by_pages_and_decided_at_once(page, real, here, settle, clock) -> None:
    lines = [f"line {number}" for number in range(400)]
    (real.folder / "many.txt").write_text("\n".join(lines))
    ours = [f"{line} ours" if number % 4 == 0 else line for number, line in enumerate(lines)]
    await real.write(here, "many.txt", "\n".join(ours))
    theirs = [f"{line} theirs" if number % 4 == 0 else line for number, line in enumerate(lines)]
    (real.folder / "many.txt").write_text("\n".join(theirs))
    page.begin_undo(UndoWish(path=str(real.folder / "many.txt")), "Undo it", str(real.folder))
    await settle()
    await settle()
    sides = page.undo_view.sides
    assert "Conflict 1 of 100" in words(sides)
    assert len(sides.choices) == 30
    QTest.mouseClick(button(sides, "Show more, 140 places are left"), Qt.MouseButton.LeftButton)
    assert len(sides.choices) == 60
    QTest.mouseClick(button(sides, "Take the undone"), Qt.MouseButton.LeftButton)
    await settle()
    await settle()
    assert {choice.current() for choice in sides.choices} == {"undone"}
    await press(page, clock, settle)
    assert content(real, "many.txt") == "\n".join(lines)
