"""Painted items as children that a screen reader can walk, read and press.

A view that paints its items implements `PaintedItems`, or has one that does as `painted_items`. Children are made when asked for, so ten thousand rows cost
nothing until somebody listens. A painted child can be read but not pressed: PySide6 (6.11) crashes as soon as Python
overrides `interface_cast`, so there is no action interface. What can be pressed stands beside the items as a few
real widgets, `item_widgets`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from PySide6.QtCore import QObject, QPoint, QRect
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAccessibleEvent, QAccessibleInterface
from PySide6.QtWidgets import QAccessibleWidget, QWidget


@runtime_checkable
class PaintedItems(Protocol):
    def item_count(self) -> int: ...

    def item_text(self, index: int) -> str:
        """What is there, not how it looks: the command, the hunk, the paragraph."""

    def item_rect(self, index: int) -> QRect:
        """On the screen; empty when scrolled away."""

    def item_checked(self, index: int) -> bool | None: ...

    def item_widgets(self) -> Sequence[QWidget]:
        """Real widgets that belong to the current item."""

    def item_current(self) -> int: ...


class _Item(QAccessibleInterface):
    def __init__(self, view: QWidget, items: PaintedItems, index: int) -> None:
        super().__init__()
        self._view, self._items, self._index = view, items, index

    def isValid(self) -> bool:
        return True

    def object(self) -> QObject | None:  # type: ignore[override]
        return None

    def parent(self) -> QAccessibleInterface:
        return QAccessible.queryAccessibleInterface(self._view)

    def child(self, index: int) -> QAccessibleInterface | None:  # type: ignore[override]
        return None

    def childCount(self) -> int:
        return 0

    def childAt(self, x: int, y: int) -> QAccessibleInterface | None:  # type: ignore[override]
        return None

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        return -1

    def role(self) -> QAccessible.Role:
        return QAccessible.Role.ListItem

    def rect(self) -> QRect:
        return self._items.item_rect(self._index)

    def state(self) -> QAccessible.State:
        state = QAccessible.State()
        checked = self._items.item_checked(self._index)
        state.focusable = state.selectable = True
        state.checkable = checked is not None
        state.checked = bool(checked)
        state.focused = self._view.hasFocus() and self._items.item_current() == self._index
        state.offscreen = self.rect().isEmpty()
        return state

    def text(self, kind: QAccessible.Text) -> str:
        return self._items.item_text(self._index) if kind == QAccessible.Text.Name else ""

    def setText(self, kind: QAccessible.Text, value: str) -> None: ...


class _List(QAccessibleWidget):
    def __init__(self, view: QWidget, items: PaintedItems) -> None:
        super().__init__(view, QAccessible.Role.List, view.accessibleName())
        self._view, self._items = view, items
        self._made: dict[int, _Item] = {}

    def childCount(self) -> int:
        return self._items.item_count() + len(self._items.item_widgets())

    def child(self, index: int) -> QAccessibleInterface | None:  # type: ignore[override]
        if not 0 <= index < self.childCount():
            return None
        if index >= self._items.item_count():
            return QAccessible.queryAccessibleInterface(self._items.item_widgets()[index - self._items.item_count()])
        if index not in self._made:
            self._made[index] = _Item(self._view, self._items, index)
            # Qt must own it, or an event about it finds no interface and AT-SPI gives it no path.
            QAccessible.registerAccessibleInterface(self._made[index])
        return self._made[index]

    def childAt(self, x: int, y: int) -> QAccessibleInterface | None:  # type: ignore[override]
        point = QPoint(x, y)
        rows = range(self._items.item_count())
        return next((self.child(row) for row in rows if self._items.item_rect(row).contains(point)), None)

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        if isinstance(widget := child.object(), QWidget):
            return self._items.item_count() + list(self._items.item_widgets()).index(widget)
        return next((index for index, item in self._made.items() if item is child), -1)

    def focusChild(self) -> QAccessibleInterface | None:  # type: ignore[override]
        return self.child(self._items.item_current()) if self._view.hasFocus() else None


_kept: list[object] = []  # Qt holds the factory and the interfaces by pointer; Python must not collect them


def install() -> None:
    """Before the first view is shown; a factory cannot be taken back."""

    def make(key: str, target: QObject) -> QAccessibleInterface | None:
        items = target if isinstance(target, PaintedItems) else getattr(target, "painted_items", None)
        if not isinstance(target, QWidget) or items is None:
            return None
        made = _List(target, items)
        _kept.append(made)
        return made

    _kept.append(make)
    QAccessible.installFactory(make)


def announce_current(view: QWidget, items: PaintedItems) -> None:
    """Tell a listening screen reader which item is meant now. Free when nobody listens."""
    if QAccessible.isActive():
        event = QAccessibleEvent(view, QAccessible.Event.Focus)
        event.setChild(items.item_current())
        QAccessible.updateAccessibility(event)


def announce(view: QWidget, words: str) -> None:
    """Say something to a listening screen reader; free when nobody listens."""
    if QAccessible.isActive():
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(view, words))


def viewport_rect(viewport: QWidget, x: float, y: float, width: float, height: float) -> QRect:
    """A painted rectangle in screen coordinates, cut to what can be seen."""
    seen = QRect(round(x), round(y), round(width), round(height)) & viewport.rect()
    return QRect(viewport.mapToGlobal(seen.topLeft()), seen.size()) if not seen.isEmpty() else QRect()
