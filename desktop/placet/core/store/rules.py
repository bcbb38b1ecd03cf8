"""The approval rules: the port `RuleStore`."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from placet.core.domain.errors import StoreError
from placet.core.domain.review import Rule
from placet.core.store.connection import Connection
from placet.core.store.database import Database
from placet.core.store.records import DECODE_ERRORS, to_json
from placet.core.store.schema import ApprovalRules

_decode = msgspec.json.Decoder(Rule).decode


class RuleRows:
    """Implements `RuleStore`. Rules are read once, and anew when another process changed the database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: tuple[int, Sequence[Rule]] | None = None

    async def rules(self) -> Sequence[Rule]:
        """Raises: StoreError for a damaged rule too. A rule that is skipped might be the one that denies."""
        version = self._database.foreign_version
        if self._known is not None and self._known[0] == version:
            return self._known[1]
        query = ApprovalRules.select(ApprovalRules.id, ApprovalRules.body)
        rows = await self._database.read(lambda connection: connection.rows(query))
        rules = [_rule(rule_id, body) for rule_id, body in rows]
        self._known = (version, rules)
        return rules

    async def are_seeded(self) -> bool:
        """Whether there ever were rules; a person may have removed them since."""
        return await self._database.read(_were_ever)

    async def seed(self, rules: Sequence[Rule]) -> None:
        self._known = None

        def work(connection: Connection) -> None:
            if _were_ever(connection):
                return
            for rule in rules:
                connection.rows(ApprovalRules.insert(body=to_json(rule)))

        await self._database.run(work)


def _were_ever(connection: Connection) -> bool:
    """The sequence remembers rules that were removed since."""
    return bool(connection.all("SELECT 1 FROM sqlite_sequence WHERE name = 'approval_rules'"))


def _rule(rule_id: int, body: str) -> Rule:
    try:
        return msgspec.structs.replace(_decode(body), id=rule_id)
    except DECODE_ERRORS as error:
        raise StoreError(
            f"Approval rule {rule_id} is damaged.",
            hint="Until it is repaired or removed, everything is asked.",
            detail=str(error),
        ) from error
