"""Where one writes: queue strip, text, and the row of controls below it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from placet.core.domain.errors import PlacetError
from placet.core.domain.messages import Mode
from placet.core.domain.model_calls import ContextInfo, Model
from placet.ui.panels.chat.completer import Completer
from placet.ui.panels.chat.message_field import MessageField
from placet.ui.panels.chat.queue_strip import QueueStrip
from placet.ui.theme.fonts import ui_font
from placet.ui.theme.paint import elided, frame, rounded
from placet.ui.theme.theme import Theme
from placet.ui.widgets.accessible import announce
from placet.ui.widgets.banner import Banner
from placet.ui.widgets.controls import Button, Gauge, IconButton, Segmented
from placet.ui.widgets.menu import Menu
from placet.ui.widgets.plane import column_of, row_of

_DIAL_BECOMES_MENU = 470  # px of the composer's own width


class ModelPicker(Button):
    """Which model answers. Without any it leads to the settings."""

    chosen = Signal(str)
    settings_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__("", theme, kind="ghost", tail="chevron-down", px=12, weight=500, pad=8)
        self.setObjectName("modelPicker")
        self._models: Sequence[Model] = ()
        self._current = ""
        self.clicked.connect(self._open)
        self.show_models((), "")

    def show_models(self, models: Sequence[Model], current: str) -> None:
        self._models, self._current = models, current
        name = current or self.tr("No model")
        self.setText(elided(name, ui_font(12, 500), 170))
        self.setAccessibleName(self.tr("Model: {}").format(name))
        self.setToolTip(self.tr("Which model answers"))
        self.updateGeometry()
        self.update()

    def _open(self) -> None:
        if not self._models:
            self.settings_requested.emit()
            return
        menu = Menu(self._theme, self)
        menu.add_head(self.tr("From the next turn on"))
        for model in self._models:
            name = model.name
            menu.add(name, lambda name=name: self.chosen.emit(name), checked=name == self._current, tail=model.provider)  # type: ignore[misc]
        menu.addSeparator()
        menu.add(self.tr("Providers and models…"), self.settings_requested.emit)
        menu.open_above(self)


class ModeDial(QWidget):
    """How much one wants to be asked. A row of segments, or a menu with the same words where there is no room."""

    chosen = Signal(object)  # a Mode

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("modeDial")
        self._theme = theme
        self._words = {
            Mode.ASK: (self.tr("Ask"), self.tr("Ask before every write and command")),
            Mode.ASK_ALL: (self.tr("Ask all"), self.tr("Ask before every call")),
            Mode.EDITS: (self.tr("Edits"), self.tr("Let edits pass, ask for the rest")),
            Mode.AUTO: (self.tr("Auto"), self.tr("Let everything pass that no rule denies")),
        }
        self._by_name = {name: mode for mode, (_, name) in self._words.items()}
        segments = [(label, "", name) for label, name in self._words.values()]
        self._track = Segmented(segments, theme, warned=self._words[Mode.AUTO][1])
        self._track.chosen.connect(lambda name: self.chosen.emit(self._by_name[name]))
        self._button = Button("", theme, kind="ghost", tail="chevron-down", px=12, weight=400, pad=8)
        self._button.clicked.connect(self._open)
        self._button.hide()
        row_of(self._track, self._button, parent=self)
        self.setAccessibleName(self.tr("How much to ask"))
        self.mode = Mode.ASK
        self.show_mode(Mode.ASK)

    def show_mode(self, mode: Mode) -> None:
        self.mode = mode
        label, name = self._words[mode]
        self._track.choose(name)
        self._button.setText(label)
        self._button.setAccessibleName(name)
        self._button.updateGeometry()

    def fold(self, folded: bool) -> None:
        self._track.setVisible(not folded)
        self._button.setVisible(folded)

    def take_focus(self) -> None:
        """Put the keyboard on the chosen segment; folded, open the menu."""
        if self._button.isVisible():
            self._open()
        else:
            self._track.take_focus()

    def track_width(self) -> int:
        return self._track.sizeHint().width()

    def _open(self) -> None:
        menu = Menu(self._theme, self)
        for mode, (label, name) in self._words.items():
            menu.add(label, lambda mode=mode: self.chosen.emit(mode), checked=mode is self.mode, tail=name)  # type: ignore[misc]
        menu.open_above(self)


class _Box(QWidget):
    """The outline round text and controls; accent while one writes, amber in mode Auto."""

    def __init__(self, field: MessageField, dial: ModeDial, theme: Theme) -> None:
        super().__init__()
        self._field, self._dial, self._theme = field, dial, theme
        field.focus_moved.connect(self.update)
        theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        p = QPainter(self)
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect())
        rounded(p, box, 8, self._theme.color("raised"))
        is_auto = self._dial.mode is Mode.AUTO
        role = "warn-line" if is_auto else "accent" if self._field.hasFocus() else "hairline-2"
        frame(p, box, 8, self._theme.color(role))


class Composer(QWidget):
    """Text and controls of one conversation. Knows no hub: it tells wishes and shows facts.

    Drafts are kept by session in `drafts`, which the window stores when it closes.
    """

    sent = Signal(str)  # as it was typed: a message or a command
    interrupted_with = Signal(str)  # stop the turn and send this at once
    stop_requested = Signal()
    take_back_requested = Signal(int)
    mode_chosen = Signal(object)
    model_chosen = Signal(str)
    settings_requested = Signal()
    hinted = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.drafts: dict[str, str] = {}
        self._session = ""
        self._is_running = False
        self.field = MessageField(theme)
        self.queue = QueueStrip(theme)
        self.picker = ModelPicker(theme)
        self.dial = ModeDial(theme)
        self.gauge = Gauge(0, 0, theme)
        self.gauge.setObjectName("contextGauge")
        self.gauge.hide()
        self.stop = Button(self.tr("Stop"), theme, icon="square", pad=9)
        self.stop.setObjectName("stopButton")
        self.stop.hide()
        self.interrupt = IconButton("corner-left-up", self.tr("Stop the turn and send at once (Ctrl+Enter)"), theme)
        self.interrupt.setObjectName("interruptButton")
        self.send = IconButton("arrow-up", self.tr("Send"), theme, kind="primary")
        self.send.setObjectName("sendButton")
        self._box = _Box(self.field, self.dial, theme)
        self.completer = Completer(self.field, self._box, theme)
        self.refusal = Banner(theme)
        self.refusal.setObjectName("composerRefusal")
        # 7 and 9: a fixed line height sets the text 1 px lower than half its leading.
        inner = (row_of(self.field, margins=(4, 0, 8, 0)), 9, self._controls())
        column_of(7, *inner, margins=(9, 3, 6, 9), parent=self._box)
        told = row_of(self.refusal, margins=(0, 0, 0, 8))
        column_of(told, row_of(self.queue, margins=(8, 0, 8, 0)), self._box, parent=self)
        self.setFocusProxy(self.field)
        self._connect()
        self._on_text_changed()

    def _controls(self) -> QHBoxLayout:
        return row_of(self.picker, 4, self.dial, None, self.gauge, 8, self.stop, 4, self.interrupt, 4, self.send)

    def _connect(self) -> None:
        self.field.sent.connect(self._send)
        self.field.sent_at_once.connect(self._interrupt)
        self.field.escaped.connect(self._on_escaped)
        self.field.textChanged.connect(self._on_text_changed)
        self.field.edited.connect(self.refusal.hide)
        self.send.clicked.connect(lambda: self._send(self.field.toPlainText()))
        self.interrupt.clicked.connect(lambda: self._interrupt(self.field.toPlainText()))
        self.stop.clicked.connect(self.stop_requested)
        self.queue.take_back_requested.connect(self.take_back_requested)
        self.dial.chosen.connect(self.mode_chosen)
        self.picker.chosen.connect(self.model_chosen)
        self.picker.settings_requested.connect(self.settings_requested)

    # ---- facts ---------------------------------------------------------------------------------------------------

    def show_session(self, session_id: str, sent: Sequence[str]) -> None:
        """Keep the draft of the session left, bring that of the session shown."""
        self.field.set_recall(sent)
        if session_id != self._session:
            self.drafts[self._session] = self.field.toPlainText()
            self._session = session_id
            self.field.replace(self.drafts.get(session_id, ""))
            self.field.document().clearUndoRedoStacks()
            self.refusal.hide()

    def keep_draft(self) -> dict[str, str]:
        """All drafts with the one being written."""
        self.drafts[self._session] = self.field.toPlainText()
        return self.drafts

    def show_running(self, running: bool) -> None:
        self._is_running = running
        self.stop.setVisible(running)
        self._on_text_changed()

    def show_mode(self, mode: Mode) -> None:
        self.dial.show_mode(mode)
        self._box.update()

    def show_context(self, info: ContextInfo) -> None:
        self.gauge.show_use(info.used, info.window)
        self.gauge.show()
        words = self.tr("{used} tokens used of {window}; {reserved} are kept for the answer.")
        told = words.format(used=f"{info.used:,}", window=f"{info.window:,}", reserved=f"{info.reserved:,}")
        if not info.window_known:
            told += " " + self.tr("The model's window is not known; this is a careful guess.")
        self.gauge.setToolTip(told)
        self.gauge.setAccessibleName(self.tr("Context: {}").format(told))

    def give_back(self, texts: Sequence[str]) -> None:
        """Put unsent messages before what is being written, so that nothing is lost (`H-6`)."""
        self.field.replace("\n\n".join(part for part in (*texts, self.field.toPlainText()) if part.strip()))

    def show_refusal(self, error: PlacetError) -> None:
        """Say above the field why a command was not carried out, until something else is typed."""
        self.refusal.show_error(error)
        announce(self.field, str(error))

    def fill(self, text: str) -> None:
        """Propose `text` without sending it."""
        self.field.replace(text)
        self.field.setFocus()

    # ---- wishes --------------------------------------------------------------------------------------------------

    def _send(self, text: str) -> None:
        if self._take(text):
            self.sent.emit(text)

    def _interrupt(self, text: str) -> None:
        """Without a turn to stop it is sent like any other."""
        if self._take(text):
            (self.interrupted_with if self._is_running else self.sent).emit(text)

    def _take(self, text: str) -> bool:
        """Empty the field of what is going to be sent; False where there is nothing."""
        if not text.strip():
            return False
        self.field.remember(text)
        self.field.empty()
        self.refusal.hide()
        return True

    def _on_escaped(self, twice: bool) -> None:
        if not self._is_running:
            return
        if twice:
            self.stop_requested.emit()
        else:
            self.hinted.emit(self.tr("Escape again stops the turn"))

    def _on_text_changed(self) -> None:
        has_text = bool(self.field.toPlainText().strip())
        self.send.setEnabled(has_text)
        self.interrupt.setVisible(has_text and self._is_running)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.dial.fold(self.width() < _DIAL_BECOMES_MENU)

    def minimumSizeHint(self) -> QSize:
        return QSize(260, super().minimumSizeHint().height())
