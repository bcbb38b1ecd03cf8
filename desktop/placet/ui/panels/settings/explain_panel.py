"""Explain a call: what would happen to a typed one, or why a past one was asked, allowed or denied (`R-16`)."""

from __future__ import annotations

import json
from collections.abc import Sequence

import msgspec
from PySide6.QtCore import QRectF, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from placet.core.domain.errors import PlacetError
from placet.core.domain.explaining import ExplainedCall, Explanation, RuleFit, TypedCall
from placet.core.domain.hidden import visible
from placet.core.domain.messages import Mode, RunContext, Session, ToolCall
from placet.ui.models.rules import RulesModel
from placet.ui.paths import from_home
from placet.ui.theme.fonts import mono_font
from placet.ui.theme.theme import Theme
from placet.ui.widgets import verdicts
from placet.ui.widgets.banner import Banner
from placet.ui.widgets.controls import Button, Label
from placet.ui.widgets.fields import Select, TextField
from placet.ui.widgets.menu import Menu
from placet.ui.widgets.plane import column_of, row_of
from placet.ui.widgets.rows import Card
from placet.ui.widgets.verdicts import VerdictTag

_SOON_MS = 200
_MOST_PAST = 15
_FIRST = ("edit_file", "write_file", "read_file", "execute_cmd")


class _Line(QWidget):
    """One fact: a mark, what it is about, and the words."""

    def __init__(self, mark: str, about: str, words: str, theme: Theme, *, mono: bool = False) -> None:
        super().__init__()
        self._mark, self._theme = mark, theme
        self.setAccessibleName(f"{about}: {words}")
        name = Label(visible(about), theme, "text-2", 12)
        name.setFixedWidth(160)
        said = Label(visible(words), theme, "text", 12, font=mono_font(12) if mono else None)
        said.setWordWrap(True)
        said.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        row = row_of(name, 8, said, margins=(20, 3, 0, 3), parent=self)
        row.setAlignment(name, Qt.AlignmentFlag.AlignTop)
        row.setStretchFactor(said, 1)

    def paintEvent(self, event: QPaintEvent) -> None:
        role = "text" if self._mark == "arrow-right" else "text-2"
        self._theme.draw_icon(QPainter(self), self._mark, QRectF(0, 3, 14, 16), role, 12)


class ExplainPanel(QWidget):
    """Judges what is typed shortly after each change, with the unsaved edit included."""

    def __init__(self, model: RulesModel, theme: Theme) -> None:
        super().__init__()
        self._model, self._theme = model, theme
        self._asked = 0
        self._past_id: int | None = None  # the stored call that is shown, until something else is typed
        self.tool = Select(self.tr("Tool"), [(name, name) for name in _FIRST], theme, mono=True)
        self.call = TextField(
            self.tr("Path, command or arguments"), hint=self.tr("a path, a command, or JSON"), mono=True
        )
        self.call.setObjectName("explainCall")
        self.chat = Select(self.tr("Chat"), [("", self.tr("a new chat"))], theme)
        self.past = Button(
            self.tr("Past calls"), theme, kind="ghost", tail="chevron-down", height=24, pad=8, weight=400
        )
        self.error = Banner(theme, closable=False)
        self.card = Card(theme)
        self.card.setObjectName("explanation")
        self.tag = VerdictTag(theme)
        self.title = Label("", theme, px=13, weight=500)
        self.title.setWordWrap(True)
        self.state = Label("", theme, "text-2", 12)
        self.recorded = Label("", theme, "text-2", 12)
        self.recorded.setWordWrap(True)
        self.lines: list[_Line] = []
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_SOON_MS)
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        self.tool.setFixedWidth(128)
        self.chat.setMinimumWidth(110)
        self.chat.setMaximumWidth(160)
        fields = row_of(self.tool, 8, self.call, 8, self.chat)
        fields.setStretchFactor(self.call, 3)
        fields.setStretchFactor(self.chat, 1)
        head = row_of(self.tag, 8, self.title, 12, self.state)
        head.setStretchFactor(self.title, 1)
        self._column: QBoxLayout = column_of()
        column_of(head, 4, self.recorded, 4, self._column, margins=(13, 11, 13, 11), parent=self.card)
        title = Label(self.tr("Explain a call"), self._theme, px=14, weight=600)
        column_of(row_of(title, None, self.past), 6, fields, 8, self.error, self.card, parent=self)
        self.card.hide()

    def _connect(self) -> None:
        self._soon.timeout.connect(self._judge)
        self.call.textEdited.connect(lambda _: self._type())
        self.call.returnPressed.connect(self._judge)
        self.tool.chosen.connect(lambda _: self._type())
        self.chat.chosen.connect(lambda _: self._type())
        self.past.clicked.connect(self._offer_past)
        self._model.changed.connect(self._on_changed)

    def _on_changed(self) -> None:
        known = [tool.name for tool in self._model.tools]
        names = [name for name in _FIRST if name in known] + sorted(set(known).difference(_FIRST))
        self.tool.offer([(name, name) for name in names])
        chats = [(session.id, session.title or self.tr("(no title)")) for session in self._model.sessions]
        self.chat.offer([("", self.tr("a new chat")), *chats])
        if self._past_id is not None:
            self.explain(self._past_id)
        else:
            self._soon.start()

    def _type(self) -> None:
        self._past_id = None
        self._soon.start()

    def _session(self) -> Session | None:
        return next((each for each in self._model.sessions if each.id == self.chat.key), None)

    def _context(self) -> RunContext:
        session = self._session()
        if session is not None:
            return session.context
        current = self._model.current_session
        return RunContext(workdir=current.context.workdir if current is not None else "", group=self._model.group)

    def _judge(self) -> None:
        self._soon.stop()
        self._past_id = None
        words = self.call.text().strip()
        self._asked += 1
        number = self._asked
        if not words:
            self.card.hide()
            self.error.hide()
            return
        session = self._session()
        typed = TypedCall(tool=self.tool.key, text=words, context=self._context())
        if session is not None:
            typed = msgspec.structs.replace(typed, session_id=session.id, agent=session.agent, source=session.source)
        self._model.judge(
            typed,
            lambda explanation: self._show(explanation, typed.context) if number == self._asked else None,
            lambda error: self._show_error(error) if number == self._asked else None,
        )

    # ---- past calls ----------------------------------------------------------------------------------------------

    def _offer_past(self) -> None:
        session = self._session() or self._model.current_session
        if session is not None:
            self._model.calls_of(session.id, self._open_past)

    def _open_past(self, calls: Sequence[ToolCall]) -> None:
        menu = Menu(self._theme, self)
        menu.add_head(
            self.tr("Why was this asked, allowed or denied?") if calls else self.tr("No calls in this chat yet")
        )
        for call in calls[:_MOST_PAST]:
            label = visible(f"{call.name}  {call.label}")
            label = label if len(label) <= 60 else label[:59] + "…"
            menu.add(label.replace("&", "&&"), lambda call=call: self.explain(call.id), tail=call.status.value)  # type: ignore[misc]
        menu.open_below(self.past)

    def explain(self, call_id: int) -> None:
        """Show why a stored call was decided as it was, and what would be decided today."""
        self._soon.stop()
        self._past_id = call_id
        self._asked += 1
        number = self._asked
        self._model.explain(
            call_id,
            lambda explained: self._show_past(explained) if number == self._asked else None,
            lambda error: self._show_error(error) if number == self._asked else None,
        )

    def _show_past(self, explained: ExplainedCall) -> None:
        call = explained.past.call
        self.call.setText(_readable(call))
        self.call.setCursorPosition(0)
        self.chat.choose(explained.past.session_id)
        if call.name in [tool.name for tool in self._model.tools]:
            self.tool.choose(call.name)
        if explained.explanation is None:
            words = self.tr("It cannot be judged any more.")
            self._show_error(PlacetError(words, hint=explained.trouble))
            return
        self._show(explained.explanation, explained.past.context)
        then = visible(explained.recorded) or self.tr("nothing yet")
        words = self.tr("Decided then: {}.").format(then)
        if explained.differs:
            words += " " + self.tr("Today it is another outcome:")
        self.recorded.setText(words)
        self.recorded.set_role("warn-text" if explained.differs else "text-2")
        self.recorded.show()

    # ---- the card ------------------------------------------------------------------------------------------------

    def _show_error(self, error: PlacetError) -> None:
        self.card.hide()
        self.error.show_error(error)

    def _show(self, explanation: Explanation, context: RunContext) -> None:
        self.error.hide()
        self.recorded.hide()
        self.tag.show_action(explanation.verdict.action)
        self.title.setText(self._title(explanation))
        self.state.setText(self._state(explanation, context))
        for line in self.lines:
            line.hide()
            line.deleteLater()
        self.lines = list(self._facts(explanation))
        for line in self.lines:
            self._column.addWidget(line)
        self.card.show()

    def _title(self, explanation: Explanation) -> str:
        if explanation.deciding is not None and explanation.verdict.rule_id == explanation.deciding.rule.id:
            rule = explanation.deciding.rule
            number = self.tr("Rule {}").format(rule.id)
            if explanation.verdict.because.startswith("rule "):
                return f"{number}, {rule.note}" if rule.note else number
        words = explanation.verdict.because
        return words[:1].upper() + words[1:]

    def _state(self, explanation: Explanation, context: RunContext) -> str:
        modes = {
            Mode.ASK: self.tr("mode Ask"), Mode.ASK_ALL: self.tr("mode Ask for everything"),
            Mode.EDITS: self.tr("mode Auto-accept edits"), Mode.AUTO: self.tr("mode Auto"),
        }  # fmt: skip
        group = "" if context.group == "default" else self.tr(", group {}").format(context.group)
        return modes[context.mode] + group

    def _facts(self, explanation: Explanation) -> list[_Line]:
        theme, lines = self._theme, []
        for fact in explanation.facts:
            is_path = fact.value.startswith("/")
            value = from_home(fact.value) if is_path else fact.value
            lines.append(_Line("check", fact.name, value, theme, mono=is_path))
        for command in explanation.commands if len(explanation.commands) > 1 else ():
            by = self.tr("rule {}").format(command.rule_id) if command.rule_id else self.tr("no rule fits")
            words = f"{verdicts.word(command.action)}, {by}"
            lines.append(_Line("corner-down-right", " ".join(command.words)[:60], words, theme))
        if explanation.deciding is not None:
            fit = explanation.deciding
            words = self.tr("{}, place {} of {}").format(_from_home(fit.why), fit.place, len(explanation.fits))
            lines.append(_Line("check", _name(fit), words, theme))
        lines += [_Line("x", _name(fit), _from_home(fit.why), theme) for fit in explanation.near]
        for fit in explanation.later:
            words = self.tr("fits too, but is asked later: {}").format(verdicts.word(fit.rule.action))
            lines.append(_Line("circle", _name(fit), words, theme))
        for numbers, kind in explanation.misses:
            lines.append(_Line("x", self.tr("For {}").format(kind), self.tr("rules {}").format(numbers), theme))
        for said in explanation.said[1:]:
            mark = "arrow-right" if said.decides else "circle"
            lines.append(_Line(mark, said.who, _from_home(said.what), theme))
        return lines


def _readable(call: ToolCall) -> str:
    """What a person would have typed for it: the command, the path, else the arguments as they are."""
    try:
        arguments = json.loads(call.arguments)
    except ValueError:
        return call.arguments
    named = arguments.get("command") or arguments.get("path") if isinstance(arguments, dict) else None
    return named if isinstance(named, str) else call.arguments


def _name(fit: RuleFit) -> str:
    return f"Rule {fit.rule.id}" + (f", {fit.rule.note}" if fit.rule.note else "")


def _from_home(words: str) -> str:
    """Paths with a tilde, wherever in the words they stand."""
    return " ".join(from_home(word) for word in words.split(" "))
