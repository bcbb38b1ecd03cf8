"""How many tokens a request really has: a rough count, corrected by what each model's provider reported."""

from __future__ import annotations

from collections.abc import Mapping

from placet.core.domain.model_calls import Binding

BYTES_PER_TOKEN = 4
WEIGHT = 0.2  # of the newest report
LOWEST, HIGHEST = 0.2, 3.0

Key = tuple[str, str]


def rough(size: int) -> int:
    """Tokens of a request of `size` bytes, before any correction."""
    return -(-size // BYTES_PER_TOKEN)


class Calibration:
    """The ratio of reported to rough counts, an exponentially weighted mean for each provider and model.

    One object for the program: all sessions teach it.
    """

    def __init__(self) -> None:
        self._ratios: dict[Key, float] = {}
        self.is_seeded = False

    def seed(self, past: Mapping[Key, float]) -> None:
        """Take over what the ledger says, as one report each, of models that were not heard of yet."""
        self.is_seeded = True
        for key, ratio in past.items():
            self._ratios.setdefault(key, _within(ratio))

    def tokens(self, binding: Binding, size: int) -> int:
        """Tokens of a request of `size` bytes for this model."""
        return round(rough(size) * self._ratio(binding))

    def size(self, binding: Binding, tokens: int) -> int:
        """Bytes that so many tokens may have."""
        return round(tokens * BYTES_PER_TOKEN / self._ratio(binding))

    def learn(self, binding: Binding, size: int, reported: int) -> None:
        """A request of `size` bytes had so many tokens. Reports that cannot be true teach nothing."""
        if reported <= 0 or size <= 0:
            return
        ratio, key = _within(reported / rough(size)), _key(binding)
        known = self._ratios.get(key)
        self._ratios[key] = ratio if known is None else (1 - WEIGHT) * known + WEIGHT * ratio

    def _ratio(self, binding: Binding) -> float:
        return self._ratios.get(_key(binding), 1.0)


def _key(binding: Binding) -> Key:
    return binding.provider.name, binding.model.name


def _within(ratio: float) -> float:
    return min(max(ratio, LOWEST), HIGHEST)
