"""Well-known providers, from `resources/providers.toml`: what a person would otherwise have to look up."""

from __future__ import annotations

import tomllib
from functools import cache

import msgspec

from placet.core.domain.model_calls import Dialect, Provider
from placet.core.settings.resources import read_resource


class Preset(msgspec.Struct, frozen=True, kw_only=True):
    """One well-known provider. Without `key_env` it runs on this machine and needs no key."""

    name: str
    title: str
    type: Dialect
    base_url: str
    key_env: tuple[str, ...] = ()
    key_page: str = ""
    models_page: str = ""

    @property
    def needs_key(self) -> bool:
        return bool(self.key_env)

    def candidates(self) -> tuple[Provider, ...]:
        """Return the provider as it would be without any entry of a key, once for each variable."""
        return tuple(
            Provider(name=self.name, type=self.type, base_url=self.base_url, api_key_env=variable)
            for variable in self.key_env or ("",)
        )


@cache
def presets() -> tuple[Preset, ...]:
    """Return all presets in the order in which they are offered."""
    table = tomllib.loads(read_resource("providers.toml"))
    return msgspec.convert(table["providers"], tuple[Preset, ...])


def candidates() -> tuple[Provider, ...]:
    """Return the providers to look for on this machine."""
    return tuple(provider for preset in presets() for provider in preset.candidates())
