"""Requests and diffs as a person meets them, for tests of panels."""

from __future__ import annotations

from typing import Any

from placet.core.domain.diff import DiffLine, DiffNotice, FileDiff, Hunk, NoticeLevel, Sign
from placet.core.domain.ids import CallId, RequestId, SessionId
from placet.core.domain.review import PendingRequest, RequestKind

SESSION = SessionId("session-1")


def hunk(first: int, *changes: tuple[str, str], before: int = 10, symbol: str = "parse()") -> Hunk:
    """Make a hunk whose `changes` are (old, new); an empty text on one side adds or removes a line."""
    lines = [DiffLine(Sign.SAME, first, first, "def parse(text):")]
    for offset, (old, new) in enumerate(changes, 1):
        lines += [DiffLine(Sign.REMOVED, first + offset, None, old)] if old else []
        lines += [DiffLine(Sign.ADDED, None, first + offset, new)] if new else []
    return Hunk(lines=tuple(lines), unchanged_before=before, symbol=symbol)


def file_diff(*hunks: Hunk, warning: str = "", **fields: Any) -> FileDiff:
    made = hunks or (hunk(11, ("    return text[0]", "    return text[:1]")),)
    notices = (DiffNotice(NoticeLevel.WARNING, warning),) if warning else ()
    defaults = {"path": "src/parser.py", "unchanged_after": 5, "added": 1, "removed": 1, "language": "python"}
    return FileDiff(hunks=made, notices=notices, **{**defaults, **fields})


def write_request(number: int = 1, **fields: Any) -> PendingRequest:
    defaults: dict[str, Any] = {
        "id": RequestId(f"request-{number}"),
        "session_id": SESSION,
        "call_id": CallId(number),
        "kind": RequestKind.WRITE,
        "tool": "edit_file",
        "label": "src/parser.py",
        "detail": "src/parser.py",
        "path": "/home/ann/mdlite/src/parser.py",
        "because": "rule 9, everything else: ask",
        "reason": "A slice is total.",
        "added": 1,
        "removed": 1,
        "created_at": float(number),
    }
    return PendingRequest(**{**defaults, **fields})


def command_request(command: str, number: int = 1, **fields: Any) -> PendingRequest:
    return write_request(
        number,
        **{
            "kind": RequestKind.COMMAND,
            "tool": "execute_cmd",
            "label": command.split("\n")[0][:40],
            "detail": command,
            "path": "",
            "workdir": "/home/ann/mdlite",
            "timeout_s": 60.0,
            **fields,
        },
    )


def question_request(number: int = 1, **fields: Any) -> PendingRequest:
    defaults: dict[str, Any] = {
        "id": RequestId(f"request-{number}"),
        "session_id": SESSION,
        "call_id": CallId(number),
        "kind": RequestKind.QUESTION,
        "tool": "ask_user_clarification",
        "label": f"Which encoding, {number}?",
        "detail": "The files have **no** mark.",
        "because": "",
        "suggested_answers": ("UTF-8", "That of the folder"),
        "created_at": float(number),
    }
    return PendingRequest(**{**defaults, **fields})
