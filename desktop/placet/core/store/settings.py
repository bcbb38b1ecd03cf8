"""Settings as JSON values under a key."""

from __future__ import annotations

from typing import Any

import msgspec

from placet.core.store.connection import Row
from placet.core.store.database import Database
from placet.core.store.records import DECODE_ERRORS, to_json
from placet.core.store.schema import Settings


class SettingRows:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, key: str, default: Any = None) -> Any:
        """The stored value; `default` where there is none or it is damaged."""
        query = Settings.select(Settings.key, Settings.value).where(Settings.key == key)
        rows = await self._database.read(lambda connection: connection.rows(query))
        return _values(rows).get(key, default)

    async def all(self) -> dict[str, Any]:
        query = Settings.select(Settings.key, Settings.value)
        return _values(await self._database.read(lambda connection: connection.rows(query)))

    async def set(self, key: str, value: Any) -> None:
        """Store a JSON value; None forgets the key."""
        if value is None:
            await self._database.run(lambda c: c.rows(Settings.delete().where(Settings.key == key)))
            return
        query = Settings.insert(key=key, value=to_json(value)).on_conflict_replace()
        await self._database.run(lambda connection: connection.rows(query))


def _values(rows: list[Row]) -> dict[str, Any]:
    values = {}
    for key, text in rows:
        try:
            values[key] = msgspec.json.decode(text)
        except DECODE_ERRORS:
            continue
    return values
