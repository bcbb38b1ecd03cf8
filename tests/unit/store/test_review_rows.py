"""Waiting requests and approval rules over the real store."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from placet.core.domain.errors import StoreError
from placet.core.domain.ids import CallId, RequestId
from placet.core.domain.messages import CallStatus
from placet.core.domain.ports import ApprovalStore, RuleStore
from placet.core.domain.review import Action, Rule
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
