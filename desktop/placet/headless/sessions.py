"""`placet sessions`: looking at history. Opening is read-only (`S-7`)."""

from __future__ import annotations

import argparse
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from placet.core.domain.archive import ExportFormat
from placet.core.domain.errors import UsageError
from placet.core.domain.hidden import visible
from placet.core.domain.ids import CallId, MessageId, SessionId
from placet.core.domain.messages import Message, Role, Session, ToolCall
from placet.core.domain.review import Verdict
from placet.core.domain.tools import DELEGATING
from placet.core.hub.core import Core
from placet.headless.session import DONE, print_json, print_list, run_verb
from placet.headless.times import iso, local

PAGE = 500


def list_sessions(options: argparse.Namespace) -> int:
    async def work(core: Core) -> int:
        sessions, total = await core.hub.history.sessions(
            source=options.source, page=options.page, per_page=options.per_page
        )
        if options.json:
            print_list([_session(session) for session in sessions], total, options.page, options.per_page)
            return DONE
        for session in sessions:
            marks = " interrupted" if session.interrupted else ""
            marks += f" {session.waiting} waiting" if session.waiting else ""
            title = visible(session.title) or "(no title)"
            sys.stdout.write(f"{session.id}  {local(session.last_activity)}  {session.source:<8} {title}{marks}\n")
        if not sessions:
            sys.stdout.write("No sessions yet. Begin one with: placet run PROMPT\n")
        return DONE

    return run_verb(work)


def show_session(options: argparse.Namespace) -> int:
    async def work(core: Core) -> int:
        session = await core.hub.history.session(SessionId(options.session))
        messages = await _all_messages(core, session.id)
        if options.json:
            entries = [entry async for entry in _told(core, messages, debug=options.debug)]
            shown = {"session": _session(session), "messages": entries}
            if options.debug:
                shown["decisions"] = [_decision(*entry) for entry in await core.hub.history.decisions(session.id)]
            print_json(shown)
            return DONE
        sys.stdout.write(f"{visible(session.title) or '(no title)'}  {session.id}\n")
        async for line in _lines(core, messages, debug=options.debug):
            sys.stdout.write(line + "\n")
        return DONE

    return run_verb(work)


def search_sessions(options: argparse.Namespace) -> int:
    async def work(core: Core) -> int:
        hits, total = await core.hub.history.search(options.text, page=options.page, per_page=options.per_page)
        if options.json:
            items = [
                {
                    "session_id": hit.session_id,
                    "message_id": hit.message_id,
                    "kind": hit.kind,
                    "snippet": hit.snippet,
                    "created_at": iso(hit.created_at),
                }
                for hit in hits
            ]
            print_list(items, total, options.page, options.per_page)
            return DONE
        for hit in hits:
            sys.stdout.write(f"{hit.session_id}  {local(hit.created_at)}  {hit.kind:<9} {visible(hit.snippet)}\n")
        if not hits:
            sys.stdout.write("Nothing found.\n")
        return DONE

    return run_verb(work)


async def _nested(core: Core, call: ToolCall) -> Sequence[Message]:
    """The rows of the sub-agent that a call started; none where it started none."""
    return (await core.hub.history.nested(call.id)).messages if call.name in DELEGATING else ()


async def _told(
    core: Core, messages: Sequence[Message], *, debug: bool, depth: int = 0
) -> AsyncIterator[dict[str, Any]]:
    """Every row and call, those of a sub-agent between `agent` and `agent_end` behind the call that started it."""
    for message in messages:
        calls = {call.id: call for call in message.calls}
        for entry in _entries(message, debug=debug):
            yield entry
            if entry["kind"] != "tool":
                continue
            nested = await _nested(core, calls[entry["tool_call_id"]])
            if nested:
                who = {"agent_id": entry["arguments"].get("agent", ""), "depth": depth + 1}
                opening = next(iter(_entries(nested[0], debug=debug)), {"kind": "agent", "content": ""})
                yield opening | who
                async for inner in _told(core, nested[1:], debug=debug, depth=depth + 1):
                    yield inner
                yield {"kind": "agent_end"} | who


async def _lines(core: Core, messages: Sequence[Message], *, debug: bool, depth: int = 0) -> AsyncIterator[str]:
    """The same to read, a sub-agent's rows further in."""
    for message in messages:
        for line in _readable(message, debug=debug):
            yield "    " * depth + line.replace("\n", "\n" + "    " * depth)
        for call in message.calls:
            async for line in _lines(core, await _nested(core, call), debug=debug, depth=depth + 1):
                yield line


async def _all_messages(core: Core, session_id: SessionId) -> list[Message]:
    page = await core.hub.history.newest(session_id, PAGE)
    messages = list(page.messages)
    while page.has_older:
        page = await core.hub.history.older(session_id, MessageId(messages[0].id), PAGE)
        messages[:0] = page.messages
    return messages


def _session(session: Session) -> dict[str, Any]:
    return {
        "id": session.id,
        "title": session.title,
        "source": session.source,
        "agent_id": session.agent,
        "is_interactive": session.interactive,
        "is_ephemeral": session.ephemeral,
        "created_at": iso(session.created_at),
        "last_message_at": iso(session.last_activity),
        "message_count": session.messages,
        "turn_count": session.turns,
        "snippet": session.snippet,
        "model": session.model,
        "workdir": session.context.workdir,
        "mode": session.context.mode.value,
        "waiting": session.waiting,
        "is_interrupted": session.interrupted,
        "input_tokens": session.input_tokens,
        "output_tokens": session.output_tokens,
        "cost": session.cost,
    }


def _entries(message: Message, *, debug: bool) -> Iterator[dict[str, Any]]:
    """One row and its calls in the kinds that scripts rely on."""
    common: dict[str, Any] = {
        "message_id": message.id,
        "created_at": iso(message.created_at),
        "status": message.status.value,
    }
    if message.unreadable:
        yield common | {"kind": "unreadable", "content": ""}
        return
    if message.role is not Role.ASSISTANT:
        if message.synthetic and not debug:
            return
        kind = "user" if message.role is Role.USER else "agent"
        extra = {"context_block": message.context_block, "is_synthetic": message.synthetic} if debug else {}
        yield common | {"kind": kind, "content": message.content} | extra
        return
    usage = message.usage
    yield common | {
        "kind": "thinking" if message.calls else "assistant",
        "content": message.content,
        "reasoning": message.reasoning or None,
        "input_tokens": usage.input_tokens if usage else None,
        "output_tokens": usage.output_tokens if usage else None,
        "model": message.model,
    }
    for call in message.calls:
        yield _call(call)


def _call(call: ToolCall) -> dict[str, Any]:
    return {
        "kind": "tool",
        "tool_call_id": call.id,
        "name": call.name,
        "arguments": msgspec.json.decode(call.arguments),
        "status": call.status.value,
        "result": call.result,
        "label": call.label,
        "decision": call.decision,
        "created_at": iso(call.created_at),
    }


def _decision(call_id: CallId, verdict: Verdict) -> dict[str, Any]:
    """One entry of the audit trail (`R-12`)."""
    return {
        "tool_call_id": call_id,
        "action": verdict.action.value,
        "by": verdict.by.value,
        "because": verdict.because,
        "rule_id": verdict.rule_id,
        "digest": verdict.digest,
        "at": iso(verdict.at),
    }


def _readable(message: Message, *, debug: bool) -> Iterator[str]:
    if message.unreadable:
        yield f"\n[message {message.id} is damaged and cannot be shown]"
        return
    if message.synthetic and not debug:
        return
    who = {Role.USER: "you", Role.AGENT: "agent", Role.ASSISTANT: message.model or "assistant"}[message.role]
    mark = "" if message.status.value == "ok" else f" ({message.status.value})"
    yield f"\n── {visible(who)}{mark}, {local(message.created_at)}, message {message.id}"
    if debug and message.reasoning:
        yield f"(reasoning) {visible(message.reasoning)}"
    if message.content:
        yield visible(message.content)
    if debug and message.context_block:
        yield visible(message.context_block)
    for call in message.calls:
        yield f"· {visible(call.name)} {visible(call.label)}: {call.status.value}"
        if debug:
            yield f"  {visible(call.arguments)}\n  {visible(call.result)}\n  {visible(call.decision)}"


# ---- keeping -----------------------------------------------------------------------------------------------------


def fork_session(options: argparse.Namespace) -> int:
    async def work(core: Core) -> int:
        at = MessageId(options.at) if options.at is not None else None
        session = await core.hub.archive.fork(SessionId(options.session), at)
        if options.json:
            print_json(_session(session))
        else:
            sys.stdout.write(f"{session.id}\n")
        return DONE

    return run_verb(work)


def export_session(options: argparse.Namespace) -> int:
    async def work(core: Core) -> int:
        data = await core.hub.archive.export(SessionId(options.session), ExportFormat(options.format))
        if options.output is None:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
            return DONE
        place = Path(options.output)
        if place.exists() and not options.force:
            raise UsageError(f"{place} exists.", hint="Choose another name, or write over it with --force.")
        place.write_bytes(data)
        return DONE

    return run_verb(work)


def import_sessions(options: argparse.Namespace) -> int:
    async def work(core: Core) -> int:
        found = []
        for name in options.files:
            imported = await core.hub.archive.import_file(Path(name))
            found.append(imported)
            if not options.json:
                said = f"{imported.messages} messages" if imported.is_new else "is here already; nothing was added"
                sys.stdout.write(f"{imported.session_id}  {visible(imported.title) or '(no title)'}: {said}\n")
        if options.json:
            print_list([msgspec.to_builtins(each) for each in found], len(found), 1, max(len(found), 1))
        return DONE

    return run_verb(work)


def delete_session(options: argparse.Namespace) -> int:
    async def work(core: Core) -> int:
        await core.hub.archive.delete_now(SessionId(options.session))
        return DONE

    return run_verb(work)
