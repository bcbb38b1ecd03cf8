"""What follows a failed model call of a round: another model, the same one after a pause, or the end."""

from __future__ import annotations

import random

import msgspec

from placet.core.domain.errors import PlacetError, ProviderError, ProviderFault
from placet.core.domain.events import ModelFallback
from placet.core.domain.model_calls import Binding
from placet.core.turn.parts import Turn

CALLS_A_ROUND = 3
PAUSES_S = (0.5, 3.0)
JITTER = 0.25
LONGEST_PAUSE_S = 60.0
"""A server that wants more patience than this is not waited for: its words say when to try again."""

_REASONS = {
    ProviderFault.AUTH: "its key was refused",
    ProviderFault.CREDIT: "no credit left",
    ProviderFault.MODEL_UNKNOWN: "not offered by its provider",
    ProviderFault.CONTEXT_TOO_LONG: "the conversation is too long for it",
    ProviderFault.RATE_LIMITED: "too many requests",
    ProviderFault.OVERLOADED: "overloaded",
    ProviderFault.SERVER: "its server failed",
    ProviderFault.UNREACHABLE: "unreachable",
    ProviderFault.TIMEOUT: "no answer in time",
    ProviderFault.BAD_REQUEST: "it refused the request",
    ProviderFault.BROKEN_STREAM: "the answer broke off",
    ProviderFault.EMPTY: "an empty answer",
}
_OF_THE_PROVIDER = (ProviderFault.UNREACHABLE, ProviderFault.AUTH, ProviderFault.CREDIT)


class Failover:
    """The failures of one round.

    Only a retriable failure begins a search for another model. One that stands in and cannot be used at all (a wrong
    key, a window too small) is skipped: it must not end a turn that would go on without it.
    """

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._failed: dict[str, Binding] = {}
        self._reasons: dict[str, str] = {}
        self._providers_out: set[str] = set()
        self._calls = 0
        self._last_retriable: tuple[Binding, ProviderError] | None = None

    async def after(self, error: PlacetError) -> Binding:
        """Return the model that the round goes on with; where there is no other, after a pause, the one that last
        failed in a way that may pass.

        Raises: PlacetError where the round has failed, TurnStopped.
        """
        turn, binding = self._turn, self._turn.binding
        self._calls += 1
        self._failed.setdefault(binding.label, binding)
        self._reasons[binding.label] = reason_of(error)
        if isinstance(error, ProviderError):
            if error.fault in _OF_THE_PROVIDER:
                self._providers_out.add(binding.provider.name)
            if error.fault.is_retriable:
                self._last_retriable = binding, error
                turn.parts.models.failed(binding)
        if self._last_retriable is None:
            raise self._given_up(error)
        same, passing = self._last_retriable
        if same is binding and passing is not error:  # that very model, tried again, failed for good
            raise self._given_up(error)
        if self._calls >= CALLS_A_ROUND:
            raise self._given_up(passing)
        other = await turn.parts.models.stand_in(list(self._failed.values()), self._providers_out)
        if other is None:
            await self._pause(passing)
        turn.stop.check()
        return other or same

    async def _pause(self, error: ProviderError) -> None:
        seconds = error.retry_after_s
        if seconds is None:
            seconds = PAUSES_S[self._calls - 1] * random.uniform(1 - JITTER, 1 + JITTER)
        if seconds > LONGEST_PAUSE_S:
            raise self._given_up(error)
        await self._turn.stop.race(self._turn.parts.pause(seconds))

    def _given_up(self, error: PlacetError) -> PlacetError:
        if not isinstance(error, ProviderError):
            return error
        tried = tuple(self._failed)
        message = error.message
        if len(tried) > 1:
            each = ", ".join(f"{name} ({reason})" for name, reason in self._reasons.items())
            message = f"None of {len(tried)} models could answer: {each}. {message}"
        return ProviderError(
            error.fault,
            message,
            hint=error.hint,
            detail=error.detail,
            status=error.status,
            retry_after_s=error.retry_after_s,
            tried=tried,
        )


def reason_of(error: PlacetError) -> str:
    """Return why a model did not answer, in a few words after a colon."""
    return _REASONS[error.fault] if isinstance(error, ProviderError) else "the conversation does not fit it"


def go_on_with(turn: Turn, binding: Binding, reason: str) -> None:
    """Use `binding` for the rest of the turn, and say so if it is another model."""
    if binding.label != turn.binding.label:
        turn.emit(ModelFallback(from_model=turn.binding.label, to_model=binding.label, reason=reason))
    turn.binding = binding


def tell_of_stand_in(turn: Turn) -> None:
    """Say, once, that the turn began with another model than a person expects."""
    binding = turn.binding
    if binding.instead_of:
        reason = "it failed several times in a row"
        turn.emit(ModelFallback(from_model=binding.instead_of, to_model=binding.label, reason=reason))
        turn.binding = msgspec.structs.replace(binding, instead_of="")
