"""Errors of a turn as rows: what happened, what it means, what to do (`D-12`). Pure."""

from __future__ import annotations

from dataclasses import replace

from placet.core.domain import events
from placet.core.domain.errors import ProviderFault
from placet.ui.models.transcript_rows import ErrorRow, Remedy

INTERRUPTED = "interrupted"

_WAYS_ON = (Remedy.RETRY, Remedy.CONTINUE)
_REMEDIES: dict[str, tuple[Remedy, ...]] = {
    ProviderFault.AUTH: (Remedy.MODELS, Remedy.RETRY),
    ProviderFault.CREDIT: (Remedy.MODELS, Remedy.RETRY),
    ProviderFault.MODEL_UNKNOWN: (Remedy.MODELS, Remedy.RETRY),
    ProviderFault.CONTEXT_TOO_LONG: (Remedy.NEW_CHAT,),
    "no_model": (Remedy.MODELS, Remedy.RETRY),
    "rounds_exhausted": (Remedy.CONTINUE,),
}


def error_row(event: events.Error, message_id: int) -> ErrorRow:
    """`message_id` is the message that has no answer; 0 where there is none."""
    remedies = _REMEDIES.get(event.code, (Remedy.RETRY,))
    if not message_id or event.draft:  # what was said is in the message field again
        remedies = tuple(remedy for remedy in remedies if remedy is not Remedy.RETRY)
    return ErrorRow(
        title=event.message, meaning=event.hint, detail=event.detail, remedies=remedies, message_id=message_id
    )


def without_way_on(row: ErrorRow) -> ErrorRow:
    """What cures the cause stays; what is about the turn that failed goes."""
    return replace(row, remedies=tuple(remedy for remedy in row.remedies if remedy not in _WAYS_ON))


def llm_failed_row(event: events.LlmFailed, message_id: int) -> ErrorRow:
    """Shown until the `error` event that follows says it better."""
    tried = f"Tried: {', '.join(event.tried)}." if event.tried else ""
    told = events.Error(code=event.fault, message=event.last_error or "The model did not answer.", hint=tried)
    return error_row(told, message_id)
