"""Providers and models: what `config.toml` declares, then what was saved from the window."""

from __future__ import annotations

import difflib
import logging
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

import msgspec

from placet.core.domain.errors import NoModel, PlacetError, UsageError
from placet.core.domain.model_calls import Binding, Dialect, Model, ModelTest, Provider, Strength
from placet.core.providers.choice import choose, choose_default, stand_in
from placet.core.providers.health import Health, ModelHealth
from placet.core.providers.keys import KeyRing, secret_variables
from placet.core.store.catalogue import CatalogueRows

if TYPE_CHECKING:
    from placet.core.hub.servers import Servers

log = logging.getLogger(__name__)

ADD_ONE = "Add one in Settings > Providers and models, declare one in config.toml, or try the demo."
DEMO = Provider(name="Demo", type=Dialect.DEMO)
DEMO_MODEL = Model(name="demo", provider="Demo", model_id="demo", context_length=32_000)


class Catalogue:
    """Implements `CatalogueApi` and the port `Models`. `servers` is called when a server is to be asked."""

    def __init__(
        self,
        *,
        declared_providers: Sequence[Provider],
        declared_models: Sequence[Model],
        rows: CatalogueRows,
        keys: KeyRing,
        servers: Callable[[], Servers],
        health: ModelHealth | None = None,
    ) -> None:
        self._declared_providers, self._declared_models = declared_providers, declared_models
        self._rows, self._keys, self._servers = rows, keys, servers
        self.health = health or ModelHealth()
        self._seen_providers: Sequence[Provider] = declared_providers

    async def providers(self) -> Sequence[Provider]:
        declared = {provider.name for provider in self._declared_providers}
        saved = [provider for provider in await self._rows.providers() if provider.name not in declared]
        self._seen_providers = [*self._declared_providers, *saved]
        return self._seen_providers

    async def models(self) -> Sequence[Model]:
        """All models; exactly one has `default` set, if there are any."""
        declared = {model.name for model in self._declared_models}
        saved = [model for model in await self._rows.models() if model.name not in declared]
        models = [*self._declared_models, *saved]
        chosen = next((model for model in models if model.default), models[0] if models else None)
        return [msgspec.structs.replace(model, default=model is chosen) for model in models]

    async def resolve(self, name: str = "", scope: str = "", strength: Strength | None = None) -> Binding:
        """Return the named model, else the best one for the wish, else the default one. Raises: NoModel."""
        models, providers = await self.models(), await self.providers()
        if not models:
            raise NoModel("No model is configured.", hint=ADD_ONE)
        if name:
            return _bound(_named(name, models), providers)
        expected = next(model for model in models if model.default)
        usable = [model for model in models if model is expected or _may_be_chosen(model, providers)]
        if scope or strength:
            chosen = choose(usable, self.health.of, scopes=[scope] if scope else (), strength=strength)
        else:
            chosen = choose_default(usable, self.health.of)
        assert chosen is not None, "the default model is always there"
        if self.health.of(chosen.name) is Health.DOWN:
            log.warning("every model has failed several times in a row; %s is tried all the same", chosen.name)
        is_wish = scope or strength or chosen is expected
        return _bound(chosen, providers, instead_of="" if is_wish else expected.name)

    async def stand_in(self, failed: Sequence[Binding], without: Collection[str] = ()) -> Binding | None:
        """Return what to try after the models in `failed`, at none of the providers in `without`."""
        providers = await self.providers()
        usable = [
            model for model in await self.models() if model.provider not in without and _may_be_chosen(model, providers)
        ]
        chosen = stand_in(usable, self.health.of, [binding.model for binding in failed])
        return None if chosen is None else _bound(chosen, providers)

    def succeeded(self, binding: Binding) -> None:
        self.health.healed(binding.model.name)

    def failed(self, binding: Binding) -> None:
        self.health.failed(binding.model.name)

    async def save_provider(self, provider: Provider, key: str | None = None) -> None:
        self._refuse_declared(provider.name, self._declared_providers)
        if not provider.name.strip():
            raise UsageError("A provider needs a name.")
        if provider.type is not Dialect.DEMO and not provider.base_url.startswith(("http://", "https://")):
            raise UsageError(f"{provider.base_url or 'The address'} is no web address.", hint="Begin it with https://")
        if key:
            await self._keys.store(provider.name, key)
            provider = msgspec.structs.replace(provider, api_key_keyring=provider.name, api_key_env="")
        await self._rows.save_provider(provider)
        for model in await self.models():
            if model.provider == provider.name:
                self.health.healed(model.name)

    async def remove_provider(self, name: str) -> None:
        self._refuse_declared(name, self._declared_providers)
        await self._rows.remove_provider(name)
        await self._keys.forget(name)

    async def save_model(self, model: Model) -> None:
        self._refuse_declared(model.name, self._declared_models)
        if not model.name.strip() or not model.model_id.strip():
            raise UsageError("A model needs a name and the id that its provider knows it by.")
        await self._rows.save_model(model)
        self.health.healed(model.name)

    async def remove_model(self, name: str) -> None:
        self._refuse_declared(name, self._declared_models)
        await self._rows.remove_model(name)

    @staticmethod
    def _refuse_declared(name: str, declared: Sequence[Provider] | Sequence[Model]) -> None:
        if any(item.name == name for item in declared):
            raise UsageError(f"{name} is declared in config.toml.", hint="Change it there.")

    async def add_demo(self) -> str:
        """Make sure that the demo model exists; returns its name."""
        await self._rows.save_provider(DEMO)
        if all(model.name != DEMO_MODEL.name for model in await self.models()):
            await self._rows.save_model(DEMO_MODEL)
        return DEMO_MODEL.name

    async def test(self, model_name: str) -> ModelTest:
        try:
            binding = await self.resolve(model_name)
            first_token_s = await self._servers().first_token_s(binding)
        except PlacetError as error:
            return ModelTest(model=model_name, works=False, message=error.message, hint=error.hint, detail=error.detail)
        self.succeeded(binding)
        return ModelTest(model=binding.model.name, works=True, first_token_ms=first_token_s * 1000)

    async def offered(self, provider: Provider, key: str | None = None) -> Sequence[str]:
        return await self._servers().offered(provider, key)

    async def found_here(self) -> Sequence[Provider]:
        return await self._servers().found_here()

    async def keys_note(self) -> str:
        return self._keys.note(await self._keys.place())

    def secret_variables(self) -> frozenset[str]:
        """Environment variables that no command may see."""
        return secret_variables(self._seen_providers)


def _named(name: str, models: Sequence[Model]) -> Model:
    model = next((model for model in models if model.name == name), None)
    if model is None:
        near = difflib.get_close_matches(name, [model.name for model in models], n=1)
        known = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(m.name for m in models)}."
        raise NoModel(f"There is no model named {name}.", hint=known)
    return model


def _bound(model: Model, providers: Sequence[Provider], *, instead_of: str = "") -> Binding:
    provider = next((provider for provider in providers if provider.name == model.provider), None)
    if provider is None:
        raise NoModel(
            f"The model {model.name} names the provider {model.provider}, which does not exist.",
            hint="Add the provider under that name, or change the model.",
        )
    return Binding(provider=provider, model=model, instead_of=instead_of)


def _may_be_chosen(model: Model, providers: Sequence[Provider]) -> bool:
    """The demo plays a script: it answers whoever asks for it, and never in the place of a model."""
    return any(provider.name == model.provider and provider.type is not Dialect.DEMO for provider in providers)
