"""A session as one JSON file that can be imported again, with its audit trail (`R-12`)."""

from __future__ import annotations

import hashlib

import msgspec

from placet.core.archive.redaction import Redaction, redacted_json
from placet.core.domain.archive import FORMAT, VERSION, SessionDump
from placet.core.domain.compaction import Carried
from placet.core.domain.errors import UsageError
from placet.core.domain.ids import CallId, FrameId, MessageId
from placet.core.domain.messages import CallStatus, Message, RunContext, Session, ToolCall
from placet.core.domain.text import clean_text

MOST_BYTES = 512 * 1024 * 1024
CUT_NOTE = "This call had not ended when the session was exported."


def to_json(dump: SessionDump, redaction: Redaction) -> bytes:
    """The whole file. What looks like a credential is replaced (`S-9`)."""
    return msgspec.json.format(msgspec.json.encode(redacted(dump, redaction)), indent=1)


def redacted(dump: SessionDump, redaction: Redaction) -> SessionDump:
    text = redaction.text

    def call(each: ToolCall) -> ToolCall:
        return msgspec.structs.replace(
            each,
            arguments=redacted_json(each.arguments, redaction),
            result=text(each.result),
            label=text(each.label),
            facts=redaction.value(each.facts),
            decision=text(each.decision),
        )

    def message(each: Message) -> Message:
        return msgspec.structs.replace(
            each,
            content=text(each.content),
            reasoning=text(each.reasoning),
            context_block=text(each.context_block),
            parts=redacted_json(each.parts, redaction) if each.parts else "",
            metadata=redaction.value(each.metadata),
            calls=tuple(map(call, each.calls)),
        )

    return msgspec.structs.replace(
        dump,
        session=msgspec.structs.replace(
            dump.session, title=text(dump.session.title), snippet=text(dump.session.snippet)
        ),
        messages=tuple(map(message, dump.messages)),
        notes={key: text(value) for key, value in dump.notes.items()},
        summaries=tuple(
            msgspec.structs.replace(
                each,
                content=text(each.content),
                carried=Carried(
                    objective=text(each.carried.objective),
                    todos=text(each.carried.todos),
                    facts=text(each.carried.facts),
                ),
            )
            for each in dump.summaries
        ),
    )


def from_json(data: bytes) -> SessionDump:
    """Read and check an exported session. Raises: UsageError for anything that is none; nothing of it is used then."""
    if len(data) > MOST_BYTES:
        raise UsageError(f"The file has more than {MOST_BYTES // 1024 // 1024:,} MB; no session is so large.")
    try:
        head = msgspec.json.decode(data, type=_Head)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError("This is no session that Placet exported.", detail=str(error)) from error
    if head.format != FORMAT:
        raise UsageError("This is no session that Placet exported.")
    if head.version > VERSION:
        raise UsageError(
            f"This session was exported by a newer Placet (version {head.version} of its form; this one knows {VERSION}).",
            hint="Update Placet, then import it.",
        )
    try:
        dump = msgspec.json.decode(data, type=SessionDump)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError("The file is damaged, so nothing was imported.", detail=str(error)) from error
    _check(dump)
    return _harmless(dump)


def origin_of(dump: SessionDump) -> str:
    """The same session at the same state, whatever ids it has now."""
    said = msgspec.json.encode(
        [
            dump.session.created_at,
            [
                [m.role, m.content, m.created_at, [[c.name, c.arguments, c.result] for c in m.calls]]
                for m in dump.messages
            ],
        ]
    )
    return f"placet {hashlib.sha256(said).hexdigest()}"


class _Head(msgspec.Struct):
    format: str = ""
    version: int = 0


def _check(dump: SessionDump) -> None:
    """Ids that are unique, and refer to what is there."""
    frames: list[FrameId] = [frame.id for frame in dump.frames]
    messages: list[MessageId] = [message.id for message in dump.messages]
    calls: list[CallId] = [call.id for message in dump.messages for call in message.calls]
    for what, ids in (("frame", frames), ("message", messages), ("call", calls)):
        if len(set(ids)) != len(ids):
            raise UsageError(f"The file is damaged: a {what} is in it twice. Nothing was imported.")
    if sum(frame.depth == 0 for frame in dump.frames) > 1:
        raise UsageError("The file is damaged: it has two beginnings. Nothing was imported.")
    started = {frame.id for frame in dump.frames if frame.depth == 0}
    by_call = {frame.parent_call: frame.id for frame in dump.frames if frame.parent_call is not None}
    for message in dump.messages:
        if message.frame_id not in started:
            raise UsageError(f"The file is damaged: message {message.id} is nobody's. Nothing was imported.")
        if not _is_object(message):
            raise UsageError(f"The file is damaged in message {message.id}. Nothing was imported.")
        started |= {by_call[call.id] for call in message.calls if call.id in by_call}


def _is_object(message: Message) -> bool:
    """Whether what is stored as JSON text is such."""
    try:
        for call in message.calls:
            if not isinstance(msgspec.json.decode(call.arguments), dict):
                return False
        if message.parts:
            msgspec.json.decode(message.parts)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    return True


def _harmless(dump: SessionDump) -> SessionDump:
    """Whoever wrote the file loosens nothing (`R-4`): no mode, folder, group or limit comes with it, and nothing runs."""

    def ended(call: ToolCall) -> ToolCall:
        if call.status.is_final:
            return call
        return msgspec.structs.replace(call, status=CallStatus.CANCELLED, result=call.result or CUT_NOTE)

    messages = tuple(
        msgspec.structs.replace(message, calls=tuple(map(ended, message.calls))) for message in dump.messages
    )
    frames = tuple(msgspec.structs.replace(frame, terminated=True) if frame.depth else frame for frame in dump.frames)
    session = _plain(dump.session)
    return msgspec.structs.replace(dump, session=session, messages=messages, frames=frames, changes=())


def _plain(session: Session) -> Session:
    return msgspec.structs.replace(
        session,
        context=RunContext(),
        title=clean_text(session.title)[:200],
        pinned=False,
        archived=False,
        forked_from="",
    )
