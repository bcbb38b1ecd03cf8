"""What can be done in this window: its actions, their shortcuts, and the palette that lists them with all the places."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from placet.core.domain.agents import AgentType
from placet.core.domain.messages import Session
from placet.ui.bridge import Bridge
from placet.ui.models.actions import Action, Actions, FixedKey, spoken
from placet.ui.models.sessions import ROW_ROLE, Keep, SessionsModel, title_of
from placet.ui.models.settings import CatalogueModel
from placet.ui.panels.chat.jumps import jump_to_own, jump_to_waiting
from placet.ui.panels.chat.panel import ChatPanel
from placet.ui.panels.review.keys import review_keys
from placet.ui.theme.theme import Theme
from placet.ui.widgets.transcript.keys import NEXT_OWN, NEXT_WAITING, PREVIOUS_OWN, chat_keys
from placet.ui.window_appearance import Appearance
from placet.ui.window_inbox import WindowInbox
from placet.ui.window_places import Places
from placet.ui.window_state import Preferences

if TYPE_CHECKING:
    from placet.ui.models.palette import Entry
    from placet.ui.panels.palette.palette import Palette

_PLACE_KEYS = {"inbox": "Ctrl+I", "settings": "Ctrl+,"}
# Text fields take these themselves wherever one writes; an action there would not be heard.
_EDITING = ("Ctrl+C", "Ctrl+Shift+C", "Ctrl+V", "Ctrl+X", "Ctrl+A", "Ctrl+Z", "Ctrl+Shift+Z", "Ctrl+Y")


class WindowActions(QObject):
    """Owns the shortcuts. The palette is made when it is first opened."""

    import_requested = Signal()

    def __init__(
        self,
        window: QWidget,
        *,
        bridge: Bridge,
        places: Places,
        chat: ChatPanel,
        inbox: WindowInbox,
        appearance: Appearance,
        sessions: SessionsModel,
        catalogue: CatalogueModel,
        preferences: Preferences,
        theme: Theme,
        leave: Callable[[], object],
    ) -> None:
        super().__init__(window)
        self._window, self._theme, self._bridge = window, theme, bridge
        self._places, self._chat, self._inbox, self._appearance = places, chat, inbox, appearance
        self._sessions, self._catalogue, self._leave = sessions, catalogue, leave
        self._palette: Palette | None = None
        self.actions = Actions(self._make_actions(), self._fixed_keys(), preferences, self)
        self._shortcuts = {action.id: QShortcut(window) for action in self.actions.all}
        for name, shortcut in self._shortcuts.items():
            shortcut.activated.connect(lambda name=name: self.actions.run(name))
        self.actions.changed.connect(self._set_keys)
        self._set_keys()

    def _set_keys(self) -> None:
        for shortcut in self._shortcuts.values():
            shortcut.setKeys([])  # two never have the same keys, not for a moment
        for name, shortcut in self._shortcuts.items():
            shortcut.setKeys([QKeySequence(keys) for keys in self.actions.strokes_of(name)])
        for part in (self._places.sidebar, self._chat.head, self._chat.empty):
            part.show_keys(lambda name: spoken(self.actions.keys_of(name)))

    # ---- the list ------------------------------------------------------------------------------------------------

    def _make_actions(self) -> Sequence[Action]:
        places, chat = self._places, self._chat
        return [
            Action("palette", self.tr("Palette: everything by name"), self.toggle_palette, "Ctrl+K", "search"),
            Action("chat.new", self.tr("New chat"), places.start_new_chat, "Ctrl+N", "square-pen"),
            Action("chat.home", self.tr("Home: the chat of this window"), places.go_home, "Alt+Home", "house"),
            Action("chat.write", self.tr("Write a message"), places.write, "Ctrl+L", "message-square"),
            Action("chat.stop", self.tr("Stop the turn"), chat.conversation.stop, "Ctrl+.", "square"),
            Action("chat.find", self.tr("Find in the chat"), places.find_in_chat, "Ctrl+F", "text-search"),
            Action("chat.rename", self.tr("Rename the chat"), self._in_chat(chat.head.start_rename), "F2", "pencil"),
            Action(
                "chat.folder", self.tr("Choose the folder to work in"), self._in_chat(chat.choose_folder), "Ctrl+O",
                "folder-open",
            ),
            Action(
                "chat.model", self.tr("Choose the model"), self._in_chat(chat.composer.picker.click), "Ctrl+M",
                "sliders-horizontal",
            ),
            Action(
                "chat.mode", self.tr("Choose how much to ask"), self._in_chat(chat.composer.dial.take_focus),
                "Ctrl+Shift+M", "hand",
            ),
            Action(
                "chat.previous", self.tr("Previous message of mine"), partial(jump_to_own, chat, -1), PREVIOUS_OWN,
                "arrow-up",
            ),
            Action("chat.next", self.tr("Next message of mine"), partial(jump_to_own, chat, 1), NEXT_OWN, "arrow-down"),
            Action(
                "chat.waiting", self.tr("Next that waits in the chat"), partial(jump_to_waiting, chat), NEXT_WAITING,
                "hand",
            ),
            Action("chat.copy", self.tr("Copy the whole chat as Markdown"), self._copy_chat, "", "copy"),
            Action("chat.fork", self.tr("Fork the chat"), self._keeping(Keep.FORK), "", "git-fork"),
            Action("chat.pin", self.tr("Pin the chat"), self._keeping(Keep.PIN), "", "pin"),
            Action("chat.export", self.tr("Export the chat…"), self._keeping(Keep.EXPORT), "", "download"),
            Action("chat.put_away", self.tr("Put the chat away"), self._keeping(Keep.PUT_AWAY), "", "folder-output"),
            Action("chat.delete", self.tr("Delete the chat"), self._keeping(Keep.DELETE), "", "trash-2"),
            Action("chat.inspect", self.tr("Debug view of the chat"), self._keeping(Keep.INSPECT), "Ctrl+Shift+D", "bug"),
            Action("chats.import", self.tr("Import chats…"), self.import_requested.emit, "", "folder-open"),
            Action("search", self.tr("Search everything"), places.search_everything, "Ctrl+Shift+F", "search"),
            Action(
                "review.toggle", self.tr("Show or hide the review"), places.toggle_review, "Ctrl+Shift+R",
                "panel-right-open",
            ),
            Action(
                "review.go", self.tr("Go to the review, where Enter approves"), self._inbox.go_to_review, "F6", "eye"
            ),
            *(
                Action(
                    f"go.{place}", self.tr("Go to {}").format(words), self._way_to(place), _PLACE_KEYS.get(place, ""),
                    icon,
                )
                for place, words, icon in places.sidebar.places
            ),
            Action(
                "view.sidebar", self.tr("Show or hide the sidebar"), places.panes.toggle_sidebar, "Ctrl+B",
                "panel-left-open",
            ),
            Action("view.look", self.tr("Light or dark"), self._appearance.toggle, "Ctrl+Shift+L", "sun-moon"),
            Action("view.larger", self.tr("Larger"), partial(self._appearance.step_zoom, 1), "Ctrl++", "maximize-2", "Ctrl+="),
            Action("view.smaller", self.tr("Smaller"), partial(self._appearance.step_zoom, -1), "Ctrl+-", "minimize-2"),
            Action("view.normal", self.tr("Normal size"), partial(self._appearance.choose_zoom, 100), "Ctrl+0", "square"),
            Action("quit", self.tr("Quit"), self._leave, "Ctrl+Q", "x"),
        ]  # fmt: skip

    def _fixed_keys(self) -> Sequence[FixedKey]:
        """What parts of the window take themselves."""
        return [
            FixedKey(self.tr("Send"), self.tr("Enter")),
            FixedKey(
                self.tr("Stop the turn and send at once"), self.tr("Ctrl+Enter"), ("Ctrl+Return", "Ctrl+Enter")
            ),
            FixedKey(self.tr("Break the line"), self.tr("Shift+Enter")),
            FixedKey(self.tr("Bring back what was sent, in an empty field"), self.tr("Up")),
            FixedKey(self.tr("Stop the turn, in the message field"), self.tr("Escape twice")),
            FixedKey(self.tr("List the commands, in an empty field"), "/"),
            FixedKey(self.tr("Copy, paste, cut, undo, where one writes"), "Ctrl+C, V, X, Z", _EDITING),
            *(FixedKey(words, keys) for words, keys in chat_keys()),
            *(FixedKey(words, keys, ("Alt+O",) if "Alt+O" in keys else ()) for words, keys in review_keys()),
        ]  # fmt: skip

    def _in_chat(self, act: Callable[[], object]) -> Callable[[], None]:
        def go_and_act() -> None:
            self._places.go_to("chat")
            act()

        return go_and_act

    def _keeping(self, what: Keep) -> Callable[[], None]:
        def keep() -> None:
            if (session := self._chat.conversation.session) is not None:
                self._places.sidebar.sessions.keep_requested.emit(session, what)

        return keep

    def _way_to(self, place: str) -> Callable[[], None]:
        return partial(self._places.go_to, place)

    def _copy_chat(self) -> None:
        self._places.go_to("chat")
        self._chat.transcript.select_all()
        self._chat.transcript.copy(markdown=True)

    # ---- the palette ---------------------------------------------------------------------------------------------

    def toggle_palette(self) -> None:
        if self._palette is None:
            from placet.ui.models.palette import PaletteModel
            from placet.ui.panels.palette.palette import Palette

            model = PaletteModel(self._entries, lambda: self.actions.recent, self.actions.remember, self)
            self._palette = Palette(model, self._window, self._theme)
        self._palette.toggle()

    def _entries(self) -> Sequence[Entry]:
        from placet.ui.models.palette import Entry

        told = self._chat.conversation
        commands = [
            Entry(a.id, a.words, "", a.act, a.icon, self.actions.keys_of(a.id))
            for a in self.actions.all
            if a.id != "palette"
        ]
        typed = [
            Entry(
                f"/{each.name}", f"/{each.name}", self.tr("Slash"), self._begin_typing(each.name), "square-terminal",
                detail=each.description,
            )
            for each in self._bridge.hub.commands.known()
        ]  # fmt: skip
        models = [
            Entry(
                f"model {model.name}", self.tr("Use {}").format(model.name), self.tr("Model"),
                partial(told.choose_model, model.name), "server", detail=model.provider,
            )
            for model in self._catalogue.models
        ]  # fmt: skip
        agents = [
            Entry(
                f"agent {agent.id}", self.tr("Talk with {}").format(agent.id), self.tr("Agent"),
                partial(told.choose_agent, agent.id), "bot", detail=agent.friendly,
            )
            for agent in self._bridge.hub.agents.all()
            if agent.type is AgentType.CHAT
        ]  # fmt: skip
        return [*commands, *self._chats(), *agents, *models, *typed]

    def _chats(self) -> Sequence[Entry]:
        from placet.ui.models.palette import Entry

        rows: list[Session] = [self._sessions.index(row).data(ROW_ROLE) for row in range(self._sessions.rowCount())]
        return [
            Entry(
                f"chat {session.id}", " ".join(title_of(session).split()) or self.tr("New chat"), self.tr("Chat"),
                partial(self._places.open_session, session.id), "message-square",
                detail=session.context.workdir,
            )
            for session in rows
        ]  # fmt: skip

    def _begin_typing(self, command: str) -> Callable[[], None]:
        def begin() -> None:
            self._places.go_to("chat")
            written = self._chat.composer.field.toPlainText()  # what is written is what the command is about
            self._chat.composer.fill(f"/{command} {written}")

        return begin
