"""A real journal with real files and real undo, for tests of what a person sees of them."""

from __future__ import annotations

from pathlib import Path

from placet.core.domain.ids import MessageId, SessionId
from placet.core.domain.messages import Session
from placet.core.domain.review import Change
from placet.core.hub.bus import EventBus
from placet.core.hub.changes import Changes
from placet.core.review.diffing import diff_contents
from placet.core.review.undo import Undo
from placet.core.review.writer import JournalledWriter, PlannedChange
from placet.core.store.store import open_store
from support.stores import answer, call


class RealChanges:
    """`api` is what a window gets. Files lie in `folder`."""

    def __init__(self, root: Path) -> None:
        self.folder = root.resolve() / "work"
        self.folder.mkdir()
        self.store = open_store(root / "home")
        self.undo = Undo(self.store.changes)
        self.api = Changes(self.store, lambda: self.undo, EventBus())
        self._writer = JournalledWriter(self.store.changes)

    async def session(self, session_id: str, title: str = "") -> SessionId:
        made = SessionId(session_id)
        await self.store.sessions.create(Session(id=made, title=title, created_at=1.0))
        return made

    async def say(self, session_id: SessionId, words: str) -> MessageId:
        frame = await self.store.turns.root_frame(session_id)
        return (await self.store.turns.append_user(frame.id, words)).id

    async def write(self, session_id: SessionId, name: str, after: str, decision: str = "approved by you") -> Change:
        """One call of the running turn that writes a file."""
        frame = await self.store.turns.root_frame(session_id)
        call_id = (await answer(self.store, frame.id, "", call())).calls[0].id
        await self.store.turns.start_call(call_id, label=name, decision=decision)
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        before = path.read_bytes() if path.exists() else None
        diff = diff_contents(str(path), before, after.encode())
        planned = PlannedChange(
            session_id=session_id, call_id=call_id, tool="edit_file", path=path, before=before, after=after.encode(),
            added=diff.added, removed=diff.removed,
        )  # fmt: skip
        return await self._writer.write(planned)

    async def aclose(self) -> None:
        await self.store.aclose()
