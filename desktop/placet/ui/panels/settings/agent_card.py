"""One agent: a line that says what it is, and below it, when opened, where it is from and what it runs on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QRectF, QSize, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QGridLayout, QSizePolicy

from placet.core.domain.agents import Agent, AgentType
from placet.ui.paths import from_home
from placet.ui.theme.fonts import mono_font, ui_font
from placet.ui.theme.paint import elided, frame, hairline, rounded, text, text_width
from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Button, Label
from placet.ui.widgets.plane import Plane, column_of, row_of

_LINE = 57
_NAMES = 76


def title_of(agent: Agent) -> str:
    """The id as a name: `code-explorer` is "Code explorer"."""
    return agent.id.replace("-", " ").capitalize()


class _Line(QAbstractButton):
    """Chevron, name, a tag for own ones, a sentence; at the right whether it answers now. Checked: open."""

    def __init__(self, agent: Agent, theme: Theme, *, is_current: bool) -> None:
        super().__init__()
        self._agent, self._theme = agent, theme
        self._tag = self.tr("own") if agent.own else ""
        self._state = self.tr("answers in this chat") if is_current else ""
        self.setText(title_of(agent))
        words = (self.text(), self._tag, agent.friendly, self._state)
        self.setAccessibleName(", ".join(word for word in words if word))
        self.setCheckable(True)
        self.setFixedHeight(_LINE)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(400, _LINE)

    def paintEvent(self, event: QPaintEvent) -> None:
        p = QPainter(self)
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        box, theme = QRectF(self.rect()), self._theme
        if self.underMouse():
            rounded(p, box.adjusted(1, 1, -1, -1), 7, theme.color("hover"))
        icon = "chevron-down" if self.isChecked() else "chevron-right"
        theme.draw_icon(p, icon, QRectF(12, 0, 14, _LINE), "text-2", 14)
        right = box.width() - 14
        if self._state:
            right -= text(p, right, 0, _LINE, self._state, ui_font(12), theme.color("text-2"), right=True) + 20
            theme.draw_icon(p, "circle-check", QRectF(right, 0, 14, _LINE), "text-2", 14)
            right -= 16
        room = right - 38 - (text_width(self._tag, ui_font(11)) + 24 if self._tag else 0)
        name = elided(self.text(), ui_font(13, 500), room)
        x = 38 + text(p, 38, 10, 20, name, ui_font(13, 500), theme.color("text"))
        if self._tag:
            tag = QRectF(x + 9, 11, text_width(self._tag, ui_font(11)) + 14, 18)
            rounded(p, tag, 4, theme.color("surface"))
            frame(p, tag, 4, theme.color("hairline"))
            text(p, tag.left() + 7, 11, 18, self._tag, ui_font(11), theme.color("text-2"))
        sentence = elided(self._agent.friendly, ui_font(12), right - 38)
        text(p, 38, 30, 18, sentence, ui_font(12), theme.color("text-2"))


class AgentCard(Plane):
    """Line and facts. `folder` is where an own agent's files are."""

    used = Signal(str)  # the agent's id: it shall answer in the chat

    def __init__(
        self, agent: Agent, theme: Theme, *, folder: Path, model: str, is_current: bool, is_first: bool
    ) -> None:
        super().__init__(theme, fill="bg")
        self.setObjectName(f"agent-{agent.id}")
        self.agent, self._folder, self._is_first = agent, folder, is_first
        self.line = _Line(agent, theme, is_current=is_current)
        self.open = Button(self.tr("Open folder"), theme, icon="folder-open")
        self.use = Button(self.tr("Use in this chat"), theme)
        buttons = ((self.open, agent.own), (self.use, agent.type is AgentType.CHAT and not is_current))
        self.facts = self._facts_about(agent, model)
        self.body = self._make_body([button for button, is_of_use in buttons if is_of_use])
        column_of(self.line, self.body, parent=self)
        self.body.hide()
        self.line.toggled.connect(self.body.setVisible)
        self.use.clicked.connect(lambda: self.used.emit(agent.id))
        self.open.clicked.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))))

    def _facts_about(self, agent: Agent, model: str) -> list[tuple[str, str]]:
        kinds = {
            AgentType.CHAT: self.tr("Talks with you in a chat"),
            AgentType.TASK: self.tr("Takes tasks from other agents"),
            AgentType.SYSTEM: self.tr("Works in the background"),
        }
        origin = from_home(str(self._folder)) if agent.own else self.tr("Comes with Placet")
        facts = [(self.tr("Id"), agent.id), (self.tr("Kind"), kinds[agent.type]), (self.tr("From"), origin)]
        facts.append((self.tr("Model"), model))
        if agent.type is AgentType.TASK and agent.description:
            facts.append((self.tr("Chosen for"), agent.description))
        if agent.memory:
            facts.append((self.tr("Begins with"), self.tr("its notes in {}").format(", ".join(agent.memory))))
        return facts

    def _make_body(self, buttons: Sequence[Button]) -> Plane:
        body = Plane(self._theme, "t", "surface")
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(6)
        grid.setColumnMinimumWidth(0, _NAMES)
        grid.setColumnStretch(1, 1)
        for row, (name, value) in enumerate(self.facts):
            is_code = row == 0 or (row == 2 and self.agent.own)  # id and folder
            said = Label(value, self._theme, px=13, font=mono_font(12) if is_code else None)
            said.setWordWrap(True)
            said.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            grid.addWidget(Label(name, self._theme, "text-2", 12), row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(said, row, 1)
        column = column_of(grid, margins=(38, 12, 14, 12), parent=body)
        if buttons:
            column.addSpacing(10)
            column.addLayout(row_of(None, *(part for button in buttons for part in (8, button))))
        return body

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._is_first:
            hairline(QPainter(self), 0, 0, self.width(), self._theme.color("hairline"))
