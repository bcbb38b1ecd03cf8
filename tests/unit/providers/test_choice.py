"""Which model takes a turn: the passes, their order, and who stands in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from placet.core.domain.model_calls import Model, Strength
from placet.core.providers.choice import choose, choose_default, stand_in
from placet.core.providers.health import Health

STRENGTHS: tuple[Strength, ...] = get_args(Strength)


def model(name: str, strength: Strength = "average", *scopes: str, priority: int = 100, default: bool = False) -> Model:
    return Model(
        name=name, provider="p", model_id=name, strength=strength, scopes=scopes, priority=priority, default=default
    )


def health_of(states: Mapping[str, Health]):  # type: ignore[no-untyped-def]
    return lambda name: states.get(name, Health.HEALTHY)


WELL = health_of({})


def name_of(chosen: Model | None) -> str:
    return chosen.name if chosen is not None else ""


def test_a_model_in_scope_is_taken_before_one_with_a_better_priority() -> None:
    models = [model("general", priority=1), model("coder", "average", "coding")]
    assert name_of(choose(models, WELL, scopes=["coding"], strength="average")) == "coder"


def test_strength_comes_before_scope_where_both_cannot_be_had() -> None:
    models = [model("weak coder", "low", "coding", priority=1), model("strong", "high", "math")]
    assert name_of(choose(models, WELL, scopes=["coding"], strength="high")) == "strong"


def test_a_degraded_model_in_scope_is_left_for_a_healthy_one_that_is_in_scope_too() -> None:
    models = [model("first", "average", "coding", priority=1), model("second", "average", "coding")]
    states = health_of({"first": Health.DEGRADED})
    assert name_of(choose(models, states, scopes=["coding"])) == "second"


def test_a_weaker_model_is_better_than_one_that_is_down() -> None:
    models = [model("strong", "very_high"), model("weak", "very_low")]
    assert name_of(choose(models, health_of({"strong": Health.DOWN}), strength="high")) == "weak"


def test_where_all_are_down_the_strongest_is_taken() -> None:
    models = [model("a", "low", priority=1), model("b", "high"), model("c", "average", default=True)]
    assert name_of(choose(models, lambda _: Health.DOWN, strength="very_low")) == "b"


def test_within_a_pass_priority_decides_then_the_default_then_the_order() -> None:
    models = [model("a"), model("b", default=True), model("c", priority=200), model("d", priority=50)]
    assert name_of(choose(models, WELL)) == "d"
    assert name_of(choose(models[:3], WELL)) == "b"
    assert name_of(choose([models[0], model("e")], WELL)) == "a"


def test_the_default_model_is_taken_whatever_the_priorities_say() -> None:
    models = [model("better", "very_high", priority=1), model("mine", "low", default=True)]
    assert name_of(choose_default(models, WELL)) == "mine"
    assert name_of(choose_default(models, health_of({"mine": Health.DEGRADED}))) == "mine"


def test_a_default_model_that_is_down_gives_way_to_one_that_is_not() -> None:
    models = [model("mine", "high", default=True), model("weak", "low", priority=1), model("like it", "high")]
    down = {"mine": Health.DOWN}
    assert name_of(choose_default(models, health_of(down))) == "like it"
    assert name_of(choose_default(models, health_of({**down, "like it": Health.DOWN}))) == "weak"
    assert name_of(choose_default(models, lambda _: Health.DOWN)) == "mine"


def test_a_stand_in_is_as_strong_as_the_first_that_failed_where_there_is_one() -> None:
    models = [model("a", "high"), model("b", "low", priority=1), model("c", "very_high"), model("d", "high")]
    assert name_of(stand_in(models, WELL, [models[0]])) == "c"
    assert name_of(stand_in(models, WELL, [models[0], models[2]])) == "d"
    assert name_of(stand_in(models, WELL, [models[0], models[2], models[3]])) == "b"
    assert stand_in(models, WELL, models) is None


def test_a_model_that_is_down_stands_in_for_nobody() -> None:
    models = [model("a"), model("b")]
    assert stand_in(models, health_of({"b": Health.DOWN}), [models[0]]) is None


MODELS = st.lists(
    st.builds(
        model,
        st.uuids().map(str),
        st.sampled_from(STRENGTHS),
        priority=st.integers(0, 3),
        default=st.booleans(),
    ),
    min_size=1,
    max_size=8,
)


@given(MODELS, st.data(), st.sampled_from(STRENGTHS))
def test_what_is_chosen_is_down_or_too_weak_only_where_nothing_better_is_there(
    models: list[Model], data: st.DataObject, strength: Strength
) -> None:
    states = {one.name: data.draw(st.sampled_from(list(Health))) for one in models}
    chosen = choose(models, health_of(states), strength=strength)
    assert chosen is not None
    enough = STRENGTHS.index(strength)
    up = [one for one in models if states[one.name] is not Health.DOWN]
    strong = [one for one in up if STRENGTHS.index(one.strength) >= enough]
    healthy = [one for one in strong if states[one.name] is Health.HEALTHY]
    assert chosen in (healthy or strong or up or models)
    pool = healthy or strong or up
    assert not pool or chosen.priority == min(one.priority for one in pool)
