"""The chat view: what a person does with a transcript. The window gives it a model and listens to its signals."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, Signal
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QHelpEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QToolTip, QWidget

from placet.ui.models.transcript import TranscriptModel
from placet.ui.models.transcript_rows import AnyRow, LedgerRow, NestedRow
from placet.ui.theme.theme import Theme
from placet.ui.widgets.accessible import announce, announce_current
from placet.ui.widgets.text.links import LinkKind, read_link
from placet.ui.widgets.transcript.jumping import cursor_row
from placet.ui.widgets.transcript.keys import handle_key
from placet.ui.widgets.transcript.menus import call_at, context_menu
from placet.ui.widgets.transcript.pointer import Pointer
from placet.ui.widgets.transcript.readable import ReadableSurface
from placet.ui.widgets.transcript.row_view import Action, ActionName
from placet.ui.widgets.transcript.selection import Selection

_ASKED = (ActionName.REVIEW, ActionName.ANSWER)


def waits_in(row: AnyRow, call_id: int) -> bool:
    """Whether this row has the call that waits, itself or as the one that its sub-agent waits with."""
    inner = row.inner if isinstance(row, NestedRow) else row
    calls = inner.calls if isinstance(inner, LedgerRow) else ()
    return any(call.call_id == call_id or (call.agent is not None and call.agent.waits == call_id) for call in calls)


class TranscriptView(ReadableSurface):
    """Shows a `TranscriptModel`. Links are only reported: `link_activated` for http, https and mailto,
    `file_link_activated` for paths; nothing is fetched and nothing opened here (`D-10`).
    """

    link_activated = Signal(str)
    file_link_activated = Signal(str)
    link_hovered = Signal(str)  # the real target, empty when the pointer leaves it
    review_requested = Signal(int)  # call id
    answer_requested = Signal(int)  # call id of a question
    stop_requested = Signal()
    undo_requested = Signal(int)  # change id
    redo_requested = Signal(int)  # id of the change that was undone
    undo_turn_requested = Signal(int)  # id of the message that began it
    undo_since_requested = Signal(int)  # id of a person's message
    told = Signal(str)  # what was done, in a few words
    proposal_wanted = Signal(int)  # a call id: `model.set_proposal` is to be told what it proposed
    proposal_opened = Signal(int)  # call id: the whole of it
    proposal_copied = Signal(
        int, bool, bool
    )  # call id; as it was written, else as proposed; a patch, else the new text
    take_up_requested = Signal(int)  # call id
    resume_requested = Signal()
    retry_requested = Signal(int)  # message id
    remedy_requested = Signal(str)  # a `Remedy`'s value

    def __init__(self, model: TranscriptModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(model, theme, parent)
        self._pointer = Pointer(self)
        self._target = ""

    # ---- what it shows -----------------------------------------------------------------------------------------

    def message_count(self) -> int:
        """User bubbles and assistant answers; an answer with tool calls counts as one, notes and errors do not."""
        return self.model.message_count()

    def plain_text(self, index: int) -> str:
        """The visible text of the message `index`, counted as by `message_count` from 0. Raises: IndexError."""
        return self.model.plain_text(index)

    def visible_text(self) -> str:
        """The text of the rows that can be seen now, a blank line between them."""
        return "\n\n".join(view.plain for _index, _y, view in self.column.visible())

    # ---- what it does ------------------------------------------------------------------------------------------

    def copy(self, *, markdown: bool = False, row: int | None = None) -> None:
        """Copy the selection as it is read, or as Markdown; without one the message of `row`, else the one one is at."""
        if not self.selection.is_empty:
            words = self.tr("Copied as Markdown") if markdown else self.tr("Copied")
            chosen = self.selection.text(markdown=markdown)
        else:
            words = self.tr("Message copied as Markdown") if markdown else self.tr("Message copied")
            chosen = self._message_text(row if row is not None else cursor_row(self), markdown=markdown)
        if chosen:
            QGuiApplication.clipboard().setText(chosen)
            self.told.emit(words)

    def _message_text(self, row: int | None, *, markdown: bool) -> str:
        rows = self.model.rows
        at = row if row is not None else len(rows) - 1
        whole = Selection(self.column)
        whole.rows(self.model.rows_of_entry(at))
        return whole.text(markdown=markdown)

    def select_all(self) -> None:
        self.selection.everything()
        self.viewport().update()

    def search(self, needle: str) -> int:
        """Mark every match, go to the last one, and say how many there are; nothing for an empty needle."""
        count = self.finder.search(needle)
        self.search_next(0)
        return count

    def search_next(self, step: int = 1) -> None:
        """Go to the next match, or with -1 to the previous one."""
        if (hit := self.finder.step(step)) is not None:
            self.show_row(hit.row)
        self.viewport().update()

    def show_call(self, call_id: int) -> bool:
        """Go to a call that waits for a person and put the ring on what opens it; False where none such is shown."""
        for index in reversed(range(len(self.model.rows))):
            if waits_in(self.model.rows[index], call_id):
                actions = self.column.view(index).actions
                wanted = next((each for each in actions if each.name in _ASKED and each.key == call_id), None)
                self.show_row(index)
                self.set_focus_action((index, wanted) if wanted is not None else None)
                return True
        return False

    def open_agent(self, call_id: int) -> bool:
        """Open what the sub-agent of this call does, unless it is open; False where the call is not shown."""
        for row in reversed(self.model.rows):
            inner = row.inner if isinstance(row, NestedRow) else row
            for call in inner.calls if isinstance(inner, LedgerRow) else ():
                if call.call_id == call_id and call.agent is not None:
                    if not call.agent.is_open:
                        self.model.toggle_agent(call_id)
                    return True
        return False

    def follow_link(self, href: str) -> None:
        """Report a link that was clicked; what may not be opened is not reported."""
        link = read_link(href)
        if link.kind is LinkKind.WEB:
            self.link_activated.emit(link.target)
        elif link.kind is LinkKind.FILE:
            self.file_link_activated.emit(link.target)

    def set_focus_action(self, focus: tuple[int, Action] | None) -> None:
        """Put the keyboard's ring round an action."""
        if focus != self.focus_action:
            self.focus_action = focus
            self.viewport().update()
            if focus is not None:
                announce(self, focus[1].label)

    def repaint_row(self, hover: tuple[int, Action] | None) -> None:
        if hover is not None:
            row = QRectF(0, hover[1].rect.top() - 2, self.context.width, hover[1].rect.height() + 4)
            self.viewport().update(self.rect_of(hover[0], row).toAlignedRect())

    def show_target(self, target: str) -> None:
        if target != self._target:
            self._target = target
            self.link_hovered.emit(target)

    # ---- events ------------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pointer.press(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._pointer.double_click(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._pointer.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._pointer.release(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._pointer.leave()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if handle_key(self, event):
            announce_current(self, self)
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, next: bool) -> bool:
        """Tab walks through the actions that can be seen, and leaves after the last."""
        seen = [(index, action) for index, _y, view in self.column.visible() for action in view.actions]
        at = seen.index(self.focus_action) if self.focus_action in seen else -1 if next else len(seen)
        at += 1 if next else -1
        if self.hasFocus() and 0 <= at < len(seen):
            self.set_focus_action(seen[at])
            return True
        self.set_focus_action(None)
        return super().focusNextPrevChild(next)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            tip = self._pointer.tip_at(event.pos().toPointF())
            QToolTip.showText(event.globalPos(), tip, self.viewport()) if tip else QToolTip.hideText()
            return True
        return bool(super().event(event))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_mouse = event.reason() == QContextMenuEvent.Reason.Mouse
        hit = self.row_at(event.pos().toPointF()) if by_mouse else None
        row = hit[0] if hit is not None else cursor_row(self)
        link = hit[1].link_at(hit[2]) if hit is not None else None
        call = call_at(self, row, hit[2].y() if hit is not None else None)
        context_menu(self, row, read_link(link).target if link else "", call).popup(event.globalPos())
