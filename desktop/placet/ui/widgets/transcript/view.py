"""The chat view: what a person does with a transcript. The window gives it a model and listens to its signals."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, Signal
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QHelpEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QToolTip, QWidget

from placet.ui.models.transcript import TranscriptModel
from placet.ui.models.transcript_rows import AnyRow, CallRow, LedgerRow, NestedRow
from placet.ui.theme.theme import Theme
from placet.ui.widgets.accessible import announce, announce_current
from placet.ui.widgets.text.links import LinkKind, read_link
from placet.ui.widgets.transcript.keys import handle_key
from placet.ui.widgets.transcript.ledger import fold_of
from placet.ui.widgets.transcript.menus import context_menu, undo_menu
from placet.ui.widgets.transcript.pointer import Pointer
from placet.ui.widgets.transcript.readable import ReadableSurface
from placet.ui.widgets.transcript.row_view import Action, ActionName

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

    def copy(self, *, markdown: bool = False) -> None:
        """Copy the selection as it is read, or as Markdown."""
        if chosen := self.selection.text(markdown=markdown):
            QGuiApplication.clipboard().setText(chosen)

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

    def perform(self, index: int, action: Action) -> None:
        """Do what a painted action stands for."""
        folds = self.context.folds
        match action.name:
            case ActionName.TOGGLE:
                self._toggle(index, str(action.key))
            case ActionName.UNFOLD:
                self.model.toggle_agent(int(action.key))
            case ActionName.SHOW_ALL:
                folds[str(action.key)] = True
                self.relayout(index)
            case ActionName.UNDO_TURN:
                at = self.rect_of(index, action.rect).bottomLeft().toPoint()
                undo_menu(self, index).popup(self.viewport().mapToGlobal(at))
            case ActionName.COPY:
                QGuiApplication.clipboard().setText(str(action.key))
                self.copied = action
                self.viewport().update()
            case _:
                self._request(action)

    def _toggle(self, index: int, fold: str) -> None:
        """Open or close; a call that proposed something opens when that is known."""
        is_open = not self.context.folds.get(fold, False)
        self.context.folds[fold] = is_open
        call = self._call_of(index, fold)
        if call is None or not call.has_proposal:
            self.relayout(index)
        elif is_open:
            self.proposal_wanted.emit(call.call_id)
        else:
            self.model.set_proposal(call.call_id, None)
            self.relayout(index)

    def _call_of(self, index: int, fold: str) -> CallRow | None:
        """The call that this fold is of, None for others."""
        row = self.model.rows[index]
        inner = row.inner if isinstance(row, NestedRow) else row
        calls = inner.calls if isinstance(inner, LedgerRow) else ()
        return next((call for call in calls if fold == fold_of(call)), None)

    def _request(self, action: Action) -> None:
        """Tell what was asked for; the window carries it out."""
        by_number = {
            ActionName.REVIEW: self.review_requested,
            ActionName.ANSWER: self.answer_requested,
            ActionName.UNDO: self.undo_requested,
            ActionName.REDO: self.redo_requested,
            ActionName.RETRY: self.retry_requested,
            ActionName.OPEN_PROPOSAL: self.proposal_opened,
            ActionName.TAKE_UP: self.take_up_requested,
        }
        match action.name:
            case ActionName.REMEDY:
                self.remedy_requested.emit(str(action.key))
            case ActionName.STOP:
                self.stop_requested.emit()
            case ActionName.RESUME:
                self.resume_requested.emit()
            case ActionName.COPY_PATCH | ActionName.COPY_NEW_TEXT:
                call_id, _, which = str(action.key).partition(" ")
                is_patch = action.name is ActionName.COPY_PATCH
                self.proposal_copied.emit(int(call_id), which == "written", is_patch)
                self.copied = action
                self.viewport().update()
            case name:
                by_number[name].emit(int(action.key))

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
        hit = self.row_at(event.pos().toPointF())
        row = self.focus_action[0] if self.focus_action is not None else hit[0] if hit else None
        link = hit[1].link_at(hit[2]) if hit else None
        context_menu(self, row, read_link(link).target if link else "").popup(event.globalPos())
