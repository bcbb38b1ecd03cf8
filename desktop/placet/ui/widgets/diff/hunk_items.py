"""What a screen reader finds in a diff: its hunks with their text and state, and buttons for the current one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QRect, Qt
from PySide6.QtGui import QAccessible, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QWidget

from placet.core.domain.diff import Sign
from placet.ui.widgets.accessible import announce_current, viewport_rect
from placet.ui.widgets.diff.heads import controls
from placet.ui.widgets.diff.visible import shown

if TYPE_CHECKING:
    from placet.ui.widgets.diff.view import DiffView

_tr = QCoreApplication.translate


class _Heard(QAbstractButton):
    """A button that is only heard: it gives a screen reader something to press where the control is painted."""

    def __init__(self, view: DiffView, control: str) -> None:
        super().__init__(view.viewport())
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(control)
        self.hide()
        self.clicked.connect(lambda: view.pressing.activate(view.current, control))

    def paintEvent(self, event: QPaintEvent) -> None: ...


class HunkItems:
    """The hunks of one view as items."""

    def __init__(self, view: DiffView) -> None:
        self._view = view
        self._buttons = {name: _Heard(view, name) for name in ("accept", "skip", "edit")}

    def announce(self) -> None:
        """The current hunk is another one, or is in another state. Free when nobody listens."""
        if QAccessible.isActive():
            self.place_buttons()
            announce_current(self._view, self)

    def place_buttons(self) -> None:
        """Put the heard buttons where the current hunk's are painted."""
        view = self._view
        head = next((head for hunk, head in view.heads() if hunk == view.current), None)
        parts = {part.name: part for part in controls(head, view.states, view.current)} if head is not None else {}
        for name, button in self._buttons.items():
            button.setVisible(name in parts)
            if name in parts:
                button.setGeometry(parts[name].rect.toRect())
                button.setAccessibleName(_tr("DiffView", "{}, hunk {}").format(parts[name].label, view.current + 1))

    def item_count(self) -> int:
        return len(self._view.diff.hunks)

    def item_text(self, index: int) -> str:
        """The change itself, without context, hidden characters by name (`D-8`)."""
        words = {Sign.REMOVED: _tr("DiffView", "removed"), Sign.ADDED: _tr("DiffView", "added")}
        layout, hunk, states = self._view.rows(), self._view.diff.hunks[index], self._view.states
        said = "; ".join(
            f"{words[line.sign]}: {layout.visible(number).plain.strip()}"
            for number, line in zip(layout.lines_of(index), hunk.lines, strict=True)
            if line.sign in words
        )
        facts = [shown(hunk.symbol)]
        facts += [_tr("DiffView", "skipped")] if states.is_skipped(index) else []
        facts += [_tr("DiffView", "looked at")] if index in states.seen else []
        facts += [_tr("DiffView", "changed since you looked")] if index in states.changed else []
        facts += [_tr("DiffView", "edited by you")] if index in self._view.own_hunks else []
        return _tr("DiffView", "Hunk {}, {}: {}").format(index + 1, ", ".join(facts), said)

    def item_rect(self, index: int) -> QRect:
        view = self._view
        top, bottom = view.rows().hunk_span(index)
        y = top - view.verticalScrollBar().value()
        return viewport_rect(view.viewport(), 0, y, view.viewport().width(), bottom - top)

    def item_checked(self, index: int) -> bool | None:
        states = self._view.states
        return not states.is_skipped(index) if states.can_choose else None

    def item_widgets(self) -> Sequence[QWidget]:
        return tuple(self._buttons.values())

    def item_current(self) -> int:
        return self._view.current
