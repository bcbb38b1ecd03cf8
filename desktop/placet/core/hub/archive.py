"""Sessions as a person keeps them: forked, pinned, put away, removed, written to files and brought back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec

from placet.core.archive import files, readable
from placet.core.archive.redaction import Redaction
from placet.core.domain import events
from placet.core.domain.archive import ExportFormat, Imported, SessionDump
from placet.core.domain.errors import SessionBusy, UnknownItem, UsageError
from placet.core.domain.ids import MessageId, SessionId, new_session_id
from placet.core.domain.messages import Message, MessageStatus, Role, Session
from placet.core.domain.ports import Pause
from placet.core.domain.stopping import TaskScope
from placet.core.hub.bus import EventBus
from placet.core.hub.live import LiveSessions
from placet.core.store.store import Store

SECOND_THOUGHTS_S = 10.0


class Archive:
    """Implements `ArchiveApi`. What it changes about a session waits for no turn: it is refused while one runs."""

    def __init__(
        self,
        store: Store,
        bus: EventBus,
        live: LiveSessions,
        scope: TaskScope,
        redaction: Callable[[], Awaitable[Redaction]],
        pause: Pause = asyncio.sleep,
    ) -> None:
        self._store, self._bus, self._live, self._scope = store, bus, live, scope
        self._redaction, self._pause = redaction, pause

    # ---- files ---------------------------------------------------------------------------------------------------

    async def export(self, session_id: SessionId, form: ExportFormat) -> bytes:
        dump = await self._store.dumps.read(session_id)
        return await asyncio.to_thread(_exported, dump, form, await self._redaction())

    async def import_file(self, path: Path) -> Imported:
        data = await asyncio.to_thread(_read, path)
        dump = await asyncio.to_thread(files.from_json, data)
        origin = await asyncio.to_thread(files.origin_of, dump)
        if (known := await self._store.dumps.from_origin(origin)) is not None:
            session = await self._store.sessions.get(known)
            return Imported(session_id=known, title=session.title, messages=session.messages, is_new=False)
        made = msgspec.structs.replace(dump, session=msgspec.structs.replace(dump.session, id=new_session_id()))
        session = await self._store.dumps.write(made, origin=origin)
        self._tell(session)
        return Imported(session_id=session.id, title=session.title, messages=session.messages, is_new=True)

    # ---- forks ---------------------------------------------------------------------------------------------------

    async def fork(self, session_id: SessionId, at: MessageId | None = None) -> Session:
        await self._refuse_running(session_id)
        dump = await self._store.dumps.read(session_id)
        forked = _up_to(dump, at)
        session = await self._store.dumps.write(forked, forked_from=session_id)
        self._live.made_here(session.id)
        self._tell(session)
        return session

    # ---- keeping -------------------------------------------------------------------------------------------------

    async def pin(self, session_id: SessionId, pinned: bool) -> None:
        self._tell(await self._store.sessions.update(session_id, pinned=pinned))

    async def put_away(self, session_id: SessionId, archived: bool) -> None:
        self._tell(await self._store.sessions.update(session_id, archived=archived))

    async def delete(self, session_id: SessionId) -> None:
        await self._refuse_running(session_id)
        session = await self._store.sessions.get(session_id)
        await self._store.removal.hide(session_id)
        self._tell(session)
        self._scope.start(self._remove_later(session_id), name="remove session")

    async def bring_back(self, session_id: SessionId) -> None:
        await self._store.removal.bring_back(session_id)
        self._tell(await self._store.sessions.get(session_id))

    async def delete_now(self, session_id: SessionId) -> None:
        await self._refuse_running(session_id)
        await self._store.removal.hide(session_id)
        await self._store.removal.remove(session_id)

    async def remove_hidden(self) -> None:
        """For a start: what was to be removed when the program ended."""
        for session_id in await self._store.removal.hidden(time.time() - SECOND_THOUGHTS_S):
            await self._store.removal.remove(session_id)

    async def _remove_later(self, session_id: SessionId) -> None:
        await self._pause(SECOND_THOUGHTS_S)
        await self._store.removal.remove(session_id)

    async def _refuse_running(self, session_id: SessionId) -> None:
        """Raises: SessionBusy during a turn, here or in another process (`S-10`), UnknownItem."""
        await self._live.refuse_foreign(session_id)
        live = self._live.peek(session_id)
        if live is not None and live.handler.is_running:
            raise SessionBusy("A turn is running in this session.", hint="Stop it, or wait until it is done.")

    def _tell(self, session: Session) -> None:
        self._bus.publish(session.source, session.id, events.SessionChanged(session_id=session.id))


def _exported(dump: SessionDump, form: ExportFormat, redaction: Redaction) -> bytes:
    match form:
        case ExportFormat.JSON:
            return files.to_json(dump, redaction)
        case ExportFormat.MARKDOWN:
            return readable.to_markdown(files.redacted(dump, redaction)).encode()
        case ExportFormat.HTML:
            return readable.to_html(files.redacted(dump, redaction)).encode()


def _read(path: Path) -> bytes:
    try:
        if not path.is_file():
            raise UsageError(f"{path} is no file.")
        if (size := path.stat().st_size) > files.MOST_BYTES:
            raise UsageError(
                f"{path.name} has {size // 1024 // 1024:,} MB; no session has more than {files.MOST_BYTES // 1024 // 1024:,}."
            )
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}.") from error


def _up_to(dump: SessionDump, at: MessageId | None) -> SessionDump:
    """The session as it was at the end of a turn, or with a message of the person as its last; None: all of it."""
    root = dump.root()
    rows = dump.of_frame(root.id) if root is not None else ()
    if at is None:
        last = next((row for row in reversed(rows) if _may_end(row)), None)
        at = last.id if last is not None else None
    chosen = next((row for row in rows if row.id == at), None)
    if chosen is None and at is not None:
        raise UnknownItem(f"There is no message {at} in this session.")
    if chosen is not None and not _may_end(chosen):
        raise UsageError("A fork ends with a message of yours or with the end of a turn.")
    kept = [row for row in rows if at is not None and row.id <= at]
    frames = [root] if root is not None else []
    open_calls = {call.id for row in kept for call in row.calls}
    for frame in dump.frames:
        if frame.parent_call in open_calls:
            frames.append(msgspec.structs.replace(frame, terminated=True))
            inside = dump.of_frame(frame.id)
            kept += inside
            open_calls |= {call.id for row in inside for call in row.calls}
    kept.sort(key=lambda row: row.id)
    ids = {row.id for row in kept} | {MessageId(0)}
    said = [row for row in kept if row.role is Role.USER and not row.synthetic]
    usages = [row.usage for row in kept if row.usage is not None]
    session = msgspec.structs.replace(
        dump.session,
        id=new_session_id(),
        created_at=time.time(),
        last_activity=time.time(),
        turns=len(said),
        interactive=True,
        ephemeral=False,
        pinned=False,
        archived=False,
        input_tokens=sum(usage.input_tokens for usage in usages),
        output_tokens=sum(usage.output_tokens for usage in usages),
        cost=None,
    )
    return msgspec.structs.replace(
        dump,
        session=session,
        frames=tuple(frames),
        messages=tuple(kept),
        decisions=tuple(entry for entry in dump.decisions if entry.call_id in open_calls),
        summaries=tuple(each for each in dump.summaries if each.covers_to in ids and each.shortened_to in ids),
        changes=(),
    )


def _may_end(row: Message) -> bool:
    if row.status is MessageStatus.FAILED:
        return False
    if row.role is Role.USER:
        return not row.synthetic
    return row.role is Role.ASSISTANT and row.status is MessageStatus.OK and not row.calls
