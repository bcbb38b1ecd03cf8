"""The port `TurnStore` over the real store."""

from __future__ import annotations

import pytest

from placet.core.domain.errors import UnknownItem
from placet.core.domain.ids import CallId, FrameId, MessageId, RequestId, SessionId
from placet.core.domain.messages import CallStatus, MessageStatus, Role, Usage
from placet.core.domain.model_calls import Answer
from placet.core.domain.ports import TurnStore
from placet.core.domain.review import PendingRequest, RequestKind
from support.stores import BINDING, OpenStore, answer, call, fill, new_session


async def test_a_users_row_comes_back_as_it_was_given(opened: OpenStore) -> None:
    turns: TurnStore = opened.store.turns

    given = await turns.append_user(
        opened.frame.id, "Read it.", context_block="Today is Monday.", metadata={"attachments": ["/a"], "n": 1}
    )

    stored = await turns.last_message(opened.frame.id)
    assert stored == given
    assert (given.role, given.content, given.context_block) == (Role.USER, "Read it.", "Today is Monday.")
    assert given.metadata == {"attachments": ["/a"], "n": 1}
    assert given.created_at > 0


async def test_the_root_frame_is_made_once(opened: OpenStore) -> None:
    again = await opened.store.turns.root_frame(opened.session.id)

    assert again == opened.frame
    assert again.agent == opened.session.agent


async def test_unknown_ids_are_named(opened: OpenStore) -> None:
    turns = opened.store.turns
    with pytest.raises(UnknownItem, match="no session nowhere"):
        await turns.session(SessionId("nowhere"))
    with pytest.raises(UnknownItem, match="no session nowhere"):
        await turns.root_frame(SessionId("nowhere"))
    with pytest.raises(UnknownItem, match="no frame 99"):
        await turns.append_user(FrameId(99), "x")
    with pytest.raises(UnknownItem, match="no tool call 99"):
        await turns.start_call(CallId(99), label="", decision="")


async def test_s2_a_begun_answer_is_interrupted_until_it_is_finished(opened: OpenStore) -> None:
    turns = opened.store.turns
    message_id = await turns.begin_answer(opened.frame.id, BINDING)
    await turns.save_partial(message_id, "Half an ans", "because")

    cut = await turns.last_message(opened.frame.id)
    finished = await turns.finish_answer(
        message_id, Answer(text="Half an answer."), [], cost=None, duration_s=1.5, ends_turn=True
    )

    assert cut is not None
    assert (cut.id, cut.status, cut.content, cut.reasoning) == (
        message_id,
        MessageStatus.INTERRUPTED,
        "Half an ans",
        "because",
    )
    assert (finished.status, finished.content, finished.reasoning) == (MessageStatus.OK, "Half an answer.", "")
    assert (finished.provider, finished.model, finished.duration_s) == ("demo", "small", 1.5)
    assert finished.revision > cut.revision


async def test_a_late_partial_never_overwrites_a_finished_answer(opened: OpenStore) -> None:
    done = await answer(opened.store, opened.frame.id, "The whole.")

    await opened.store.turns.save_partial(done.id, "The", "")

    assert await opened.store.turns.last_message(opened.frame.id) == done


async def test_an_answer_that_came_at_once_is_stored_like_one_that_was_begun(opened: OpenStore) -> None:
    turns = opened.store.turns
    begun = await answer(opened.store, opened.frame.id, "text", call("read_file"))
    added = await turns.add_answer(
        opened.frame.id, BINDING, Answer(text="text"), [call("read_file")], cost=None, duration_s=1.0, ends_turn=False
    )
    assert added.id > begun.id
    assert (added.role, added.status, added.content, added.model) == (
        begun.role,
        begun.status,
        begun.content,
        begun.model,
    )
    assert [one.name for one in added.calls] == ["read_file"]
    assert (await turns.session(opened.session.id)).messages == 2


async def test_t7_an_answer_and_all_its_calls_are_stored_together(opened: OpenStore) -> None:
    usage = Usage(input_tokens=100, output_tokens=20, cached_tokens=60, reasoning_tokens=5)

    stored = await answer(
        opened.store,
        opened.frame.id,
        "I look.",
        call("read_file", '{"path":"a"}', "c1"),
        call("execute_cmd", '{"command":"ls"}', "c2"),
        usage=usage,
        cost=0.25,
    )

    assert [(c.provider_id, c.name, c.arguments, c.status) for c in stored.calls] == [
        ("c1", "read_file", '{"path":"a"}', CallStatus.RUNNING),
        ("c2", "execute_cmd", '{"command":"ls"}', CallStatus.RUNNING),
    ]
    assert all(c.started_at is None and c.message_id == stored.id for c in stored.calls)
    assert len({c.id for c in stored.calls}) == 2
    assert stored.usage == Usage(input_tokens=100, output_tokens=20, cached_tokens=60, reasoning_tokens=5, cost=0.25)
    assert await opened.store.turns.last_message(opened.frame.id) == stored


async def test_p6_a_voided_answer_leaves_no_trace(opened: OpenStore) -> None:
    turns = opened.store.turns
    asked = await turns.append_user(opened.frame.id, "go")
    message_id = await turns.begin_answer(opened.frame.id, BINDING)
    await turns.save_partial(message_id, "half a xylophone", "")

    await turns.void_answer(message_id)
    await turns.void_answer(message_id)
    await turns.append_user(opened.frame.id, "more")

    assert await turns.messages_after(opened.frame.id, None) == (asked, await turns.last_message(opened.frame.id))
    assert (await turns.session(opened.session.id)).messages == 2
    assert await opened.store.search.search("xylophone") == ([], 0)


async def test_a_finished_answer_cannot_be_voided(opened: OpenStore) -> None:
    done = await answer(opened.store, opened.frame.id, "The whole.", call())

    await opened.store.turns.void_answer(done.id)

    assert await opened.store.turns.last_message(opened.frame.id) == done
    assert (await opened.store.turns.session(opened.session.id)).messages == 1


async def test_a_failing_call_row_takes_the_whole_answer_back(opened: OpenStore) -> None:
    turns = opened.store.turns
    message_id = await turns.begin_answer(opened.frame.id, BINDING)
    bad = call(name=None)  # type: ignore[arg-type]  # breaks inside the transaction, after the answer was written

    with pytest.raises(TypeError):
        await turns.finish_answer(message_id, Answer(text="x"), [call(), bad], cost=1, duration_s=1, ends_turn=False)

    left = await turns.last_message(opened.frame.id)
    assert left is not None
    assert (left.status, left.content, left.calls) == (MessageStatus.INTERRUPTED, "", ())
    assert (await turns.session(opened.session.id)).cost is None


def waiting_for(session_id: SessionId, call_id: CallId, label: str) -> PendingRequest:
    return PendingRequest(
        id=RequestId("r"), session_id=session_id, call_id=call_id, kind=RequestKind.OTHER, tool="t", label=label,
        detail="", because="",
    )  # fmt: skip


async def test_t5_a_call_has_begun_only_after_start_call(opened: OpenStore) -> None:
    turns = opened.store.turns
    stored = await answer(opened.store, opened.frame.id, "", call())
    call_id = stored.calls[0].id

    await opened.store.approvals.add(waiting_for(opened.session.id, call_id, label="Read a"))
    held = (await turns.unfinished_calls(opened.frame.id))[0]
    await turns.start_call(call_id, label="Read a", decision="allowed by you")
    begun = (await turns.unfinished_calls(opened.frame.id))[0]
    await turns.end_call(call_id, CallStatus.DONE, "text", facts={"lines": 3}, decision="")

    assert (held.status, held.started_at, held.label) == (CallStatus.PENDING, None, "Read a")
    assert (begun.status, begun.label) == (CallStatus.RUNNING, "Read a")
    assert begun.started_at is not None
    assert await turns.unfinished_calls(opened.frame.id) == []
    ended = (await turns.last_message(opened.frame.id)).calls[0]  # type: ignore[union-attr]
    assert (ended.status, ended.result, ended.facts, ended.decision) == (
        CallStatus.DONE,
        "text",
        {"lines": 3},
        "allowed by you",
    )
    assert ended.ended_at is not None


async def test_the_revision_grows_with_a_calls_result(opened: OpenStore) -> None:
    stored = await answer(opened.store, opened.frame.id, "", call())

    await opened.store.turns.end_call(stored.calls[0].id, CallStatus.FAILED, "no", facts={}, decision="x")

    after = await opened.store.turns.last_message(opened.frame.id)
    assert after is not None
    assert after.revision > stored.revision


async def test_only_trailing_questions_without_an_answer_are_failed(opened: OpenStore) -> None:
    turns = opened.store.turns
    answered = await turns.append_user(opened.frame.id, "one")
    await answer(opened.store, opened.frame.id, "1")
    open_ones = [await turns.append_user(opened.frame.id, text) for text in ("two", "three")]

    failed = await turns.fail_unanswered(opened.frame.id)

    assert failed == [m.id for m in open_ones]
    assert await turns.fail_unanswered(opened.frame.id) == []
    statuses = {m.id: m.status for m in await turns.messages_after(opened.frame.id, None)}
    assert statuses[answered.id] is MessageStatus.OK
    assert {statuses[m.id] for m in open_ones} == {MessageStatus.FAILED}


async def test_windows_of_rows_come_oldest_first_and_keep_to_their_frame(opened: OpenStore) -> None:
    turns = opened.store.turns
    other = await turns.root_frame((await new_session(opened.store)).id)
    ids: list[MessageId] = []
    for index in range(6):
        ids.append((await turns.append_user(opened.frame.id, str(index))).id)
        await turns.append_user(other.id, "elsewhere")

    newest = await turns.newest_messages(opened.frame.id, None, 2)
    before = await turns.newest_messages(opened.frame.id, ids[4], 3)
    after = await turns.messages_after(opened.frame.id, ids[3])

    assert [m.id for m in newest] == ids[4:]
    assert [m.id for m in before] == ids[1:4]
    assert [m.id for m in after] == ids[4:]


async def test_s5_the_newest_rows_are_read_without_looking_at_the_others(opened: OpenStore) -> None:
    await fill(opened.store, opened.frame.id, 3000)
    sql = "SELECT id FROM messages WHERE {} = ? AND id < ? ORDER BY id DESC LIMIT 60"

    plans = [
        await opened.store.database.look(
            lambda c, column=column: c.all("EXPLAIN QUERY PLAN " + sql.format(column), (1, 10**9))
        )
        for column in ("frame_id", "session_id")
    ]

    for plan in plans:
        assert len(plan) == 1  # no step that sorts
        assert "USING" in plan[0][3]
        assert "rowid<?" in plan[0][3]
    assert len(await opened.store.turns.newest_messages(opened.frame.id, None, 60)) == 60


async def test_every_model_call_is_in_the_ledger(opened: OpenStore) -> None:
    await answer(opened.store, opened.frame.id, "a", usage=Usage(input_tokens=7, output_tokens=2), cost=0.5)
    await answer(opened.store, opened.frame.id, "b")

    rows = await opened.store.database.look(
        lambda c: c.all("SELECT session_id, model, input_tokens, output_tokens, cost FROM usage ORDER BY id")
    )

    assert rows == [(opened.session.id, "small", 7, 2, 0.5), (opened.session.id, "small", None, None, None)]
