"""What review asks of its stores, held by the ones in memory and by the database alike."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from placet.core.domain.ids import CallId, RequestId
from placet.core.domain.messages import Mode, RunContext, Session
from placet.core.domain.ports import ApprovalStore, ChangeJournal, RuleStore
from placet.core.domain.review import ChangeState, Permit, RevertStatus
from placet.core.review.bypasses import Bypasses
from placet.core.review.gate import ReviewGate
from placet.core.review.paths import Ground
from placet.core.review.requests import request_for
from placet.core.review.rules import Policy
from placet.core.review.seeds import read_seeds
from placet.core.review.undo import Undo
from placet.core.settings.resources import read_resource
from placet.core.store.store import open_store
from support.review_fakes import (
    SESSION,
    Heard,
    MemoryApprovals,
    MemoryJournal,
    MemoryRules,
    call_ref,
    command_of,
    prepared,
    write_of,
)


@dataclass
class Stores:
    journal: ChangeJournal
    approvals: ApprovalStore
    rules: RuleStore


@pytest.fixture(params=["memory", "database"])
async def stores(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Stores]:
    if request.param == "memory":
        yield Stores(MemoryJournal(), MemoryApprovals(), MemoryRules())
        return
    home = tmp_path / "home"
    home.mkdir()
    store = open_store(home)
    await store.sessions.create(Session(id=SESSION, created_at=1.0))
    yield Stores(store.changes, store.approvals, store.rules)
    await store.aclose()


@pytest.fixture
def gate(stores: Stores, tmp_path: Path) -> ReviewGate:
    policy = Policy(Ground(tmp_path / "placet", tmp_path / "person"))
    return ReviewGate(stores.rules, stores.approvals, stores.journal, Heard(), policy, prepared, Bypasses())


async def test_a_write_and_its_undo_are_journalled(stores: Stores, gate: ReviewGate, tmp_path: Path) -> None:
    place = tmp_path.resolve() / "work.txt"
    place.write_bytes(b"old\r\n")
    context = RunContext(workdir=str(tmp_path), mode=Mode.AUTO)
    permit = await gate.clear(call_ref(), write_of(place, b"new\n"), context)
    assert isinstance(permit, Permit)
    result = await gate.apply(call_ref(), permit)

    change = await stores.journal.change(result.facts["change_id"])
    assert (change.state, change.tool, change.path) == (ChangeState.APPLIED, "write_file", str(place))
    assert await stores.journal.contents(change.id) == (b"old\r\n", b"new\n")
    assert await stores.journal.of_call(CallId(1)) == change
    assert await stores.journal.intended() == []

    undo = Undo(stores.journal)
    assert [outcome.status for outcome in await undo.revert([change.id])] == [RevertStatus.REVERTED]
    assert place.read_bytes() == b"old\r\n"
    (revert, reverted), count = await stores.journal.page(SESSION)
    assert (count, revert.reverts, reverted.state) == (2, change.id, ChangeState.REVERTED)

    assert [outcome.status for outcome in await undo.revert([revert.id])] == [RevertStatus.REVERTED]
    assert place.read_bytes() == b"new\n"
    assert (await stores.journal.change(change.id)).state is ChangeState.APPLIED


async def test_a_stored_request_comes_back_as_it_was(stores: Stores, gate: ReviewGate, tmp_path: Path) -> None:
    operation = command_of("sudo ls", tmp_path)
    verdict = await gate.explain(call_ref("execute_cmd"), operation, RunContext())
    request = request_for(call_ref("execute_cmd"), operation, verdict, None, stale=True)
    await stores.approvals.add(request)
    stored = await stores.approvals.get(request.id)
    assert stored is not None
    assert (stored.binding, stored.facts, stored.stale) == (request.binding, request.facts, True)
    await stores.approvals.remove(request.id)
    assert await stores.approvals.get(RequestId(request.id)) is None
    assert await stores.approvals.waiting(SESSION) == []


async def test_the_shipped_rules_are_stored_once(stores: Stores, gate: ReviewGate, tmp_path: Path) -> None:
    seeds = read_seeds(read_resource("review.toml")).rules
    await stores.rules.seed(seeds)
    await stores.rules.seed(seeds)
    rules = await stores.rules.rules()
    assert len(rules) == len(seeds)
    assert len({rule.id for rule in rules}) == len(seeds)
    is_denied = await gate.denied_paths(RunContext())
    assert is_denied(tmp_path / "person" / ".ssh" / "id")
    assert not is_denied(tmp_path / "person" / "letters")
