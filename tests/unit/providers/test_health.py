"""Which models answer: counted in a row, forgotten in time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from placet.core.providers.health import ANOTHER_CHANCE_S, DEGRADED_AFTER, DOWN_AFTER, Health, ModelHealth


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def after(failures: int, clock: Clock | None = None) -> ModelHealth:
    health = ModelHealth(clock or Clock())
    for _ in range(failures):
        health.failed("m")
    return health


def test_three_failures_in_a_row_degrade_and_five_are_down() -> None:
    states = [after(failures).of("m") for failures in range(7)]
    assert states == [Health.HEALTHY] * 3 + [Health.DEGRADED] * 2 + [Health.DOWN] * 2


def test_a_success_heals_at_once() -> None:
    health = after(9)
    health.healed("m")
    assert health.of("m") is Health.HEALTHY
    health.failed("m")
    assert health.of("m") is Health.HEALTHY


def test_a_model_has_its_own_health() -> None:
    health = after(5)
    assert health.of("other") is Health.HEALTHY
    health.healed("other")
    assert health.of("m") is Health.DOWN


def test_a_model_that_is_down_gets_another_chance_after_a_pause_and_only_one() -> None:
    clock = Clock()
    health = after(5, clock)
    clock.now += ANOTHER_CHANCE_S - 0.1
    assert health.of("m") is Health.DOWN
    clock.now += 0.1
    assert health.of("m") is Health.HEALTHY
    health.failed("m")
    assert health.of("m") is Health.DOWN


@given(st.lists(st.booleans(), max_size=30))
def test_only_the_failures_since_the_last_success_count(results: list[bool]) -> None:
    health = ModelHealth(Clock())
    for is_success in results:
        (health.healed if is_success else health.failed)("m")
    in_a_row = len(results) - max((place + 1 for place, is_success in enumerate(results) if is_success), default=0)
    expected = Health.DOWN if in_a_row >= DOWN_AFTER else Health.DEGRADED
    assert health.of("m") is (expected if in_a_row >= DEGRADED_AFTER else Health.HEALTHY)
