"""Models, the requests that go to them and the pieces that come back."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

import msgspec

from placet.core.domain.compaction import FULL
from placet.core.domain.messages import Usage


class Dialect(StrEnum):
    OPENAI = "openai"  # Chat Completions
    ANTHROPIC = "anthropic"  # Messages
    DEMO = "demo"  # built in, no network; reads Chat Completions bodies


Strength = Literal["very_low", "low", "average", "high", "very_high"]


class Provider(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where models are. At most one of the two key fields is set; neither means no key."""

    name: str
    type: Dialect
    base_url: str = ""
    api_key_env: str = ""
    api_key_keyring: str = ""
    idle_timeout_s: float | None = None  # first byte and between bytes; None: by kind of address
    declared: bool = False  # in config.toml: read-only in the window


class Model(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One model as a person named it. Prices are per million tokens; None is unknown, never zero."""

    name: str
    provider: str
    model_id: str
    context_length: int | None = None
    max_output_tokens: int | None = None
    strength: Strength = "average"
    scopes: tuple[str, ...] = ()
    priority: int = 100
    temperature: float | None = None
    default: bool = False
    price_input_per_million: float | None = None
    price_output_per_million: float | None = None
    price_cached_per_million: float | None = None
    declared: bool = False


class Binding(msgspec.Struct, frozen=True, kw_only=True):
    """The provider and model a turn runs on. Immutable: a switch makes a new one.

    `instead_of` names the default model where this one was taken in its place, because it is down.
    """

    provider: Provider
    model: Model
    instead_of: str = ""

    @property
    def label(self) -> str:
        return self.model.name

    def cost(self, usage: Usage) -> float | None:
        """Return the price of `usage`: as reported, else from the model's prices, else None."""
        if usage.cost is not None:
            return usage.cost
        model = self.model
        if model.price_input_per_million is None or model.price_output_per_million is None:
            return None
        cached_price = model.price_cached_per_million
        if cached_price is None:
            cached_price = model.price_input_per_million
        fresh = max(usage.input_tokens - usage.cached_tokens, 0)
        total = fresh * model.price_input_per_million + usage.cached_tokens * cached_price
        return (total + usage.output_tokens * model.price_output_per_million) / 1e6


class ModelRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request ready to leave: `body` holds the exact bytes in the provider's dialect.

    `tokens` are estimated; `budget` is what the model takes. `is_cut`: older rows had to be left out.
    """

    binding: Binding
    body: bytes
    tokens: int = 0
    budget: int = 0
    is_cut: bool = False

    @property
    def is_full(self) -> bool:
        """Whether it is time to make room for what comes next."""
        return self.is_cut or (self.budget > 0 and self.tokens >= FULL * self.budget)


class Finish(StrEnum):
    STOP = "stop"
    TOOL_CALLS = "tool_calls"
    LENGTH = "length"
    FILTER = "filter"
    UNKNOWN = "unknown"


class RequestedCall(msgspec.Struct, frozen=True, kw_only=True):
    """A tool call as the model wrote it; `arguments` may be anything, JSON or not."""

    provider_id: str
    name: str
    arguments: str


class TextDelta(msgspec.Struct, frozen=True):
    text: str


class ReasoningDelta(msgspec.Struct, frozen=True):
    text: str


class ArgumentsDelta(msgspec.Struct, frozen=True):
    """A piece of the arguments of the answer's call number `index`."""

    index: int
    name: str
    text: str


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """A whole answer: the last thing a stream gives. Never made from a stream without its end mark."""

    text: str = ""
    reasoning: str = ""
    calls: tuple[RequestedCall, ...] = ()
    parts: str = ""
    finish: Finish = Finish.STOP
    usage: Usage | None = None
    request_bytes: int = 0  # of the request that it answers


ModelPiece = TextDelta | ReasoningDelta | ArgumentsDelta | Answer


class ContextInfo(msgspec.Struct, frozen=True, kw_only=True):
    """How full the model's window is, in tokens. `budget` is the window less the reserved output."""

    used: int
    budget: int
    window: int
    reserved: int
    window_known: bool = True


class ModelTest(msgspec.Struct, frozen=True, kw_only=True):
    """What trying a model gave; on failure `message` and `hint` say what happened and what to do."""

    model: str
    works: bool
    first_token_ms: float | None = None
    message: str = ""
    hint: str = ""
    detail: str = ""
