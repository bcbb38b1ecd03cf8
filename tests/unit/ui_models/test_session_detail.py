"""The debug view's rows on a real store: read from the end by pages, in order, and never a row that hides others."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from placet.core.domain.ids import SessionId
from placet.core.domain.stopping import TaskScope
from placet.core.hub.bus import EventBus
from placet.core.hub.facades import History
from placet.ui.models.session_detail import EntryKind, SessionDetailModel, facts, headline, whole
from support.heard import Heard
from support.settled import settled
from support.stores import OpenStore, answer, call, opened_store


@pytest.fixture
async def opened(tmp_path: Path) -> AsyncIterator[OpenStore]:
    async with opened_store(tmp_path) as made:
        yield made


@pytest.fixture
async def model(opened: OpenStore) -> AsyncIterator[SessionDetailModel]:
    scope = TaskScope("test")
    yield SessionDetailModel(History(opened.store, EventBus()), scope)
    await scope.close()


async def test_s_5_a_long_session_is_read_from_its_end_a_page_at_a_time(
    opened: OpenStore, model: SessionDetailModel
) -> None:
    for number in range(500):
        await opened.store.turns.append_user(opened.frame.id, f"row {number}")
    model.show_session(opened.session.id)
    await settled()
    assert (model.rowCount(), model.has_older) == (200, True)
    assert headline(model.entries[-1]) == "you: row 499"
    for _ in range(5):
        model.load_older()
        model.load_older()
        await settled()
    assert [headline(entry) for entry in model.entries] == [f"you: row {number}" for number in range(500)]


async def test_hidden_rows_and_calls_say_what_they_are(opened: OpenStore, model: SessionDetailModel) -> None:
    await opened.store.turns.append_user(opened.frame.id, "a nudge", synthetic=True, context_block="<context>")
    await answer(opened.store, opened.frame.id, "words", call("read_file"))
    model.show_session(opened.session.id)
    await settled()
    nudge, _, called = model.entries
    assert headline(nudge) == "you, not shown in the chat: a nudge"
    assert "<context>" in whole(nudge, ["now"])
    assert (called.kind, facts(called)) == (EntryKind.CALL, "running")
    assert "Arguments" in whole(called, ["now"])


async def test_s_7_a_damaged_row_is_shown_as_one(opened: OpenStore, model: SessionDetailModel) -> None:
    await opened.store.turns.append_user(opened.frame.id, "sound")
    await opened.store.database.run(lambda c: c.execute("UPDATE messages SET metadata = '{'"))
    await opened.store.turns.append_user(opened.frame.id, "sound too")
    model.show_session(opened.session.id)
    await settled()
    assert [headline(entry) for entry in model.entries] == ["a damaged row", "you: sound too"]


async def test_a_session_that_is_not_there_is_told(model: SessionDetailModel) -> None:
    failed = Heard(model.failed)
    model.show_session(SessionId("nothing"))
    await failed.once()
