"""Odd and damaged rows: one hides only itself, nothing is deleted, no text poisons a session."""

from __future__ import annotations

import json

import pytest

from placet.core.domain.messages import CallStatus, RunContext
from placet.core.domain.model_calls import Answer
from support.stores import BINDING, OpenStore, answer, call


@pytest.mark.parametrize(
    "damage",
    [
        'UPDATE messages SET parts = \'[{"type":"thin\' WHERE id = 2',
        "UPDATE messages SET metadata = '{\"a\":' WHERE id = 2",
        "UPDATE messages SET status = 'odd' WHERE id = 2",
        "UPDATE messages SET role = 'odd' WHERE id = 2",
        "UPDATE messages SET content = x'00ff' WHERE id = 2",
        "UPDATE tool_calls SET facts = '{' WHERE message_id = 2",
        "UPDATE tool_calls SET arguments = '{\"path\":' WHERE message_id = 2",
        "UPDATE tool_calls SET status = 'odd' WHERE message_id = 2",
    ],
)
async def test_s7_a_damaged_row_hides_only_itself_and_is_never_deleted(opened: OpenStore, damage: str) -> None:
    turns = opened.store.turns
    await turns.append_user(opened.frame.id, "one")
    await answer(opened.store, opened.frame.id, "two", call())
    await turns.append_user(opened.frame.id, "three")
    await opened.store.database.run(lambda c: c.execute(damage))

    messages = await turns.messages_after(opened.frame.id, None)
    page = await opened.store.sessions.newest(opened.session.id)
    await opened.store.sessions.list()
    await turns.unfinished_calls(opened.frame.id)
    await opened.store.search.index_all()
    hits, _ = await opened.store.search.search("three")

    assert len(hits) == 1
    assert [m.unreadable for m in messages] == [False, True, False]
    assert tuple(messages) == page.messages
    assert [messages[0].content, messages[2].content] == ["one", "three"]
    assert (await turns.append_user(opened.frame.id, "four")).content == "four"
    count = await opened.store.database.look(lambda c: c.all("SELECT count(*) FROM messages"))
    assert count == [(4,)]


async def test_lone_surrogates_are_cleaned_before_they_are_stored(opened: OpenStore) -> None:
    turns = opened.store.turns
    odd, clean = json.loads('"done \\ud83c now"'), "done \N{REPLACEMENT CHARACTER} now"

    said = await turns.append_user(opened.frame.id, odd, context_block=odd, metadata={"k": [odd]})
    message_id = await turns.begin_answer(opened.frame.id, BINDING)
    await turns.save_partial(message_id, odd, odd)
    stored = await turns.finish_answer(
        message_id,
        Answer(text=odd, reasoning=odd, parts=json.dumps([clean])),
        [call(odd, '{"text":"\\ud83d"}', odd)],
        cost=None,
        duration_s=1,
        ends_turn=False,
    )
    await turns.start_call(stored.calls[0].id, label=odd, decision=odd)
    await turns.end_call(stored.calls[0].id, CallStatus.DONE, odd, facts={"x": odd}, decision=odd, label=odd)
    await opened.store.sessions.update(opened.session.id, title=odd, context=RunContext(extra_prompt=odd), model=odd)
    await opened.store.settings.set("k", {odd: odd})

    assert (said.content, said.context_block, said.metadata) == (clean, clean, {"k": [clean]})
    last = await turns.last_message(opened.frame.id)
    assert last is not None
    assert (last.content, last.reasoning, last.unreadable) == (clean, clean, False)
    assert (last.calls[0].name, last.calls[0].result, last.calls[0].facts) == (clean, clean, {"x": clean})
    session = await opened.store.sessions.get(opened.session.id)
    assert (session.title, session.context.extra_prompt) == (clean, clean)
    assert await opened.store.settings.get("k") == {clean: clean}
    hits, _ = await opened.store.search.search(odd)
    assert len(hits) == 3


async def test_a_session_that_already_holds_odd_bytes_opens_and_goes_on(opened: OpenStore) -> None:
    turns = opened.store.turns
    await turns.append_user(opened.frame.id, "x")
    surrogate = "done \ud83c now".encode("utf-8", "surrogatepass").hex()
    await opened.store.database.run(
        lambda c: [
            c.execute(f"UPDATE messages SET content = CAST(x'{surrogate}' AS TEXT)"),
            c.execute(f"UPDATE sessions SET title = CAST(x'{surrogate}' AS TEXT)"),
        ]
    )

    page = await opened.store.sessions.newest(opened.session.id)
    (listed,), _ = await opened.store.sessions.list()
    hits, _ = await opened.store.search.search("done")
    await turns.append_user(opened.frame.id, "on")

    (message,) = page.messages
    assert message.content.startswith("done \N{REPLACEMENT CHARACTER}")
    assert message.content.endswith(" now")
    assert not message.unreadable
    assert listed.title.startswith("done ")
    assert len(hits) == 1


async def test_a_damaged_run_context_gives_no_permission(opened: OpenStore) -> None:
    context = RunContext(workdir="/w", writable=("/",), mode="auto")  # type: ignore[arg-type]
    await opened.store.sessions.update(opened.session.id, context=context)
    await opened.store.database.run(lambda c: c.execute("UPDATE sessions SET run_context = substr(run_context, 1, 9)"))

    assert (await opened.store.turns.session(opened.session.id)).context == RunContext()
