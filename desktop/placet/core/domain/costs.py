"""What a session used, by the ledger of its model calls."""

from __future__ import annotations

import msgspec


class ModelCost(msgspec.Struct, frozen=True, kw_only=True):
    """All calls of one model. `cost` is None where no call had a price; `unpriced` counts those without one."""

    provider: str
    model: str
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    cost: float | None = None
    unpriced: int = 0


class CostInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A session's calls, those of its sub-agents included, by model in the order of first use."""

    models: tuple[ModelCost, ...] = ()

    @property
    def calls(self) -> int:
        return sum(model.calls for model in self.models)

    @property
    def input_tokens(self) -> int:
        return sum(model.input_tokens for model in self.models)

    @property
    def output_tokens(self) -> int:
        return sum(model.output_tokens for model in self.models)

    @property
    def cost(self) -> float | None:
        """The sum of what had a price; None where nothing had one."""
        known = [model.cost for model in self.models if model.cost is not None]
        return sum(known) if known else None

    @property
    def unpriced(self) -> int:
        return sum(model.unpriced for model in self.models)
