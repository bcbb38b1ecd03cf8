"""Which keys do what, and changing them (`D-7`)."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QWidget

from placet.ui.models.actions import Action, Actions, FixedKey, Refusal, spoken
from placet.ui.panels.settings.key_button import KeyButton
from placet.ui.theme.fonts import ui_font
from placet.ui.theme.paint import frame, hairline, rounded, text, text_width
from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Button, IconButton, Label
from placet.ui.widgets.fields import SearchField
from placet.ui.widgets.plane import column_of, row_of

_ROW = 34


class _Row(QWidget):
    """A line under it, and room for one line of words."""

    def __init__(self, words: str, theme: Theme) -> None:
        super().__init__()
        self.words, self._theme = words, theme
        theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        hairline(QPainter(self), 0, self.height() - 1, self.width(), self._theme.color("hairline"))


class _ActionRow(_Row):
    """What an action is called, its keys, and a way back to the default ones."""

    def __init__(self, action: Action, actions: Actions, theme: Theme) -> None:
        super().__init__(action.words, theme)
        self._action, self._actions = action, actions
        self._struck = ""
        self.keys = KeyButton(action.words, theme)
        self.keys.setObjectName(f"keys-{action.id}")
        self.reset = IconButton("undo-2", self.tr("Back to the default keys: {}").format(action.words), theme, size=24)
        self.reset.setObjectName(f"reset-{action.id}")
        self.take = Button(self.tr("Take it from there"), theme, height=24, pad=8, weight=400)
        self.take.setObjectName(f"take-{action.id}")
        self.note = Label("", theme, "warn-text", 12)
        self.note.setWordWrap(True)
        places = self.reset.sizePolicy()
        places.setRetainSizeWhenHidden(True)  # a row keeps its columns
        self.reset.setSizePolicy(places)
        line = row_of(Label(action.words, theme), None, self.keys, 4, self.reset, margins=(2, 4, 0, 5))
        self._below = QWidget()
        below = row_of(self.note, 12, self.take, margins=(2, 0, 28, 8), parent=self._below)
        below.setStretchFactor(self.note, 1)
        column_of(line, self._below, parent=self)
        self.keys.struck.connect(self._on_struck)
        self.reset.clicked.connect(lambda: actions.reset(action.id))
        self.take.clicked.connect(lambda: actions.choose(action.id, self._struck))
        actions.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        self.keys.show_keys(self._actions.keys_of(self._action.id))
        self.reset.setVisible(self._actions.is_changed(self._action.id))
        self._below.hide()

    def _on_struck(self, keys: str) -> None:
        """Take the keys if they are free; else say who has them, and offer to take them from there."""
        self._show()
        self._struck = keys
        refusal, other = (self._actions.refusal(keys), self._actions.user_of(keys)) if keys else (None, None)
        if refusal is not None:
            self._tell(self._why_not(keys, refusal))
        elif other is not None and other.id != self._action.id:
            self._tell(self.tr("{} is already: {}").format(spoken(keys), other.words))
            self.take.setAccessibleName(self.tr("Take {} from: {}").format(spoken(keys), other.words))
            self.take.show()
        else:
            self._actions.choose(self._action.id, keys)

    def _why_not(self, keys: str, refusal: Refusal) -> str:
        if refusal is Refusal.TYPED:
            words = self.tr("{} would be typed into the message. Choose keys with Ctrl or Alt, or a function key.")
            return words.format(spoken(keys))
        fixed = self._actions.fixed_user_of(keys)
        words = self.tr("{} is always: {}. Choose other keys.")
        return words.format(spoken(keys), fixed.words if fixed is not None else "")

    def _tell(self, words: str) -> None:
        self.note.setText(words)
        self.take.hide()
        self._below.show()


class _FixedRow(_Row):
    def __init__(self, fixed: FixedKey, theme: Theme) -> None:
        super().__init__(fixed.words, theme)
        self._keys = fixed.keys
        self.setFixedHeight(_ROW)
        self.setAccessibleName(f"{fixed.words}: {fixed.keys}")

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        p = QPainter(self)
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = self._theme
        text(p, 2, 0, _ROW, self.words, ui_font(13), theme.color("text"))
        width = text_width(self._keys, ui_font(12)) + 18
        box = QRectF(self.width() - 28 - width, 5, width, 24)
        rounded(p, box, 4, theme.color("bg"))
        frame(p, box, 4, theme.color("hairline"))
        text(p, box.left() + 9, 5, 24, self._keys, ui_font(12), theme.color("text-2"))


class ShortcutsSection(QWidget):
    """All actions with their keys, which can be pressed anew, and below them the keys that are always the same."""

    def __init__(self, actions: Actions, theme: Theme) -> None:
        super().__init__()
        self._actions = actions
        self.filter = SearchField(self.tr("Filter shortcuts"), self.tr("Filter by words or keys"), theme)
        self.reset_all = Button(self.tr("Reset all"), theme)
        self.reset_all.setObjectName("resetAllKeys")
        self._own: list[_Row] = [_ActionRow(action, actions, theme) for action in actions.all]
        self._fixed: list[_Row] = [_FixedRow(fixed, theme) for fixed in actions.fixed]
        title = Label(self.tr("Shortcuts"), theme, px=20, weight=600)
        words = self.tr("Press a key field, then the keys you want. Backspace removes them.")
        self._own_head = self._head(self.tr("Anywhere in the window"), theme)
        self._fixed_head = self._head(self.tr("Always the same, where they are used"), theme)
        top = row_of(self.filter, 8, self.reset_all)
        column_of(
            title, 4, Label(words, theme, "text-2"), 14, top, 16, self._own_head, 4, *self._own, 20, self._fixed_head, 4,
            *self._fixed, None, parent=self,
        )  # fmt: skip
        self.filter.textChanged.connect(self._filter)
        self.reset_all.clicked.connect(actions.reset_all)
        actions.changed.connect(self._show)
        self._show()

    def _head(self, words: str, theme: Theme) -> QLabel:
        return Label(words, theme, "text-2", 11, 500)

    def _show(self) -> None:
        self.reset_all.setEnabled(self._actions.has_changes)

    def _filter(self, typed: str) -> None:
        wanted = typed.casefold().strip()
        own = zip(self._own, self._actions.all, strict=True)
        for row, action in own:
            keys = spoken(self._actions.keys_of(action.id))
            row.setVisible(wanted in f"{row.words} {keys}".casefold())
        for row, fixed in zip(self._fixed, self._actions.fixed, strict=True):
            row.setVisible(wanted in f"{row.words} {fixed.keys}".casefold())
        self._own_head.setVisible(any(not row.isHidden() for row in self._own))
        self._fixed_head.setVisible(any(not row.isHidden() for row in self._fixed))
