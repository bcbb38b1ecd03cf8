"""Providers and models as the settings page and the first start see them. No widgets."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import msgspec
from PySide6.QtCore import QObject, Signal

from placet.core.domain.errors import PlacetError
from placet.core.domain.model_calls import Model, ModelTest, Provider
from placet.ui.bridge import Bridge
from placet.ui.paths import paths_from_home


class CatalogueModel(QObject):
    """What is configured, and the verbs that change it; after each the lists are read anew."""

    changed = Signal()
    tested = Signal(object)  # ModelTest
    testing = Signal(str)  # a model's name; `tested` follows

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self.providers: Sequence[Provider] = ()
        self.models: Sequence[Model] = ()
        self.results: dict[str, ModelTest] = {}
        self.is_loaded = False
        self._missed: set[str] = set()

    @property
    def problems(self) -> Sequence[str]:
        """What is wrong with `config.toml` and the environment; agents tell their own."""
        of_agents = frozenset(self._bridge.hub.agents.problems())
        return [problem for problem in self._bridge.hub.problems() if problem not in of_agents]

    @property
    def default_model(self) -> Model | None:
        """The one marked as default, else the first."""
        return next((model for model in self.models if model.default), self.models[0] if self.models else None)

    def models_of(self, provider: str) -> Sequence[Model]:
        return [model for model in self.models if model.provider == provider]

    def model(self, name: str) -> Model | None:
        return next((model for model in self.models if model.name == name), None)

    def lacks(self, name: str) -> bool:
        """Whether a model is in use that was not there when the lists were read; says so once a name."""
        if not self.is_loaded or self.model(name) is not None or name in self._missed:
            return False
        self._missed.add(name)
        return True

    async def reload(self) -> None:
        """Read both lists; `changed` follows only if they did. Raises: PlacetError."""
        catalogue = self._bridge.hub.catalogue
        before = (self.is_loaded, self.providers, self.models)
        self.providers = tuple(await catalogue.providers())
        self.models = tuple(await catalogue.models())
        self.is_loaded = True
        if before != (True, self.providers, self.models):
            self.changed.emit()

    def save_provider(
        self,
        provider: Provider,
        key: str | None,
        then: Callable[[], None] | None = None,
        otherwise: Callable[[PlacetError], None] | None = None,
    ) -> None:
        self._change(self._bridge.hub.catalogue.save_provider(provider, key), then, otherwise)

    def remove_provider(self, name: str) -> None:
        self._change(self._bridge.hub.catalogue.remove_provider(name))

    def save_model(
        self,
        model: Model,
        then: Callable[[], None] | None = None,
        otherwise: Callable[[PlacetError], None] | None = None,
    ) -> None:
        self._change(self._bridge.hub.catalogue.save_model(model), then, otherwise)

    def remove_model(self, name: str) -> None:
        self._change(self._bridge.hub.catalogue.remove_model(name))

    def make_default(self, name: str) -> None:
        """Mark one model as the default and unmark the others that can be changed."""
        self._change(self._make_default(name))

    async def _make_default(self, name: str) -> None:
        for model in self.models:
            wanted = model.name == name
            if model.default != wanted and not model.declared:
                await self._bridge.hub.catalogue.save_model(msgspec.structs.replace(model, default=wanted))

    def test(self, name: str) -> None:
        self.testing.emit(name)
        self._bridge.run(self._bridge.hub.catalogue.test(name), self._on_tested)

    def _on_tested(self, result: ModelTest) -> None:
        self.results[result.model] = result
        self.tested.emit(result)

    def ask_offered(
        self,
        provider: Provider,
        key: str | None,
        then: Callable[[Sequence[str]], None],
        otherwise: Callable[[PlacetError], None],
    ) -> None:
        """Ask the provider's server which models it has."""
        self._bridge.run(self._bridge.hub.catalogue.offered(provider, key), then, otherwise)

    def look_around(self, then: Callable[[Sequence[Provider]], None]) -> None:
        """Find local servers and keys in the environment; nothing is used."""
        self._bridge.run(self._bridge.hub.catalogue.found_here(), then)

    def ask_keys_note(self, then: Callable[[str], None]) -> None:
        """Find out where keys are kept here; `then` gets the sentence."""
        self._bridge.run(self._bridge.hub.catalogue.keys_note(), lambda note: then(paths_from_home(note)))

    def _change(
        self,
        work: Coroutine[Any, Any, None],
        then: Callable[[], None] | None = None,
        otherwise: Callable[[PlacetError], None] | None = None,
    ) -> None:
        async def change() -> None:
            await work
            await self.reload()

        self._bridge.run(change(), lambda _: then() if then is not None else None, otherwise)
