"""Completion of commands while one types: when the list opens, which keys are its own, and what taking a row does."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from placet.core.domain.commands import Completion
from placet.ui.panels.chat.message_field import MessageField
from placet.ui.theme.theme import Theme
from placet.ui.widgets.completion_list import CompletionList

_WIDEST = 620
_AIR = 6
_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_LEAVES = (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class Completer(QObject):
    """Opens only for what a person types, never for a text that was put back or recalled. `over` is what it stands above.

    It sees the field's keys while the list is open, and never while an input method is composing.
    """

    wanted = Signal(str)  # the beginning of a command; `show_for` brings how it may go on

    def __init__(self, field: MessageField, over: QWidget, theme: Theme) -> None:
        super().__init__(field)
        self._field, self._over, self._theme = field, over, theme
        self._list: CompletionList | None = None
        self._begun = ""
        self._items: Sequence[Completion] = ()
        self._refused: bool | None = None  # whether the person closed the list of names (False) or of arguments (True)
        field.edited.connect(self._on_edited)
        field.replaced.connect(self.close)

    @property
    def is_open(self) -> bool:
        return self._list is not None and not self._list.isHidden()

    def close(self) -> None:
        if self._list is not None and self.is_open:
            self._list.hide()
            self._field.removeEventFilter(self)

    def show_for(self, begun: str, items: Sequence[Completion]) -> None:
        """Show how `begun` may go on, if that is still what stands there."""
        if begun != self._begun or begun != self._field.before_caret() or not self._field.hasFocus():
            return
        if items:
            self._show(items)
        else:
            self.close()

    def _on_edited(self) -> None:
        begun = self._field.before_caret()
        self._begun = begun
        if not begun.startswith("/") or "\n" in begun:
            self._refused = None
            self.close()
        elif self._refused != _is_argument(begun):
            self._refused = None
            if self.is_open:
                self._narrow(begun)
            self.wanted.emit(begun)

    def _narrow(self, begun: str) -> None:
        """Until the answer comes, what is open must already fit what was typed: Enter may come first."""
        still = [item for item in self._items if item.typed.startswith(begun)]
        if still:
            self._show(still)
        else:
            self.close()

    def _show(self, items: Sequence[Completion]) -> None:
        host = self._over.window()
        if self._list is None:
            self._list = CompletionList(self.tr("Commands"), self._field, self._theme)
            self._list.taken.connect(self._take)
        if self._list.parentWidget() is not host:
            self._list.setParent(host)
        was_open = self.is_open
        self._items = items
        place = self._over.mapTo(host, QPoint())
        is_bare = _is_argument(self._begun) and self._begun.endswith(" ")  # Enter then sends what is there
        self._list.resize(min(self._over.width(), _WIDEST), self._list.height())
        self._list.show_items(items, -1 if is_bare else 0, room=place.y() - 2 * _AIR)
        self._list.move(place.x(), max(0, place.y() - _AIR - self._list.height()))
        if not was_open:
            self._list.show()
            self._field.installEventFilter(self)
        self._list.raise_()

    # ---- keys ----------------------------------------------------------------------------------------------------

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and not self._field.is_composing:
            return self._on_key(event)
        if event.type() in (QEvent.Type.FocusOut, QEvent.Type.Resize):
            self.close()
        return False

    def _on_key(self, event: QKeyEvent) -> bool:
        """Whether the key was the list's."""
        assert self._list is not None
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            return False
        key, current = event.key(), self._list.current
        if key in _STEPS:
            self._list.move_current(_STEPS[Qt.Key(key)])
        elif key == Qt.Key.Key_Tab:
            self._take(max(current, 0))
        elif key in _ENTER and current >= 0 and self._items[current].typed.rstrip() != self._begun.rstrip():
            self._take(current)
        elif key == Qt.Key.Key_Escape:
            self._refused = _is_argument(self._begun)
            self.close()
        else:
            if key in _LEAVES or key in _ENTER:
                self.close()
            return False
        return True

    def _take(self, index: int) -> None:
        typed = self._items[index].typed
        self.close()
        if self._begun != self._field.before_caret():
            return
        self._field.complete(typed)
        self._begun = self._field.before_caret()
        if typed.endswith(" "):
            self.wanted.emit(self._begun)


def _is_argument(begun: str) -> bool:
    return " " in begun
