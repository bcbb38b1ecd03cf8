"""Files, their steps and an undo that is looked at before it happens, on a real journal and real files."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex

from placet.core.domain.errors import PlacetError
from placet.core.domain.ids import ChangeId, SessionId
from placet.core.domain.review import RevertOutcome, RevertStatus
from placet.core.domain.stopping import TaskScope
from placet.core.domain.undo import Keep, UndoStatus, UndoWish
from placet.ui.models.changes import ChangedFilesModel, FileRole, FileStory
from placet.ui.models.undo import UndoModel, outcome_sentence
from support.heard import Heard
from support.real_changes import RealChanges
from support.settled import settled

FILES = 130  # more than a page of the list


@pytest.fixture
async def real(tmp_path: Path) -> AsyncIterator[RealChanges]:
    made = RealChanges(tmp_path)
    yield made
    await made.aclose()


@pytest.fixture
async def scope() -> AsyncIterator[TaskScope]:
    made = TaskScope("test")
    yield made
    await made.close()


@pytest.fixture
async def session(real: RealChanges) -> SessionId:
    made = await real.session("one", "Shed")
    await real.say(made, "change it")
    return made


async def test_files_come_newest_first_and_by_pages(real: RealChanges, scope: TaskScope, session: SessionId) -> None:
    for number in range(103):
        await real.write(session, f"{number}.txt", "x\n")
    model = ChangedFilesModel(real.api, scope)
    model.show_session(session)
    await Heard(model.loaded).once()
    assert (model.rowCount(), model.total) == (100, 103)
    grown = Heard(model.rowsInserted)
    model.fetchMore(QModelIndex())
    await grown.once()
    assert model.data(model.index(102, 0), FileRole).path == str(real.folder / "0.txt")
    assert model.row_of(str(real.folder / "102.txt")) == 0
    assert not model.canFetchMore(QModelIndex())


async def test_only_files_with_the_words_in_their_path_are_listed(
    real: RealChanges, scope: TaskScope, session: SessionId
) -> None:
    await real.write(session, "chapter.md", "x\n")
    await real.write(session, "other.md", "x\n")
    model = ChangedFilesModel(real.api, scope)
    model.look_for(" Chap ")
    await Heard(model.loaded).once()
    assert [model.data(model.index(row, 0)) for row in range(model.rowCount())] == [str(real.folder / "chapter.md")]


async def test_the_steps_of_a_file_can_be_walked(real: RealChanges, scope: TaskScope, session: SessionId) -> None:
    await real.write(session, "a.txt", "one\n")
    await real.write(session, "a.txt", "one\ntwo\n")
    other = await real.session("two", "Barn")
    await real.say(other, "more")
    await real.write(other, "a.txt", "one\ntwo\nthree\n")
    story = FileStory(real.api, scope)
    shown = Heard(story.diff_shown)
    story.show(str(real.folder / "a.txt"), session)
    (whole,) = await shown.once()
    assert [step.said for step in story.steps] == ["change it", "change it"]
    assert [step.change.session_title for step in story.others] == ["Barn"]
    assert whole.added == 2
    story.go_to(2)
    (step,) = await shown.once()
    assert [line.text for hunk in step.hunks for line in hunk.lines if line.sign == "+"] == ["two"]


async def test_it_is_told_that_a_file_moved_on(real: RealChanges, scope: TaskScope, session: SessionId) -> None:
    await real.write(session, "a.txt", "one\n")
    (real.folder / "a.txt").write_text("by hand\n")
    story = FileStory(real.api, scope)
    moved = Heard(story.moved_on)
    story.show(str(real.folder / "a.txt"), session)
    await moved.once()


async def test_r_9_nothing_is_written_before_it_is_carried_out(
    real: RealChanges, scope: TaskScope, session: SessionId
) -> None:
    change = await real.write(session, "a.txt", "one\n")
    model = UndoModel(real.api, scope)
    shown, done = Heard(model.shown), Heard(model.done)
    model.begin(UndoWish(changes=(change.id,)))
    await shown.once()
    assert model.diff is not None
    assert (model.diff.is_deleted, model.sides, len(model.doable)) == (True, None, 1)
    assert (real.folder / "a.txt").exists()
    model.carry_out()
    ((outcome,),) = await done.once()
    assert outcome.status is RevertStatus.REVERTED
    assert not (real.folder / "a.txt").exists()


async def test_r_9_a_conflict_waits_for_the_person(real: RealChanges, scope: TaskScope, session: SessionId) -> None:
    path = real.folder / "a.txt"
    path.write_text("one\ntwo\nthree\n")
    change = await real.write(session, "a.txt", "one\n2\nthree\n")
    path.write_text("one\nby hand\nthree\n")
    model = UndoModel(real.api, scope)
    shown, done = Heard(model.shown), Heard(model.done)
    model.begin(UndoWish(changes=(change.id,)))
    await shown.once()
    assert (len(model.doable), len(model.undecided)) == (0, 1)
    model.carry_out()
    model.decide(0, Keep.UNDONE)
    await shown.once()
    assert path.read_text() == "one\nby hand\nthree\n"
    model.decide(0, None)
    await shown.once()
    assert len(model.undecided) == 1
    model.decide(0, Keep.BOTH)
    await shown.once()
    model.carry_out()
    await done.once()
    assert path.read_text() == "one\nby hand\ntwo\nthree\n"


async def test_what_cannot_be_planned_is_told(real: RealChanges, scope: TaskScope) -> None:
    model = UndoModel(real.api, scope)
    failed = Heard(model.failed)
    model.begin(UndoWish(changes=(ChangeId(9),)))
    (error,) = await failed.once()
    assert isinstance(error, PlacetError)
    assert not model.is_busy


async def test_contents_that_are_gone_can_be_seen_but_not_undone(
    real: RealChanges, scope: TaskScope, session: SessionId
) -> None:
    change = await real.write(session, "a.txt", "one\n")
    await real.store.changed_files.forget_contents(change.created_at + 1)
    model = UndoModel(real.api, scope)
    shown = Heard(model.shown)
    model.begin(UndoWish(changes=(change.id,)))
    await shown.once()
    assert [plan.status for plan in model.plans] == [UndoStatus.GONE]
    assert not model.doable


@pytest.mark.parametrize("status", RevertStatus)
def test_every_outcome_is_said_in_words(status: RevertStatus) -> None:
    outcome = RevertOutcome(change_id=ChangeId(1), path="a.py", status=status, message="")
    assert outcome_sentence(outcome).startswith("a.py: ")
    assert status.value not in outcome_sentence(outcome) or status is RevertStatus.NOTHING


@pytest.fixture
async def many(real: RealChanges) -> SessionId:
    made = await real.session("here")
    await real.say(made, "write them")
    for number in range(FILES):
        await real.write(made, f"{number:03}.txt", "x\n")
    return made


def names(model: ChangedFilesModel) -> list[str]:
    return [Path(model.index(row, 0).data(FileRole).path).name for row in range(model.rowCount())]


async def listed(real: RealChanges, scope: TaskScope) -> ChangedFilesModel:
    model = ChangedFilesModel(real.api, scope)
    model.show_session(None)
    await settled()
    return model


async def test_a_list_that_is_read_anew_keeps_the_pages_that_were_read(
    real: RealChanges, many: SessionId, scope: TaskScope
) -> None:
    model = await listed(real, scope)
    model.fetchMore(QModelIndex())
    await settled()
    assert model.rowCount() == FILES
    await real.write(many, "000.txt", "y\n")
    model.refresh()
    await settled()
    assert model.rowCount() == FILES
    assert names(model)[:2] == ["000.txt", f"{FILES - 1:03}.txt"]


async def test_a_page_that_is_wanted_meanwhile_does_not_drop_the_new_list(
    real: RealChanges, many: SessionId, scope: TaskScope
) -> None:
    model = await listed(real, scope)
    await real.write(many, "000.txt", "y\n")
    model.refresh()
    model.fetchMore(QModelIndex())
    await settled()
    assert names(model)[0] == "000.txt"
    model.fetchMore(QModelIndex())
    await settled()
    assert sorted(names(model)) == [f"{number:03}.txt" for number in range(FILES)]


async def test_other_sessions_of_a_file_are_told_newest_first(real: RealChanges, scope: TaskScope) -> None:
    a, b, c = [await real.session(name) for name in "abc"]
    for number, session in enumerate((a, b, a, c)):
        await real.say(session, "mend it")
        await real.write(session, "x.txt", f"{number}\n")
    story = FileStory(real.api, scope)
    story.show(str(real.folder / "x.txt"), b)
    await settled()
    assert [step.change.session_id for step in story.others] == [c, a]
    story.show(str(real.folder / "x.txt"), None)
    await settled()
    assert list(story.others) == []


async def test_a_decision_about_a_plan_that_was_left_changes_nothing(real: RealChanges, scope: TaskScope) -> None:
    made = await real.session("here")
    message = await real.say(made, "mend it")
    (real.folder / "a.txt").write_text("one\ntwo\n")
    await real.write(made, "a.txt", "one\n2\n")
    (real.folder / "a.txt").write_text("one\nzwei\n")
    model = UndoModel(real.api, scope)
    model.begin(UndoWish(message_id=message, session_id=made))
    await settled()
    assert model.current is not None and model.current.conflicts == 1
    model.decide_all(Keep.THEIRS)
    model.begin(UndoWish(message_id=message, session_id=made))
    await settled()
    assert model.current is not None and not model.current.is_decided
