"""Errors whose class decides how they are presented.

Every message is written for the person who reads it: what happened, what it means, what to do.
"""

from __future__ import annotations

from enum import StrEnum


class PlacetError(Exception):
    """Something a person can be told as it is. `hint` says what to do, `detail` is for the curious."""

    def __init__(self, message: str, *, hint: str = "", detail: str = "") -> None:
        super().__init__(message)
        self.message, self.hint, self.detail = message, hint, detail

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class UsageError(PlacetError):
    """Wrong usage or unusable input; nothing was begun. The command line ends with 2."""


class StoreError(PlacetError):
    """The database cannot be used: locked, damaged, newer than the program, disk full."""


class SessionBusy(PlacetError):
    """The session is owned by another process or by work that is running."""


class UnknownItem(PlacetError):
    """An id that names nothing."""


class NoModel(UsageError):
    """No model is configured, or the named one does not exist."""


class ToolFailure(PlacetError):
    """A tool call that cannot be done. The message is for the model: it should help it to try again."""


class StalePreview(PlacetError):
    """The file is no longer what the preview showed; nothing was written (`R-5`)."""


class StaleOperation(PlacetError):
    """Something else happened meanwhile, so the result of this operation was not published (`C-5`)."""


class ProviderFault(StrEnum):
    """Why a model call failed. The value is stored and sent in events."""

    AUTH = "auth"
    CREDIT = "credit"
    MODEL_UNKNOWN = "model_unknown"
    CONTEXT_TOO_LONG = "context_too_long"
    RATE_LIMITED = "rate_limited"
    OVERLOADED = "overloaded"
    SERVER = "server"
    UNREACHABLE = "unreachable"
    TIMEOUT = "timeout"
    BAD_REQUEST = "bad_request"
    BROKEN_STREAM = "broken_stream"
    EMPTY = "empty"

    @property
    def is_retriable(self) -> bool:
        return self in _RETRIABLE


_RETRIABLE = frozenset({
    ProviderFault.RATE_LIMITED, ProviderFault.OVERLOADED, ProviderFault.SERVER, ProviderFault.UNREACHABLE,
    ProviderFault.TIMEOUT, ProviderFault.BROKEN_STREAM, ProviderFault.EMPTY,
})  # fmt: skip


class ProviderError(PlacetError):
    """A model call failed; `fault` says how, `status` is the HTTP status where there was one.

    `tried` names the models that were asked before it was given up.
    """

    def __init__(
        self,
        fault: ProviderFault,
        message: str,
        *,
        hint: str = "",
        detail: str = "",
        status: int | None = None,
        retry_after_s: float | None = None,
        tried: tuple[str, ...] = (),
    ) -> None:
        super().__init__(message, hint=hint, detail=detail)
        self.fault, self.status, self.retry_after_s, self.tried = fault, status, retry_after_s, tried
