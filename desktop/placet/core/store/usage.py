"""The ledger of model calls, summed up."""

from __future__ import annotations

from placet.core.domain.costs import ModelCost
from placet.core.domain.ids import SessionId
from placet.core.store.connection import Connection
from placet.core.store.database import Database

_BY_MODEL = """
SELECT provider, model, count(*), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0),
       coalesce(sum(cached_tokens), 0), coalesce(sum(reasoning_tokens), 0), sum(cost), count(*) - count(cost)
FROM usage WHERE session_id = ? GROUP BY provider, model ORDER BY min(id)
"""


class UsageRows:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def of_session(self, session_id: SessionId) -> tuple[ModelCost, ...]:
        """What the session's calls used, by model in the order of first use."""

        def work(connection: Connection) -> tuple[ModelCost, ...]:
            return tuple(
                ModelCost(
                    provider=row[0],
                    model=row[1],
                    calls=row[2],
                    input_tokens=row[3],
                    output_tokens=row[4],
                    cached_tokens=row[5],
                    reasoning_tokens=row[6],
                    cost=row[7],
                    unpriced=row[8],
                )
                for row in connection.all(_BY_MODEL, (session_id,))
            )

        return await self._database.look(work)
