"""Waiting requests and approval rules over the real store."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from placet.core.domain.errors import StoreError, UnknownItem, UsageError
from placet.core.domain.ids import CallId, RequestId
from placet.core.domain.messages import CallStatus, RunContext
from placet.core.domain.ports import ApprovalStore, RuleStore
from placet.core.domain.review import Action, DecidedBy, Decision, ReviewNotes, Rule, Verdict
from placet.core.store.store import open_store
from support.stores import OpenStore, answer, call, new_session, opened_store, request

RULES = [
    Rule(priority=10, tool="execute_cmd", action=Action.REQUIRE, note="commands"),
    Rule(tool="@fs_any", path="secrets/*", command=("git", "push"), action=Action.DENY),
]


async def test_a_request_waits_across_a_restart_with_its_call(tmp_path: Path) -> None:
    async with opened_store(tmp_path) as opened:
        approvals: ApprovalStore = opened.store.approvals
        stored = await answer(opened.store, opened.frame.id, "", call())
        waits = request(opened, stored.calls[0].id)
        await approvals.add(waits)
    store = open_store(tmp_path)
    try:
        assert await store.approvals.get(waits.id) == msgspec.structs.replace(waits, source=opened.session.source)
        (pending,) = await store.turns.unfinished_calls(opened.frame.id)
        assert pending.status is CallStatus.PENDING
        assert (await store.sessions.get(opened.session.id)).waiting == 1
    finally:
        await store.aclose()


async def test_requests_are_newest_first_with_the_sessions_title(opened: OpenStore) -> None:
    approvals = opened.store.approvals
    await opened.store.sessions.update(opened.session.id, title="Shed")
    other = await new_session(opened.store)
    first, second = (request(opened, CallId(n), at=float(n)) for n in (1, 2))
    for waits in (second, first):
        await approvals.add(waits)

    assert [(r.id, r.session_title) for r in await approvals.waiting()] == [(second.id, "Shed"), (first.id, "Shed")]
    assert await approvals.waiting(other.id) == []
    await approvals.remove(second.id)
    await approvals.remove(RequestId("nothing"))
    assert [r.id for r in await approvals.waiting(opened.session.id)] == [first.id]
    assert await approvals.get(second.id) is None


async def test_r_17_what_a_person_did_so_far_goes_with_the_request(opened: OpenStore) -> None:
    approvals = opened.store.approvals
    waits, gone = (request(opened, CallId(n)) for n in (1, 2))
    await approvals.add(waits)
    notes = ReviewNotes(of="digest", seen=(0, 2), skipped=(2,), current=1, text="mine \ud83d\x00\n", reason="“no”")
    approvals.keep_notes(waits.id, notes)
    approvals.keep_notes(gone.id, notes)
    kept = msgspec.structs.replace(notes, text="mine \ufffd\x00\n")
    assert [(r.id, r.notes) for r in await approvals.waiting()] == [(waits.id, kept)]

    assert await approvals.decide(waits.id, Decision(approved=False))
    approvals.keep_notes(waits.id, ReviewNotes())
    decided = await approvals.get(waits.id)
    assert decided is not None
    assert (decided.notes, decided.decision) == (ReviewNotes(), Decision(approved=False))


async def test_r_12_why_a_request_is_gone_is_kept_once(opened: OpenStore) -> None:
    stored = await answer(opened.store, opened.frame.id, "", call())
    waits = request(opened, stored.calls[0].id)
    stopped = Verdict(action=Action.DENY, by=DecidedBy.PERSON, because="stopped", digest="d", at=1.0)
    await opened.store.approvals.add(waits)
    for _ in range(2):
        await opened.store.approvals.remove(waits.id, stopped)
    assert await opened.store.decisions.of_session(opened.session.id) == [(waits.call_id, stopped)]


async def test_s7_a_damaged_request_hides_only_itself(opened: OpenStore) -> None:
    bad, good = (request(opened, CallId(n)) for n in (1, 2))
    for waits in (bad, good):
        await opened.store.approvals.add(waits)
    await opened.store.database.run(lambda c: c.execute("UPDATE approvals SET body = '{' WHERE id = ?", (bad.id,)))

    assert [r.id for r in await opened.store.approvals.waiting()] == [good.id]


async def test_rules_are_seeded_once_even_if_all_were_removed(opened: OpenStore) -> None:
    rules: RuleStore = opened.store.rules
    await rules.seed(RULES)
    stored = await rules.rules()
    await rules.seed(RULES)
    again = await rules.rules()
    await opened.store.database.run(lambda c: c.execute("DELETE FROM approval_rules"))
    await rules.seed(RULES)

    assert [(r.tool, r.path, r.command, r.action, r.note) for r in stored] == [
        (r.tool, r.path, r.command, r.action, r.note) for r in RULES
    ]
    assert len({r.id for r in stored}) == 2
    assert again == stored
    assert await rules.rules() == []


async def test_a_damaged_rule_is_an_error_for_it_might_be_the_one_that_denies(opened: OpenStore) -> None:
    await opened.store.rules.seed(RULES)
    await opened.store.database.run(lambda c: c.execute("UPDATE approval_rules SET body = '{' WHERE id = 2"))

    with pytest.raises(StoreError, match="rule 2 is damaged"):
        await opened.store.rules.rules()


async def test_an_edit_adds_changes_and_removes_rules_at_once(opened: OpenStore) -> None:
    rows = opened.store.rules
    await rows.seed(RULES)

    def edit(rules: Sequence[Rule]) -> list[Rule]:
        first, _ = rules
        return [msgspec.structs.replace(first, note="shell"), Rule(id=99, tool="new")]

    after = await rows.change(edit)

    assert [(rule.tool, rule.note) for rule in after] == [("execute_cmd", "shell"), ("new", "")]
    assert await rows.rules() == after
    assert after[1].id == 3  # never that of a rule that was removed


async def test_an_edit_that_fails_changes_nothing(opened: OpenStore) -> None:
    await opened.store.rules.seed(RULES)
    before = await opened.store.rules.rules()

    def edit(rules: Sequence[Rule]) -> list[Rule]:
        raise UsageError("No.")

    with pytest.raises(UsageError):
        await opened.store.rules.change(edit)
    assert await opened.store.rules.rules() == before


async def test_what_another_process_changed_is_read_at_the_next_look(tmp_path: Path) -> None:
    async with opened_store(tmp_path) as opened:
        await opened.store.rules.seed(RULES)
        assert len(await opened.store.rules.rules()) == 2
        other = open_store(tmp_path)
        try:
            await other.rules.change(lambda rules: rules[:1])
            assert len(await opened.store.rules.rules()) == 1
            await opened.store.rules.change(lambda rules: [])
            assert await other.rules.rules() == []
        finally:
            await other.aclose()


async def test_rules_that_were_being_read_while_they_changed_are_not_kept(opened: OpenStore) -> None:
    rows = opened.store.rules
    await rows.seed(RULES)
    read, _ = await asyncio.gather(rows.rules(), rows.change(lambda rules: rules[:1]))
    assert len(read) in (1, 2)
    assert len(await rows.rules()) == 1


async def test_a_groups_sessions_go_with_it(opened: OpenStore) -> None:
    store = opened.store
    await store.rules.seed([Rule(tool="a", group="careful"), Rule(tool="*")])
    await store.sessions.update(opened.session.id, context=RunContext(workdir="/w", group="careful"))
    await new_session(store)

    assert await store.rules.sessions_in("careful") == [opened.session.id]
    assert await store.rules.session_groups() == {"careful": 1, "default": 1}
    await store.rules.change_group(
        "careful", "strict", lambda rules: [msgspec.structs.replace(rule, group="strict") for rule in rules]
    )
    assert (await store.sessions.get(opened.session.id)).context == RunContext(workdir="/w", group="strict")


async def test_past_calls_come_newest_first_with_what_they_depended_on(opened: OpenStore) -> None:
    store = opened.store
    await store.sessions.update(opened.session.id, title="Shed", context=RunContext(workdir="/w", group="careful"))
    first = await answer(store, opened.frame.id, "", call("read_file"))
    second = await answer(store, opened.frame.id, "", call("write_file"))

    newest, older = await store.past_calls.newest(5)

    assert (newest.call.id, older.call.id) == (second.calls[0].id, first.calls[0].id)
    assert (newest.title, newest.agent, newest.source) == ("Shed", opened.frame.agent, opened.session.source)
    assert newest.context.group == "careful"
    assert await store.past_calls.get(older.call.id) == older
    assert len(await store.past_calls.newest(1)) == 1
    with pytest.raises(UnknownItem, match="no tool call 77"):
        await store.past_calls.get(CallId(77))


async def test_s7_a_damaged_call_hides_only_itself_from_past_calls(opened: OpenStore) -> None:
    store = opened.store
    bad = await answer(store, opened.frame.id, "", call())
    good = await answer(store, opened.frame.id, "", call())
    broken = bad.calls[0].id
    await store.database.run(lambda c: c.execute("UPDATE tool_calls SET arguments = '{' WHERE id = ?", (broken,)))

    assert [past.call.id for past in await store.past_calls.newest(5)] == [good.calls[0].id]
    with pytest.raises(UnknownItem):
        await store.past_calls.get(broken)


async def test_a_damaged_rule_can_be_named_and_removed_alone(opened: OpenStore) -> None:
    rows = opened.store.rules
    await rows.seed(RULES)
    assert await rows.damaged() == []
    await opened.store.database.run(lambda c: c.execute("UPDATE approval_rules SET body = '{' WHERE id = 2"))
    with pytest.raises(StoreError):
        await rows.change(lambda rules: rules)

    assert await rows.damaged() == [2]
    await rows.remove_damaged()

    assert [rule.id for rule in await rows.rules()] == [1]
