"""One line in the place of a long result of an earlier call. Pure."""

from __future__ import annotations

from placet.core.domain.messages import CallStatus, ToolCall
from placet.core.domain.text import clean_text, first_line

SHORT = 400  # characters; a result that is no longer stays as it is
_LABEL = 120


def notice_of(call: ToolCall) -> str:
    """Which call it was, what came of it, and that it can be made again."""
    label = first_line(clean_text(call.label), _LABEL)
    told = [f"{call.name} {label}".strip(), f"{len(call.result):,} characters"]
    for name, words in (("exit", "exit {}"), ("lines", "{} lines")):
        if isinstance(value := call.facts.get(name), int):
            told.append(words.format(value))
    again = "" if call.status is not CallStatus.DONE else " Call it again if you need it."
    return f"[The result of {', '.join(told)}, is left out here.{again}]"


def shortened_result(call: ToolCall) -> str:
    """The result as it is sent of an old row."""
    return call.result if len(call.result) <= SHORT else notice_of(call)
