"""Sessions as a whole, from the sidebar: forked, pinned, put away, exported, removed with ten seconds to think again."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from placet.core.domain.archive import ExportFormat, Imported
from placet.core.domain.errors import UsageError
from placet.core.domain.ids import SessionId
from placet.core.domain.messages import Session
from placet.ui.asking import ask
from placet.ui.bridge import Bridge
from placet.ui.models.conversation import Conversation
from placet.ui.models.sessions import Keep, title_of
from placet.ui.window_notice import Notices
from placet.ui.window_places import Places

SECOND_THOUGHTS_S = 10.0
_LONGEST_NAME = 80


class SessionKeeping(QObject):
    """Carries out what the list of sessions asks for, and tells what came of it."""

    inspect_requested = Signal(object)  # a SessionId: everything that is stored of it is wanted

    def __init__(
        self, window: QWidget, bridge: Bridge, places: Places, conversation: Conversation, notices: Notices
    ) -> None:
        super().__init__(window)
        self._window, self._bridge, self._places = window, bridge, places
        self._conversation, self._notices = conversation, notices
        self._forms = {
            self.tr("Markdown (*.md)"): ExportFormat.MARKDOWN,
            self.tr("Web page (*.html)"): ExportFormat.HTML,
            self.tr("To import again (*.json)"): ExportFormat.JSON,
        }
        places.sidebar.sessions.keep_requested.connect(self.keep)

    def keep(self, session: Session, what: Keep) -> None:
        archive = self._bridge.hub.archive
        match what:
            case Keep.PIN | Keep.UNPIN:
                self._bridge.run(archive.pin(session.id, what is Keep.PIN))
            case Keep.FORK:
                self._bridge.run(archive.fork(session.id), lambda made: self._places.open_session(made.id))
            case Keep.PUT_AWAY:
                self._bridge.run(self._put_away(session))
            case Keep.EXPORT:
                self._bridge.run(self._export(session))
            case Keep.INSPECT:
                self.inspect_requested.emit(session.id)
            case Keep.DELETE:
                self._bridge.run(self._delete(session))

    def begin_import(self) -> None:
        """Ask which files, and bring back what is in them."""
        self._bridge.run(self._import())

    async def _leave(self, session: Session) -> None:
        """Where it is looked at, a new chat takes its place."""
        shown = self._conversation.session
        if shown is not None and shown.id == session.id:
            await self._bridge.hub.clear(self._conversation.source)
            await self._conversation.open_active()

    async def _put_away(self, session: Session) -> None:
        archive = self._bridge.hub.archive
        await archive.put_away(session.id, True)
        undo = partial(archive.put_away, session.id, False)
        self._offer(self.tr("“{}” is put away. Search still finds it."), session, undo)

    async def _delete(self, session: Session) -> None:
        archive = self._bridge.hub.archive
        if self._bridge.hub.is_running(session.id):
            raise UsageError(self.tr("A turn is running in this chat."), hint=self.tr("Stop it first."))
        await self._leave(session)
        await archive.delete(session.id)
        self._offer(self.tr("“{}” is removed."), session, partial(archive.bring_back, session.id))

    def _offer(self, words: str, session: Session, undo: Callable[[], Awaitable[None]]) -> None:
        title = _short(title_of(session)) or self.tr("New chat")
        take_back = lambda: self._bridge.run(undo())  # noqa: E731
        self._notices.show_offer(words.format(title), self.tr("Undo"), take_back, seconds=SECOND_THOUGHTS_S)

    # ---- files ---------------------------------------------------------------------------------------------------

    async def _export(self, session: Session) -> None:
        dialog = QFileDialog(self._window, self.tr("Export the chat"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters(list(self._forms))
        dialog.selectFile(_file_name(title_of(session)))
        if not await ask(dialog) or not dialog.selectedFiles():
            return
        form = self._forms[dialog.selectedNameFilter()]
        place = Path(dialog.selectedFiles()[0])
        if not place.suffix:
            place = place.with_suffix(f".{form.value}")
        await self.export_to(session.id, form, place)

    async def export_to(self, session_id: SessionId, form: ExportFormat, place: Path) -> None:
        """Write a session to a file that a person chose. Raises: UnknownItem, UsageError."""
        data = await self._bridge.hub.archive.export(session_id, form)
        try:
            await asyncio.to_thread(place.write_bytes, data)
        except OSError as error:
            raise UsageError(
                self.tr("{} cannot be written: {}.").format(place, error.strerror or error),
                hint=self.tr("Choose another place."),
            ) from error
        self._notices.show_words("info", self.tr("Exported"), str(place))

    async def _import(self) -> None:
        dialog = QFileDialog(self._window, self.tr("Import chats"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.setNameFilters([self.tr("Exported chats (*.json)")])
        if await ask(dialog):
            await self.import_from([Path(name) for name in dialog.selectedFiles()])

    async def import_from(self, files: list[Path]) -> None:
        """Bring back what is in the files, and show the last one. Raises: UsageError at the first that is none."""
        found: list[Imported] = [await self._bridge.hub.archive.import_file(file) for file in files]
        if not found:
            return
        self._places.open_session(found[-1].session_id)
        new = sum(each.is_new for each in found)
        words = self.tr("{} imported").format(new) if new else self.tr("Nothing was added")
        known = len(found) - new
        told = self.tr("{} were here already.").format(known) if known else ""
        self._notices.show_words("info", words, told)


def _short(title: str) -> str:
    words = " ".join(title.split())
    return words if len(words) <= 50 else f"{words[:49].rstrip()}…"


def _file_name(title: str) -> str:
    """A name that every file system takes."""
    name = re.sub(r"[^\w .,()-]+", " ", " ".join(title.split()))[:_LONGEST_NAME].strip(" .")
    return name or "chat"
