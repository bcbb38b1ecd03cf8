"""Providers, models and settings over the real store."""

from __future__ import annotations

from placet.core.domain.model_calls import Dialect, Model, Provider
from support.stores import OpenStore

PROVIDERS = [
    Provider(name="zeta", type=Dialect.OPENAI, base_url="http://127.0.0.1:1/v1", api_key_env="KEY", idle_timeout_s=5.0),
    Provider(name="alpha", type=Dialect.ANTHROPIC, api_key_keyring="alpha"),
]


def model(name: str, provider: str = "zeta", *, default: bool = False) -> Model:
    return Model(name=name, provider=provider, model_id=f"{name}-1", scopes=("basic",), default=default)


async def test_providers_come_back_in_the_order_they_were_first_saved(opened: OpenStore) -> None:
    catalogue = opened.store.catalogue
    for provider in PROVIDERS:
        await catalogue.save_provider(provider)
    changed = Provider(name="zeta", type=Dialect.OPENAI, base_url="http://127.0.0.1:2/v1", declared=True)

    await catalogue.save_provider(changed)

    assert await catalogue.providers() == [
        Provider(name="zeta", type=Dialect.OPENAI, base_url="http://127.0.0.1:2/v1"),
        PROVIDERS[1],
    ]


async def test_there_is_one_default_model(opened: OpenStore) -> None:
    catalogue = opened.store.catalogue
    await catalogue.save_model(model("a", default=True))
    await catalogue.save_model(model("b", default=True))

    assert await catalogue.models() == [model("a"), model("b", default=True)]


async def test_a_removed_provider_takes_its_models_along(opened: OpenStore) -> None:
    catalogue = opened.store.catalogue
    for provider in PROVIDERS:
        await catalogue.save_provider(provider)
    for name, provider_name in (("a", "zeta"), ("b", "alpha"), ("c", "alpha")):
        await catalogue.save_model(model(name, provider_name))

    await catalogue.remove_provider("zeta")
    await catalogue.remove_model("b")

    assert await catalogue.providers() == [PROVIDERS[1]]
    assert await catalogue.models() == [model("c", "alpha")]


async def test_s7_a_damaged_model_hides_only_itself(opened: OpenStore) -> None:
    for name in ("a", "b"):
        await opened.store.catalogue.save_model(model(name))
    await opened.store.database.run(lambda c: c.execute("UPDATE models SET body = '{' WHERE name = 'a'"))

    assert await opened.store.catalogue.models() == [model("b")]


async def test_settings_are_json_values(opened: OpenStore) -> None:
    settings = opened.store.settings
    await settings.set("theme", "dark")
    await settings.set("sizes", {"window": [800, 600]})
    await settings.set("theme", None)

    assert await settings.get("theme", "light") == "light"
    assert await settings.all() == {"sizes": {"window": [800, 600]}}
