"""Providers and models that were saved from the window. What `config.toml` declares is not here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from placet.core.domain.model_calls import Model, Provider
from placet.core.store.connection import Connection, Row
from placet.core.store.database import Database
from placet.core.store.records import DECODE_ERRORS, to_json
from placet.core.store.schema import Models, Providers

T = TypeVar("T")

_decode_provider = msgspec.json.Decoder(Provider).decode
_decode_model = msgspec.json.Decoder(Model).decode


class CatalogueRows:
    """In the order in which they were first saved. Keys are not here; they are in the keychain (`S-9`)."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def providers(self) -> Sequence[Provider]:
        rows = await self._database.read(lambda c: c.all("SELECT body FROM providers ORDER BY rowid"))
        return _decoded(rows, _decode_provider)

    async def models(self) -> Sequence[Model]:
        rows = await self._database.read(lambda c: c.all("SELECT body FROM models ORDER BY rowid"))
        return _decoded(rows, _decode_model)

    async def save_provider(self, provider: Provider) -> None:
        """Store it, in place of one with the same name."""
        body = to_json(msgspec.structs.replace(provider, declared=False))
        query = Providers.insert(name=provider.name, body=body).on_conflict(
            conflict_target=[Providers.name], update={Providers.body: body}
        )
        await self._database.run(lambda connection: connection.rows(query))

    async def remove_provider(self, name: str) -> None:
        """Remove it together with its models, which could not be used any more."""

        def work(connection: Connection) -> None:
            connection.rows(Models.delete().where(Models.provider == name))
            connection.rows(Providers.delete().where(Providers.name == name))

        await self._database.run(work)

    async def save_model(self, model: Model) -> None:
        """Store it, in place of one with the same name; a default one takes that mark from the others."""

        def work(connection: Connection) -> None:
            if model.default:
                for other in _decoded(connection.all("SELECT body FROM models"), _decode_model):
                    if other.default:
                        _put_model(connection, msgspec.structs.replace(other, default=False))
            _put_model(connection, msgspec.structs.replace(model, declared=False))

        await self._database.run(work)

    async def remove_model(self, name: str) -> None:
        await self._database.run(lambda connection: connection.rows(Models.delete().where(Models.name == name)))


def _decoded(rows: Sequence[Row], decode: Callable[[str], T]) -> list[T]:
    values = []
    for (body,) in rows:
        try:
            values.append(decode(body))
        except DECODE_ERRORS:  # one damaged row hides only itself (`S-7`)
            continue
    return values


def _put_model(connection: Connection, model: Model) -> None:
    body = to_json(model)
    connection.rows(
        Models.insert(name=model.name, provider=model.provider, body=body).on_conflict(
            conflict_target=[Models.name], update={Models.provider: model.provider, Models.body: body}
        )
    )
