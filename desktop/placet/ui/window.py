"""What is in the window: layout, actions, and where one is. No logic of the core."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from placet.core.domain.errors import PlacetError
from placet.core.domain.events import Envelope
from placet.core.domain.ids import SessionId
from placet.core.domain.undo import UndoWish
from placet.core.hub.api import HubApi
from placet.ui.bridge import Bridge
from placet.ui.frame import Frame
from placet.ui.models.bypasses import BypassesModel, described
from placet.ui.models.conversation import Conversation
from placet.ui.models.review import ReviewModel
from placet.ui.models.sessions import SessionsModel
from placet.ui.models.settings import CatalogueModel
from placet.ui.panels.chat.panel import ChatPanel
from placet.ui.panels.inbox.late_batch import LateBatch
from placet.ui.panels.review.pane import ReviewPane
from placet.ui.panels.sidebar.sidebar import Sidebar
from placet.ui.theme.theme import Theme
from placet.ui.widgets.focus_ring import FocusRing
from placet.ui.widgets.plane import column_of
from placet.ui.window_actions import WindowActions
from placet.ui.window_appearance import Appearance
from placet.ui.window_closing import Closing
from placet.ui.window_inbox import WindowInbox
from placet.ui.window_keeping import SessionKeeping
from placet.ui.window_notice import Notices
from placet.ui.window_notifying import Notifying
from placet.ui.window_pages import LatePages
from placet.ui.window_places import Places
from placet.ui.window_proposals import ChatProposals
from placet.ui.window_return import LastPlace
from placet.ui.window_state import Preferences, read_bytes, read_drafts, write_bytes, write_drafts
from placet.ui.window_status import StatusBar
from placet.ui.window_undo import ChatUndo


class MainWindow(QWidget):
    """All that is in a window on one source's conversation. The native window is its `frame`, which may show before.

    Construct it, `frame.fill` it in, show the frame, then `await open()`. Closing the frame only emits
    `quit_requested`, after a question if a turn is running; the owner then awaits `aclose()`, which keeps drafts and
    geometry and ends the window's tasks.
    """

    quit_requested = Signal()
    demo_requested = Signal()

    def __init__(
        self, frame: Frame, hub: HubApi, theme: Theme, preferences: Preferences, source: str = "desktop"
    ) -> None:
        super().__init__(frame)
        self.frame, self._theme, self._preferences = frame, theme, preferences
        self.bridge = Bridge(hub, self)
        self.appearance = Appearance(theme, preferences, self)
        self.conversation = Conversation(self.bridge, source, self)
        self.sessions = SessionsModel(self.bridge, self)
        self.catalogue = CatalogueModel(self.bridge, self)
        self.review_model = ReviewModel(hub, self.bridge.scope, self)
        self.bypasses = BypassesModel(self.bridge, self)
        self._make_pages(theme)
        self.undo = ChatUndo(self.bridge, self.conversation, self.chat.model, self)
        self._lay_out(theme)
        self._connect_facts()
        self._restore()

    # ---- parts ---------------------------------------------------------------------------------------------------

    def _make_pages(self, theme: Theme) -> None:
        self.sidebar = Sidebar(self.sessions, theme)
        self.chat = ChatPanel(self.conversation, self.catalogue, theme)
        self.review = ReviewPane(self.review_model, theme)
        self.status = StatusBar(theme)
        self.pages = LatePages(
            self.bridge,
            self.conversation,
            self.catalogue,
            self.appearance,
            lambda: self.commands.actions,
            theme,
            Notifying(self._preferences, self),
        )

    def _lay_out(self, theme: Theme) -> None:
        self.places = Places(
            self.bridge,
            sidebar=self.sidebar,
            chat=self.chat,
            review=self.review,
            review_model=self.review_model,
            makers=self.pages.makers,
            theme=theme,
        )
        self.inbox = WindowInbox(self.bridge, self.places, self.pages, theme, self)
        self.commands = WindowActions(
            self,
            bridge=self.bridge,
            places=self.places,
            chat=self.chat,
            inbox=self.inbox,
            appearance=self.appearance,
            sessions=self.sessions,
            catalogue=self.catalogue,
            preferences=self._preferences,
            theme=theme,
            leave=self.frame.close,
        )
        self.closing = Closing(self, self.bridge, self.inbox, self._is_anything_running, self._keep, theme)
        self.last_place = LastPlace(self.places, self.chat, self._preferences)
        self.batch = LateBatch(self.review, self.review_model, self.bridge.hub, self.bridge.scope, theme)
        self._root = QStackedWidget()
        self._root.addWidget(self.places.panes)
        column = column_of(self._root, self.status, parent=self)
        column.setStretchFactor(self._root, 1)
        self.notices = Notices(self, theme)
        self._ring = FocusRing(self, theme)
        self.keeping = SessionKeeping(self, self.bridge, self.places, self.conversation, self.notices)
        self.commands.import_requested.connect(self.keeping.begin_import)
        self._inspected: SessionId | None = None  # what the debug view is to show, if not the chat's session
        self.keeping.inspect_requested.connect(self._inspect)
        self.chat.head.inspect_requested.connect(lambda: self._inspect(None))
        self.proposals = ChatProposals(self.bridge, self.places, self.chat, self.review, self.review_model, theme)

    def _connect_facts(self) -> None:
        self.frame.close_requested.connect(self.closing.begin)
        self.inbox.quit_requested.connect(self.closing.begin)
        self.appearance.restart_requested.connect(self.closing.begin_again)
        self.closing.quit_requested.connect(self.quit_requested)
        self.bridge.failed.connect(self.notices.show_error)
        self.bridge.fact_arrived.connect(self.batch.handle)
        self.bridge.fact_arrived.connect(self.review_model.handle)
        self.bridge.fact_arrived.connect(self.bypasses.handle)
        self.bridge.fact_arrived.connect(self._on_event)
        self.bridge.reload_needed.connect(self.review_model.refresh)
        self.conversation.switched.connect(lambda page: self.review_model.show_session(page.session.id))
        self.conversation.switched.connect(lambda page: self.bypasses.show_session(page.session.id))
        self.bypasses.changed.connect(self._show_bypasses)
        self.status.ask_again_requested.connect(self.bypasses.ask_again)
        self.conversation.texts_returned.connect(lambda _: self._keep_drafts())  # they are nowhere else now
        self.conversation.changed.connect(self._show_facts)
        self.conversation.running_changed.connect(lambda _: self._show_facts())
        self.catalogue.changed.connect(self._show_facts)
        self.chat.hinted.connect(self.status.hint)
        self.appearance.zoom_chosen.connect(self._tell_zoom)
        self.chat.link_hovered.connect(self.status.show_link)
        self.chat.undo_requested.connect(self.undo.undo)
        self.chat.redo_requested.connect(self.undo.apply_again)
        self.chat.undo_turn_requested.connect(self.undo.undo_turn)
        self.chat.undo_since_requested.connect(self.undo.undo_since)
        self.undo.wished.connect(self._show_undo)
        self.places.page_made.connect(self._on_page_made)
        self.places.arrived.connect(self._on_arrived)

    # ---- begin and end -------------------------------------------------------------------------------------------

    async def open(self, session_id: SessionId | None = None, *, goes_back: bool = True) -> None:
        """Follow the hub and show `session_id`, else where one was last, or without `goes_back` the active session.

        What fails is told in the window.
        """
        self.bridge.start()
        for load in (self.catalogue.reload, self.conversation.open_active, self.sessions.reload):
            try:
                await load()
            except PlacetError as error:
                self.show_error(error)
        if session_id is not None:
            self.conversation.show(session_id)
        if self.catalogue.is_loaded and not self.catalogue.models and not self._preferences.read("first_start"):
            self.begin_first_start()
        elif goes_back and session_id is None:
            await self.last_place.go_back()
        else:
            self.places.write()
        self.frame.reveal()
        self.inbox.begin()

    async def aclose(self) -> None:
        """Keep what should be there next time, end the window's tasks, and hide. Idempotent."""
        self._keep()
        self.inbox.end()
        await self.bridge.aclose()
        self.frame.hide()

    def _restore(self) -> None:
        if not (panes := read_bytes(self._preferences, "panes")).isEmpty():
            self.places.panes.restore_state(panes)
        self.review.choose_split(self._preferences.read("review_sides") == "beside")
        self.chat.composer.drafts = read_drafts(self._preferences)

    def _keep(self) -> None:
        self.review.keep()
        self.frame.keep_geometry()
        self.last_place.keep()
        write_bytes(self._preferences, "panes", self.places.panes.save_state())
        self._preferences.write("review_sides", "beside" if self.review.is_split else "below")
        self._keep_drafts()

    def _keep_drafts(self) -> None:
        write_drafts(self._preferences, self.chat.composer.keep_draft())

    def _is_anything_running(self) -> bool:
        return self.conversation.is_running or self.sessions.any_running()

    # ---- first start ---------------------------------------------------------------------------------------------

    def begin_first_start(self) -> None:
        """Lay the three steps over the window."""
        page = self.pages.first_start
        if self._root.indexOf(page) < 0:
            self._root.addWidget(page)
            page.finished.connect(self._end_first_start)
            page.demo_requested.connect(self._on_demo_requested)
            page.folder_chosen.connect(self.conversation.choose_folder)
            page.mode_chosen.connect(self.conversation.choose_mode)
        session = self.conversation.session
        page.begin(session.context.workdir if session is not None else "")
        self._root.setCurrentWidget(page)

    def _end_first_start(self) -> None:
        self._preferences.write("first_start", "done")
        self._root.setCurrentWidget(self.places.panes)
        self.places.write()

    def _on_demo_requested(self) -> None:
        self._end_first_start()
        self.demo_requested.emit()

    # ---- facts ---------------------------------------------------------------------------------------------------

    def show_error(self, error: PlacetError) -> None:
        """Tell what happened and what to do, over the page, until it is dismissed."""
        self.notices.show_error(error)

    def _show_facts(self) -> None:
        told = self.conversation
        if told.session is not None and told.session.model and self.catalogue.lacks(told.session.model):
            self.bridge.run(self.catalogue.reload())
        self.status.show_facts(told.session, told.is_running, self.chat.model_name, told.last_turn)
        self.places.mark()
        if told.session is not None:
            self.frame.setWindowTitle(f"{told.session.title} – Placet" if told.session.title else "Placet")

    def _tell_zoom(self, percent: int) -> None:
        self.status.hint(self.tr("{} % from the next start on").format(percent))

    def _show_bypasses(self) -> None:
        self.status.show_bypasses([(bypass.id, described(bypass)) for bypass in self.bypasses.items])

    def _on_event(self, envelope: Envelope) -> None:
        if self.places.place == "changes":  # elsewhere it reads the list when it is gone to
            self.pages.changes_model.handle(envelope)

    def _on_arrived(self, place: str) -> None:
        """Show what is there now."""
        session = self.conversation.session
        if place == "search":
            self.pages.search.begin()
        elif place == "settings":
            self.bridge.run(self.catalogue.reload())
        elif place == "detail" and (wanted := self._inspected or self.places.session_id) is not None:
            self._inspected = None
            self.pages.detail.show_session(wanted)
        elif place == "changes":
            if session is None:
                self.pages.changes.show_session(None)
            else:
                self.pages.changes.show_session(session.id, session.context.workdir)

    def _inspect(self, session_id: SessionId | None) -> None:
        """Show everything that is stored of a session."""
        self._inspected = session_id
        self.places.go_to("detail")

    def _explain(self, call_id: int) -> None:
        self.places.go_to("settings")
        self.pages.settings.explain_call(call_id)

    def _show_undo(self, wish: UndoWish, title: str, folder: str) -> None:
        """Show on the Changes page what an undo would do; nothing happens before a person says so there."""
        self.places.go_to("changes")
        self.pages.changes.begin_undo(wish, title, folder)

    def _on_page_made(self, place: str) -> None:
        """Wire a page that was made now."""
        if place == "search":
            self.pages.search.opened.connect(self.places.open_match)
            self.pages.search.left.connect(self.places.write)
        elif place == "settings":
            self.pages.settings.left.connect(self.places.write)
        elif place == "detail":
            self.pages.detail.left.connect(self.places.write)
            self.pages.detail.explain_requested.connect(self._explain)
        elif place == "changes":
            page = self.pages.changes
            page.place_requested.connect(lambda step: self.places.open_message(step.change.session_id, step.message_id))
            page.left.connect(self.places.write)
            page.hinted.connect(self.status.hint)
