"""The journal as a list by pages, and undoing from it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

import pytest
from PySide6.QtCore import QModelIndex

from placet.core.domain.errors import UnknownItem
from placet.core.domain.ids import CallId, ChangeId
from placet.core.domain.review import Change, ChangeState, RevertOutcome, RevertStatus
from placet.core.domain.stopping import TaskScope
from placet.ui.models.changes import ChangesModel, outcome_sentence
from support.fake_hub import FakeHub
from support.review_samples import SESSION, file_diff
from support.settled import settled


def change(number: int, **fields: Any) -> Change:
    defaults: dict[str, Any] = {
        "id": ChangeId(number),
        "session_id": SESSION,
        "call_id": CallId(number),
        "path": f"/home/ann/file{number}.py",
        "before_digest": "a" * 64,
        "after_digest": "b" * 64,
        "state": ChangeState.APPLIED,
        "created_at": float(number),
    }
    return Change(**{**defaults, **fields})


@pytest.fixture
def hub() -> FakeHub:
    return FakeHub()


@pytest.fixture
async def scope() -> AsyncGenerator[TaskScope]:
    made = TaskScope("test")
    yield made
    await made.close()


@pytest.fixture
async def model(hub: FakeHub, scope: TaskScope) -> ChangesModel:
    hub.changes.items = [change(number) for number in range(1, 251)]
    hub.changes.diffs = {ChangeId(number): file_diff() for number in range(1, 251)}
    made = ChangesModel(hub.changes, scope)
    made.show_session(None)
    await settled()
    return made


async def test_changes_are_newest_first_and_come_by_pages(scope, model) -> None:
    assert (model.rowCount(), model.total) == (100, 250)
    assert model.change(0).id == 250
    while model.canFetchMore(QModelIndex()):
        model.fetchMore(QModelIndex())
        await settled()
    assert model.rowCount() == 250
    assert model.change(249).id == 1


async def test_R9_a_revert_is_a_change_and_can_be_undone(hub, scope, model) -> None:
    told: list[RevertOutcome] = []
    model.reverted.connect(told.extend)
    model.undo([model.change(3)])
    await settled()
    assert [outcome.status for outcome in told] == [RevertStatus.REVERTED]
    undone = model.change(model.row_of(ChangeId(247)))
    assert undone.state is ChangeState.REVERTED
    model.apply_again(undone)
    await settled()
    assert model.change(model.row_of(ChangeId(247))).state is ChangeState.APPLIED


async def test_several_are_undone_newest_first(hub, scope, model) -> None:
    model.undo([model.change(5), model.change(2), model.change(9)])
    await settled()
    assert hub.changes.reverts == [(248, 245, 241)]


async def test_only_the_last_diff_asked_for_is_shown(hub, scope, model) -> None:
    told: list[int] = []
    model.diff_shown.connect(lambda shown, diff: told.append(shown.id))
    model.show_diff(model.change(0))
    model.show_diff(model.change(1))
    await settled()
    assert told == [249]


async def test_contents_that_are_gone_are_told(hub, scope, model) -> None:
    told: list[object] = []
    model.failed.connect(told.append)
    del hub.changes.diffs[ChangeId(250)]
    model.show_diff(model.change(0))
    await settled()
    assert isinstance(told[0], UnknownItem)


@pytest.mark.parametrize("status", RevertStatus)
def test_every_outcome_is_said_in_words(status: RevertStatus) -> None:
    outcome = RevertOutcome(change_id=ChangeId(1), path="a.py", status=status, message="")
    assert outcome_sentence(outcome).startswith("a.py: ")
    assert status.value not in outcome_sentence(outcome) or status is RevertStatus.NOTHING
