"""Settings as a page of the window: sections at the left, the chosen one beside them."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QScrollArea, QStackedWidget, QWidget

from placet.ui.models.actions import Actions
from placet.ui.models.agents import AgentsModel
from placet.ui.models.rules import RulesModel
from placet.ui.models.settings import CatalogueModel
from placet.ui.panels.settings.agents_section import AgentsSection
from placet.ui.panels.settings.appearance_section import AppearanceSection
from placet.ui.panels.settings.notifications_section import NotificationsSection
from placet.ui.panels.settings.permissions_section import PermissionsSection
from placet.ui.panels.settings.providers_section import ProvidersSection
from placet.ui.panels.settings.shortcuts_section import ShortcutsSection
from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Label
from placet.ui.widgets.plane import Plane, column_of, row_of
from placet.ui.widgets.rows import PlaceRow
from placet.ui.window_appearance import Appearance
from placet.ui.window_notifying import Notifying

_PERMISSIONS = 2  # its place among the sections
_NAV_WIDTH = 196
_WIDEST = 948


class SettingsPage(Plane):
    """`left` when Escape is pressed: back to where one was."""

    left = Signal()

    def __init__(
        self,
        catalogue: CatalogueModel,
        agents: AgentsModel,
        rules: RulesModel,
        appearance: Appearance,
        notifying: Notifying,
        actions: Actions,
        theme: Theme,
    ) -> None:
        super().__init__(theme)
        self.setObjectName("settingsDialog")
        self.setAccessibleName(self.tr("Settings"))
        self.providers = ProvidersSection(catalogue, theme)
        self.appearance = AppearanceSection(appearance, theme)
        self.agents = AgentsSection(agents, catalogue, theme)
        self.permissions = PermissionsSection(rules, theme)
        self.shortcuts = ShortcutsSection(actions, theme)
        self.notifications = NotificationsSection(notifying, theme)
        sections: list[tuple[str, str, QWidget]] = [
            (self.tr("Providers and models"), "server", self.providers),
            (self.tr("Appearance"), "sun-moon", self.appearance),
            (self.tr("Permissions"), "shield", self.permissions),
            (self.tr("Agents"), "bot", self.agents),
            (self.tr("Shortcuts"), "keyboard", self.shortcuts),
            (self.tr("Notifications"), "bell", self.notifications),
        ]
        self._stack = QStackedWidget()
        self._rows: list[PlaceRow] = []
        group = QButtonGroup(self)
        nav = Plane(theme, "r")
        nav.setFixedWidth(_NAV_WIDTH)
        for index, (words, icon, section) in enumerate(sections):
            row = PlaceRow(words, icon, theme, ground="pane")
            row.setCheckable(True)
            row.setChecked(index == 0)
            row.clicked.connect(lambda _=False, at=index: self._stack.setCurrentIndex(at))
            group.addButton(row)
            self._rows.append(row)
            self._stack.addWidget(_scrolled(section, words, theme))
        title = Label(self.tr("Settings"), theme, px=14, weight=600)
        title.setContentsMargins(8, 0, 0, 0)
        column_of(title, 14, *self._rows, None, margins=(8, 16, 9, 8), parent=nav)
        body = row_of(nav, self._stack, parent=self)
        body.setStretchFactor(self._stack, 1)

    def show_section(self, index: int) -> None:
        """0 providers and models, 1 appearance, 2 permissions, 3 agents, 4 shortcuts, 5 notifications."""
        self._rows[index].setChecked(True)
        self._stack.setCurrentIndex(index)

    def explain_call(self, call_id: int) -> None:
        """Show why a stored call was decided as it was (`R-16`)."""
        self.show_section(_PERMISSIONS)
        self.permissions.explain.explain(call_id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)


def _scrolled(section: QWidget, words: str, theme: Theme) -> QScrollArea:
    ground = Plane(theme)
    section.setMaximumWidth(_WIDEST)
    inner = row_of(section, margins=(32, 20, 32, 24), parent=ground)
    inner.setStretch(0, 1)
    area = QScrollArea()
    area.setAccessibleName(words)
    area.setWidget(ground)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    return area
