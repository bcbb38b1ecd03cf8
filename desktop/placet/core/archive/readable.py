"""A session to read: Markdown, and a page of HTML that needs nothing else. Pure."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from datetime import datetime

from placet.core.domain.archive import SessionDump
from placet.core.domain.ids import CallId
from placet.core.domain.messages import Frame, Message, MessageStatus, Role, ToolCall

_RESULT = 20_000  # characters of a result that are shown


def to_markdown(dump: SessionDump) -> str:
    session = dump.session
    lines = [f"# {_one_line(session.title) or 'Untitled chat'}", "", _about(dump), ""]
    if (root := dump.root()) is not None:
        lines += _Markdown(dump).frame(root, "")
    return "\n".join(lines).rstrip() + "\n"


def _about(dump: SessionDump) -> str:
    session = dump.session
    parts = [_at(session.created_at), f"agent {session.agent}"]
    if session.model:
        parts.append(f"model {session.model}")
    if session.input_tokens or session.output_tokens:
        parts.append(f"{session.input_tokens:,} tokens in, {session.output_tokens:,} out")
    if session.cost is not None:
        parts.append(f"${session.cost:.3f}")
    return " · ".join(parts)


class _Markdown:
    def __init__(self, dump: SessionDump) -> None:
        self._dump, self._why = dump, _reasons(dump)

    def frame(self, frame: Frame, mark: str) -> Iterator[str]:
        for message in self._dump.of_frame(frame.id):
            if not message.synthetic or message.calls:
                yield from (f"{mark}{line}".rstrip() for line in self._message(message))
                for call in message.calls:
                    yield from (f"{mark}{line}".rstrip() for line in self._call(call))
                    if (below := self._dump.started_by(call.id)) is not None:
                        yield from self.frame(below, f"{mark}> ")

    def _message(self, message: Message) -> Iterator[str]:
        who = {Role.USER: "You", Role.AGENT: "Task", Role.ASSISTANT: message.model or "Assistant"}[message.role]
        if message.unreadable:
            yield from ("", f"## {who}", "", "*This message is damaged and cannot be shown.*", "")
            return
        if message.content.strip() or not message.calls:
            status = {MessageStatus.OK: "", MessageStatus.FAILED: " (not answered)"}.get(
                message.status, " (interrupted)"
            )
            yield from ("", f"## {who}{status}", "")
            yield from (message.typed or message.content).strip().splitlines()
            yield ""

    def _call(self, call: ToolCall) -> Iterator[str]:
        decided = self._why.get(call.id, call.decision)
        words = f"{call.name} {_one_line(call.label)}".strip()
        yield f"**{words}**: {call.status.value}" + (f" ({_one_line(decided)})" if decided else "")
        yield ""
        result = call.result.strip()[:_RESULT]
        if result:
            fence = _fence(result)
            yield from (fence, *result.splitlines(), fence, "")


def _reasons(dump: SessionDump) -> dict[CallId, str]:
    """Who let each call pass or refused it, and why (`R-12`)."""
    found: dict[CallId, str] = {}
    for entry in dump.decisions:
        found[entry.call_id] = "; ".join(filter(None, (found.get(entry.call_id), entry.verdict.because)))
    return found


def _fence(text: str) -> str:
    """A fence that nothing in the text can close."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    return "`" * (longest + 1)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _at(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment).astimezone():%Y-%m-%d %H:%M}"


# ---- HTML --------------------------------------------------------------------------------------------------------

_STYLE = """
:root { color-scheme: light dark; --line: #8883; --soft: #8888; --ground: #8881; }
body { font: 15px/1.5 Inter, system-ui, sans-serif; max-width: 760px; margin: 40px auto; padding: 0 20px; }
h1 { font-size: 22px; } .about, .who { color: var(--soft); font-size: 13px; }
section { margin: 20px 0; } .you { background: var(--ground); border-radius: 8px; padding: 10px 14px; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; }
details { border: 1px solid var(--line); border-radius: 6px; margin: 6px 0; padding: 4px 10px; font-size: 13px; }
summary { cursor: pointer; overflow-wrap: anywhere; } .why { color: var(--soft); }
pre { font: 12px/1.45 "JetBrains Mono", monospace; white-space: pre-wrap; overflow-wrap: anywhere; margin: 8px 0; }
.below { border-left: 2px solid var(--line); margin-left: 8px; padding-left: 14px; }
"""


def to_html(dump: SessionDump) -> str:
    """Everything is text: what a model or a file wrote cannot become a tag, a script or a request to anywhere."""
    title = html.escape(_one_line(dump.session.title) or "Untitled chat")
    body = "\n".join(_Html(dump).frame(root)) if (root := dump.root()) is not None else ""
    return (
        "<!DOCTYPE html>\n"
        '<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{title}</title><style>{_STYLE}</style></head>\n"
        f'<body><h1>{title}</h1><p class="about">{html.escape(_about(dump))}</p>\n{body}\n</body></html>\n'
    )


class _Html:
    def __init__(self, dump: SessionDump) -> None:
        self._dump, self._why = dump, _reasons(dump)

    def frame(self, frame: Frame) -> Iterator[str]:
        for message in self._dump.of_frame(frame.id):
            if message.synthetic and not message.calls:
                continue
            yield from self._message(message)
            for call in message.calls:
                yield from self._call(call)

    def _message(self, message: Message) -> Iterator[str]:
        text = "This message is damaged." if message.unreadable else (message.typed or message.content).strip()
        if not text:
            return
        is_person = message.role is not Role.ASSISTANT
        who = {Role.USER: "You", Role.AGENT: "Task"}.get(message.role, message.model or "Assistant")
        state = "" if message.status is MessageStatus.OK else f", {message.status.value}"
        yield (
            f'<section class="{"you" if is_person else "model"}">'
            f'<div class="who">{html.escape(who)}{state}, {_at(message.created_at)}</div>'
            f'<div class="text">{html.escape(text)}</div></section>'
        )

    def _call(self, call: ToolCall) -> Iterator[str]:
        decided = self._why.get(call.id, call.decision)
        words = f"{call.name} {_one_line(call.label)}".strip()
        yield f"<details><summary>{html.escape(words)}: {call.status.value}</summary>"
        if decided:
            yield f'<p class="why">{html.escape(_one_line(decided))}</p>'
        yield f"<pre>{html.escape(call.arguments[:_RESULT])}</pre>"
        if call.result.strip():
            yield f"<pre>{html.escape(call.result.strip()[:_RESULT])}</pre>"
        yield "</details>"
        if (below := self._dump.started_by(call.id)) is not None:
            yield '<div class="below">'
            yield from self.frame(below)
            yield "</div>"
