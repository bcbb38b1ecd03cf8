"""Which model takes a turn, and which one stands in for those that failed. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import get_args

from placet.core.domain.model_calls import Model, Strength
from placet.core.providers.health import Health

HealthOf = Callable[[str], Health]

_ORDER = {strength: place for place, strength in enumerate(get_args(Strength))}


def choose(
    models: Sequence[Model], health: HealthOf, *, scopes: Collection[str] = (), strength: Strength | None = None
) -> Model | None:
    """Return the best model for a wish; None only where there are no models.

    In passes: healthy, strong enough and in one of `scopes`; strong enough and not down; not down; the strongest,
    though it is down. Within a pass the lowest `priority` wins, then the default one, then the first.
    """
    return next(_in_order(models, health, scopes, strength), None)


def choose_default(models: Sequence[Model], health: HealthOf) -> Model | None:
    """Return the model that is taken when nobody wishes for one: the default one, unless only another is not down."""
    default = next((model for model in models if model.default), None)
    if default is None:
        return choose(models, health)
    return (stand_in(models, health, [default]) or default) if health(default.name) is Health.DOWN else default


def stand_in(models: Sequence[Model], health: HealthOf, failed: Sequence[Model]) -> Model | None:
    """Return what to try after `failed`: as strong and in the scopes of the first of them where that is possible.

    None where every other model is down.
    """
    names = {model.name for model in failed}
    others = [model for model in models if model.name not in names and health(model.name) is not Health.DOWN]
    return choose(others, health, scopes=failed[0].scopes, strength=failed[0].strength)


def _in_order(
    models: Sequence[Model], health: HealthOf, scopes: Collection[str], strength: Strength | None
) -> Iterator[Model]:
    ranked = sorted(models, key=lambda model: (model.priority, not model.default))
    enough = _ORDER[strength] if strength else 0
    strong = [model for model in ranked if _ORDER[model.strength] >= enough]
    for model in strong:
        if health(model.name) is Health.HEALTHY and (not scopes or not set(scopes).isdisjoint(model.scopes)):
            yield model
    yield from (model for model in strong if health(model.name) is not Health.DOWN)
    yield from (model for model in ranked if health(model.name) is not Health.DOWN)
    yield from sorted(ranked, key=lambda model: -_ORDER[model.strength])
