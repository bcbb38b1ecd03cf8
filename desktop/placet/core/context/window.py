"""How a model's window is divided between what is sent and the answer."""

from __future__ import annotations

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


def window_info(model: Model, used: int = 0) -> ContextInfo:
    """How full the window is with `used` tokens in it."""
    return ContextInfo(
        used=used,
        budget=room(model),
        window=model.context_length or UNKNOWN_WINDOW,
        reserved=reserved_output(model),
        window_known=model.context_length is not None,
    )
