"""The approval rules: the port `RuleStore`, and the edits of a person."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from placet.core.domain.errors import StoreError
from placet.core.domain.ids import SessionId
from placet.core.domain.review import Rule
from placet.core.domain.text import clean_text
from placet.core.store.connection import Connection
from placet.core.store.database import Database
from placet.core.store.records import DECODE_ERRORS, to_json
from placet.core.store.schema import ApprovalRules

Edit = Callable[[Sequence[Rule]], Sequence[Rule]]

_decode = msgspec.json.Decoder(Rule).decode
_IN_GROUP = "json_valid(run_context) AND json_extract(run_context, '$.group') = ?"


class RuleRows:
    """Implements `RuleStore`. Rules are read once, and anew when this or another process changed them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: tuple[tuple[int, int], Sequence[Rule]] | None = None
        self._edits = 0  # counted when an edit is handed over: what was read before it is not kept after it

    async def rules(self) -> Sequence[Rule]:
        """As of now, whoever changed them last: a check must not be made on what another process has replaced.

        Raises: StoreError for a damaged rule too. A rule that is skipped might be the one that denies.
        """
        edits = self._edits
        await self._database.read(_nothing)  # the version is that of the last thing that was read
        version = (self._database.foreign_version, edits)
        if self._known is not None and self._known[0] == version:
            return self._known[1]
        rules = await self._database.read(_all)
        self._known = (version, rules)
        return rules

    async def change(self, edit: Edit) -> Sequence[Rule]:
        """Replace the rules by what `edit` makes of them, all at once; returns them as they are then.

        A rule with an id that is not there yet is added and gets an id of its own. Whatever `edit` raises is raised,
        and nothing is changed.
        """
        self._edits += 1
        return await self._database.run(lambda connection: _change(connection, edit), durable=True)

    async def damaged(self) -> Sequence[int]:
        """The ids of rules that cannot be read any more."""
        return await self._database.read(_damaged)

    async def remove_damaged(self) -> None:
        """Whatever they said; the others can be read again."""
        self._edits += 1

        def work(connection: Connection) -> None:
            for rule_id in _damaged(connection):
                connection.rows(ApprovalRules.delete().where(ApprovalRules.id == rule_id))

        await self._database.run(work, durable=True)

    async def sessions_in(self, group: str) -> Sequence[SessionId]:
        """The sessions that a group's rules are for."""
        sql = f"SELECT id FROM sessions WHERE {_IN_GROUP}"
        rows = await self._database.read(lambda connection: connection.all(sql, (clean_text(group),)))
        return [SessionId(row[0]) for row in rows]

    async def session_groups(self) -> dict[str, int]:
        """How many sessions each group has that is named by one."""
        sql = (
            "SELECT json_extract(run_context, '$.group') AS named, count(*) FROM sessions "
            "WHERE json_valid(run_context) AND named IS NOT NULL GROUP BY named"
        )
        rows = await self._database.read(lambda connection: connection.all(sql))
        return {str(name): count for name, count in rows}

    async def change_group(self, group: str, new: str, edit: Edit) -> Sequence[Rule]:
        """Like `change`, and give the sessions of `group` to the group `new` in the same transaction."""
        self._edits += 1
        sql = f"UPDATE sessions SET run_context = json_set(run_context, '$.group', ?) WHERE {_IN_GROUP}"

        def work(connection: Connection) -> Sequence[Rule]:
            rules = _change(connection, edit)
            connection.execute(sql, (clean_text(new), clean_text(group)))
            return rules

        return await self._database.run(work, durable=True)

    async def are_seeded(self) -> bool:
        """Whether there ever were rules; a person may have removed them since."""
        return await self._database.read(_were_ever)

    async def seed(self, rules: Sequence[Rule]) -> None:
        self._edits += 1

        def work(connection: Connection) -> None:
            if _were_ever(connection):
                return
            for rule in rules:
                connection.rows(ApprovalRules.insert(body=to_json(rule)))

        await self._database.run(work)


def _nothing(connection: Connection) -> None:
    """Only the connection's look at what others committed is wanted."""


def _were_ever(connection: Connection) -> bool:
    """The sequence remembers rules that were removed since."""
    return bool(connection.all("SELECT 1 FROM sqlite_sequence WHERE name = 'approval_rules'"))


def _all(connection: Connection) -> Sequence[Rule]:
    rows = connection.rows(ApprovalRules.select(ApprovalRules.id, ApprovalRules.body))
    return [_rule(rule_id, body) for rule_id, body in rows]


def _damaged(connection: Connection) -> Sequence[int]:
    found = []
    for rule_id, body in connection.rows(ApprovalRules.select(ApprovalRules.id, ApprovalRules.body)):
        try:
            _rule(rule_id, body)
        except StoreError:
            found.append(rule_id)
    return found


def _change(connection: Connection, edit: Edit) -> Sequence[Rule]:
    before = {rule.id: rule for rule in _all(connection)}
    after = {rule.id: rule for rule in edit(list(before.values()))}
    for rule_id in before.keys() - after.keys():
        connection.rows(ApprovalRules.delete().where(ApprovalRules.id == rule_id))
    for rule_id, rule in after.items():
        if rule_id not in before:
            connection.rows(ApprovalRules.insert(body=to_json(rule)))
        elif rule != before[rule_id]:
            connection.rows(ApprovalRules.update(body=to_json(rule)).where(ApprovalRules.id == rule_id))
    return _all(connection)


def _rule(rule_id: int, body: str) -> Rule:
    try:
        return msgspec.structs.replace(_decode(body), id=rule_id)
    except DECODE_ERRORS as error:
        raise StoreError(
            f"Approval rule {rule_id} is damaged.",
            hint="Until it is repaired or removed, everything is asked.",
            detail=str(error),
        ) from error
