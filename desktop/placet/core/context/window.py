"""How a model's window is divided between what is sent and the answer."""

from __future__ import annotations

from collections.abc import Sequence

from placet.core.domain.messages import Message
from placet.core.domain.model_calls import ContextInfo, Model

UNKNOWN_WINDOW = 32_000
DEFAULT_MAX_OUTPUT = 8192


def reserved_output(model: Model) -> int:
    """Tokens kept free for the answer; never more than a quarter of the window."""
    window = model.context_length or UNKNOWN_WINDOW
    return min(model.max_output_tokens or DEFAULT_MAX_OUTPUT, window // 4)


def room(model: Model) -> int:
    """Tokens that a request may have."""
    return (model.context_length or UNKNOWN_WINDOW) - reserved_output(model)


def last_use(messages: Sequence[Message]) -> int:
    """Tokens that the last request and its answer had, by the provider's own count; 0 where none was told."""
    told = (message.usage for message in reversed(messages) if message.usage is not None)
    return next((usage.input_tokens + usage.output_tokens for usage in told), 0)


def window_info(model: Model, used: int) -> ContextInfo:
    """How full the window is with `used` tokens in it."""
    return ContextInfo(
        used=used,
        budget=room(model),
        window=model.context_length or UNKNOWN_WINDOW,
        reserved=reserved_output(model),
        window_known=model.context_length is not None,
    )
