"""Agents: who answers, who can be given work, and what is wrong with a person's own ones."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QUrl
from PySide6.QtGui import QDesktopServices, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from placet.core.domain.agents import Agent, AgentType
from placet.ui.models.agents import AgentsModel
from placet.ui.models.settings import CatalogueModel
from placet.ui.panels.settings.agent_card import AgentCard
from placet.ui.paths import from_home
from placet.ui.theme.theme import Theme
from placet.ui.widgets.banner import Banner
from placet.ui.widgets.controls import Button, Label
from placet.ui.widgets.plane import column_of, row_of
from placet.ui.widgets.rows import Card


class AgentsSection(QWidget):
    """Looks at the files again when it is shown and when one comes back to the window. Open cards stay open."""

    def __init__(self, agents: AgentsModel, catalogue: CatalogueModel, theme: Theme) -> None:
        super().__init__()
        self._agents, self._catalogue, self._theme = agents, catalogue, theme
        self.cards: dict[str, AgentCard] = {}
        self.problems = Banner(theme, closable=False)
        self.problems.setObjectName("agentProblems")
        self.open = Button(self.tr("Open folder"), theme, icon="folder-open")
        self.open.setToolTip(self.tr("The folder of your own agents"))
        self._groups = {
            AgentType.CHAT: (self.tr("In a chat"), Card(theme)),
            AgentType.TASK: (self.tr("For tasks"), Card(theme)),
            AgentType.SYSTEM: (self.tr("In the background"), Card(theme)),
        }
        self._lay_out()
        self.open.clicked.connect(self._open_folder)
        agents.changed.connect(self._show)
        catalogue.changed.connect(self._show)
        self._show()

    def _lay_out(self) -> None:
        words = self.tr("Your own agents are folders in {}; one with the id of a shipped agent replaces it.")
        sentence = Label(words.format(from_home(str(self._agents.folder))), self._theme, "text-2", 13)
        sentence.setWordWrap(True)
        head = row_of(column_of(Label(self.tr("Agents"), self._theme, px=20, weight=600), 4, sentence), 16, self.open)
        head.setStretch(0, 1)
        column = column_of(head, 14, self.problems, parent=self)
        self._columns: dict[AgentType, QVBoxLayout] = {}
        for kind, (title, card) in self._groups.items():
            self._columns[kind] = column_of(margins=(1, 1, 1, 1), parent=card)
            column.addSpacing(16)
            column.addWidget(Label(title, self._theme, px=14, weight=600))
            column.addSpacing(8)
            column.addWidget(card)
        column.addStretch(1)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._agents.reload()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and self.isVisible() and self.isActiveWindow():
            self._agents.reload()

    def _open_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._agents.folder)))

    def _show(self) -> None:
        self._show_problems()
        opened = {agent_id for agent_id, card in self.cards.items() if card.line.isChecked()}
        self.cards = {}
        for kind, column in self._columns.items():
            while (item := column.takeAt(0)) is not None:
                if (old := item.widget()) is not None:
                    old.hide()
                    old.deleteLater()
            for agent in self._agents.of_type(kind):
                card = self._card(agent, is_first=column.count() == 0)
                card.line.setChecked(agent.id in opened)
                column.addWidget(card)
            if column.count() == 0:
                none = Label(self.tr("None"), self._theme, "text-2", 13)
                none.setContentsMargins(14, 12, 14, 12)
                column.addWidget(none)

    def _card(self, agent: Agent, *, is_first: bool) -> AgentCard:
        card = AgentCard(
            agent,
            self._theme,
            folder=self._agents.folder_of(agent),
            model=self._model_of(agent),
            is_current=agent.id == self._agents.current,
            is_first=is_first,
        )
        card.used.connect(self._agents.use)
        self.cards[agent.id] = card
        return card

    def _model_of(self, agent: Agent) -> str:
        """What an agent runs on, in words."""
        chats = self.tr("the chat's model")
        if agent.model:
            is_there = not self._catalogue.is_loaded or self._catalogue.model(agent.model) is not None
            return agent.model if is_there else self.tr("{}, which is not configured").format(agent.model)
        if agent.strength is None and not agent.scope:
            return chats[:1].upper() + chats[1:]
        strengths = {
            None: self.tr("a model"),
            "very_low": self.tr("a very small model"),
            "low": self.tr("a small model"),
            "average": self.tr("an average model"),
            "high": self.tr("a strong model"),
            "very_high": self.tr("a very strong model"),
        }
        wanted = strengths[agent.strength]
        if agent.scope:
            wanted = self.tr("{} for {}").format(wanted, agent.scope)
        return self.tr("Prefers {}, else {}").format(wanted, chats)

    def _show_problems(self) -> None:
        found = self._agents.problems
        if found:
            one, many = self.tr("One of your agents has a problem."), self.tr("Your agents have problems.")
            self.problems.show_words("warn", one if len(found) == 1 else many, "\n".join(found))
        else:
            self.problems.hide()
