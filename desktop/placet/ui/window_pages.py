"""Pages that a start does not need: each is imported and made when it is first gone to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from placet.ui.bridge import Bridge
from placet.ui.models.conversation import Conversation
from placet.ui.models.sessions import SearchModel
from placet.ui.models.settings import CatalogueModel
from placet.ui.theme.theme import Theme
from placet.ui.window_appearance import Appearance

if TYPE_CHECKING:
    from placet.ui.models.actions import Actions
    from placet.ui.models.changes import ChangedFilesModel
    from placet.ui.panels.changes.page import ChangesPage
    from placet.ui.panels.first_start import FirstStart
    from placet.ui.panels.inbox.page import InboxPage
    from placet.ui.panels.sessions.detail_page import SessionDetail
    from placet.ui.panels.settings import SettingsPage
    from placet.ui.panels.sidebar.search_page import SearchPage
    from placet.ui.window_notifying import Notifying


class LatePages:
    """Search, settings, the Inbox, changes, the debug view and the first start; the attribute makes the page."""

    def __init__(
        self,
        bridge: Bridge,
        conversation: Conversation,
        catalogue: CatalogueModel,
        appearance: Appearance,
        actions: Callable[[], Actions],
        theme: Theme,
        notifying: Notifying,
    ) -> None:
        self._bridge, self._catalogue, self._appearance, self._theme = bridge, catalogue, appearance, theme
        self._conversation, self._actions = conversation, actions
        self.notifying = notifying

    @property
    def makers(self) -> Mapping[str, Callable[[], QWidget]]:
        """By the names of places."""
        return {
            "search": lambda: self.search,
            "settings": lambda: self.settings,
            "changes": lambda: self.changes,
            "inbox": lambda: self.inbox,
            "detail": lambda: self.detail,
        }

    @cached_property
    def search(self) -> SearchPage:
        from placet.ui.panels.sidebar.search_page import SearchPage

        return SearchPage(SearchModel(self._bridge, self._bridge), self._theme)

    @cached_property
    def settings(self) -> SettingsPage:
        from placet.ui.models.agents import AgentsModel
        from placet.ui.models.rules import RulesModel
        from placet.ui.panels.settings import SettingsPage

        agents = AgentsModel(self._bridge, self._conversation, self._bridge)
        rules = RulesModel(self._bridge, self._conversation, self._bridge)
        return SettingsPage(
            self._catalogue, agents, rules, self._appearance, self.notifying, self._actions(), self._theme
        )

    @cached_property
    def changes_model(self) -> ChangedFilesModel:
        from placet.ui.models.changes import ChangedFilesModel

        return ChangedFilesModel(self._bridge.hub.changes, self._bridge.scope, self._bridge)

    @cached_property
    def changes(self) -> ChangesPage:
        from placet.ui.models.changes import FileStory
        from placet.ui.models.undo import UndoModel
        from placet.ui.panels.changes.page import ChangesPage

        api, scope = self._bridge.hub.changes, self._bridge.scope
        story, undoing = FileStory(api, scope, self._bridge), UndoModel(api, scope, self._bridge)
        return ChangesPage(self.changes_model, story, undoing, self._theme)

    @cached_property
    def inbox(self) -> InboxPage:
        from placet.ui.models.inbox import InboxModel
        from placet.ui.panels.inbox.page import InboxPage

        bridge = self._bridge
        model = InboxModel(bridge.hub, bridge.scope, bridge)
        page = InboxPage(model, bridge.hub, bridge.scope, self._theme)
        bridge.fact_arrived.connect(page.handle)
        bridge.fact_arrived.connect(model.handle)
        bridge.reload_needed.connect(model.refresh)
        return page

    @cached_property
    def detail(self) -> SessionDetail:
        from placet.ui.models.session_detail import SessionDetailModel
        from placet.ui.panels.sessions.detail_page import SessionDetail

        model = SessionDetailModel(self._bridge.hub.history, self._bridge.scope, self._bridge)
        return SessionDetail(model, self._theme)

    @cached_property
    def first_start(self) -> FirstStart:
        from placet.ui.panels.first_start import FirstStart

        return FirstStart(self._catalogue, self._theme)
