"""The list of writes that wait together, and answers to many of them at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QLineEdit, QStackedWidget, QWidget

from placet.ui.models.batch import BatchModel, BatchState, Offer
from placet.ui.models.together import TogetherModel
from placet.ui.panels.inbox.batch_list import BatchList
from placet.ui.theme.theme import Theme
from placet.ui.widgets.arming import Arming
from placet.ui.widgets.controls import Button, Label, Segmented
from placet.ui.widgets.guard import AttentionGuard
from placet.ui.widgets.plane import Plane, column_of, row_of

_NOTHING = Offer((), ())


class BatchPanel(Plane):
    """Hidden unless several writes wait. `entered`: a person wants to read and decide the one that is chosen."""

    entered = Signal()

    def __init__(
        self, batch: BatchModel, together: TogetherModel, theme: Theme, now_ms: Callable[[], int] | None = None
    ) -> None:
        super().__init__(theme, lines="b")
        self.setObjectName("batchPanel")
        self.setAccessibleName(self.tr("Edits that wait together"))
        self._batch, self._together = batch, together
        self._arming, self._offer = Arming(AttentionGuard(now_ms)), _NOTHING
        self._asks = ""  # which second step is open: "all" or "reject"
        self.summary = Label("", theme, "text-2", 12, 500)
        self.progress = Label("", theme, "text-3", 12)
        self.view = Segmented(
            [(self.tr("Step by step"), "", "steps"), (self.tr("Together"), "", "together")], theme, 24
        )
        self.view.setAccessibleName(self.tr("Edits of one file"))
        self.list = BatchList(batch, theme)
        self.approve_seen = Button("", theme, height=24, pad=10)
        self.approve_all = Button("", theme, kind="ghost", height=24, pad=8, weight=400)
        self.reject_all = Button(self.tr("Reject all…"), theme, kind="ghost", height=24, pad=8, weight=400)
        self.question = Label("", theme, "warn-text", 12, 500)
        self.question.setWordWrap(True)
        self.confirm = Button("", theme, height=24, pad=10)
        self.back = Button(self.tr("Back"), theme, kind="ghost", height=24, pad=8, weight=400)
        self.note = QLineEdit()
        self.note.setAccessibleName(self.tr("Reason for rejecting, may be empty"))
        self.note.setPlaceholderText(self.tr("Why not? The model is told."))
        for button, name in (
            (self.approve_seen, "approveSeenButton"),
            (self.approve_all, "approveAllButton"),
            (self.reject_all, "rejectAllButton"),
            (self.confirm, "confirmAllButton"),
        ):
            button.setObjectName(name)
        self._lay_out()
        self._connect()
        self._show()

    def _lay_out(self) -> None:
        self._head, self._first, self._second = QWidget(), QWidget(), QWidget()
        self._head.setFixedHeight(36)
        row_of(self.summary, 10, self.progress, None, self.view, margins=(16, 0, 16, 0), parent=self._head)
        row_of(
            self.approve_seen, 6, self.approve_all, None, self.reject_all, margins=(16, 6, 12, 9), parent=self._first
        )
        answers = row_of(self.note, 8, self.confirm, 4, self.back, None)
        column_of(self.question, 6, answers, margins=(16, 6, 16, 9), parent=self._second)
        answers.setStretch(0, 1)
        self._foot = QStackedWidget()
        self._foot.addWidget(self._first)
        self._foot.addWidget(self._second)
        column_of(self._head, self.list, self._foot, margins=(0, 0, 0, 1), parent=self)

    def _connect(self) -> None:
        self._batch.changed.connect(self._show)
        self._together.changed.connect(self._show)
        self.list.entered.connect(self.entered)
        self.view.chosen.connect(self._choose_view)
        self._arming.watch(self.approve_seen, self._batch.approve_seen)
        self._arming.watch(self.approve_all, self._press_all)
        self._arming.watch(self.reject_all, lambda: self._ask("reject"))
        self._arming.watch(self.confirm, self._confirm)
        self.back.clicked.connect(self.go_back)
        self.note.returnPressed.connect(self.confirm.click)

    # ---- showing -------------------------------------------------------------------------------------------------

    def _show(self) -> None:
        batch = self._batch
        self.setVisible(batch.is_open)
        if not batch.is_open:
            self._asks, self._offer = "", _NOTHING
            return
        self.list.show_rows()
        files = len({row.request.path for row in batch.rows})
        count = len(batch.rows)
        self.summary.setText(
            self.tr("{} edits").format(count)
            if files == count
            else self.tr("{} edits in {} files").format(count, files)
            if files > 1
            else self.tr("{} edits of one file").format(count)
        )
        self.progress.setText(self._progress())
        self.view.setVisible(self._together.is_open or self._together.can_open())
        self.view.choose("together" if self._together.is_open else "steps")
        self._show_offer(batch.offer())

    def _progress(self) -> str:
        states = Counter(row.state for row in self._batch.rows)
        told = (
            (states[BatchState.SEEN], self.tr("{} looked at")),
            (states[BatchState.APPROVED], self.tr("{} approved")),
            (states[BatchState.REJECTED], self.tr("{} rejected")),
            (states[BatchState.WITHDRAWN], self.tr("{} withdrawn")),
            (states[BatchState.FAILED], self.tr("{} not answered")),
        )
        return ", ".join(words.format(number) for number, words in told if number)

    def _show_offer(self, offer: Offer) -> None:
        """What is offered is what waits now; when that changes, a second step that is open is about something else."""
        all_, unseen = len(offer.ids), len(offer.unseen)
        seen = all_ - unseen
        if self._asks and offer.ids != self._offer.ids and not offer.ids:
            self._asks = ""
        self._offer = offer
        self._arming.show(f"{self._asks} {offer.ids} {offer.unseen}" if self._asks else f"{sorted(self._batch.seen())}")
        self.approve_seen.setText(
            self.tr("Approve all {}").format(all_) if not unseen else self.tr("Approve the {} looked at").format(seen)
        )
        self.approve_seen.setEnabled(seen > 0)
        self.approve_all.setText(self.tr("Approve all {}…").format(all_))
        self.approve_all.setVisible(unseen > 0)
        self.reject_all.setEnabled(all_ > 0)
        for button in (self.approve_seen, self.approve_all):
            button.updateGeometry()
        self._show_second()

    def _show_second(self) -> None:
        all_, unseen = len(self._offer.ids), len(self._offer.unseen)
        page = self._second if self._asks else self._first
        self._foot.setCurrentWidget(page)
        self._foot.setFixedHeight(page.sizeHint().height())
        self.note.setVisible(self._asks == "reject")
        if self._asks == "reject":
            self.question.setText(self.tr("Reject all {} that wait? Nothing of them is written.").format(all_))
            self.confirm.setText(self.tr("Reject {}").format(all_))
        elif unseen:
            words = (
                self.tr("1 of {} was not looked at to its end.")
                if unseen == 1
                else self.tr("{} of {} were not looked at to their end.")
            )
            self.question.setText(words.format(*(all_,) if unseen == 1 else (unseen, all_)))
            self.confirm.setText(self.tr("Approve {}, {} of them unseen").format(all_, unseen))
        else:
            self.question.setText(self.tr("All {} were looked at.").format(all_))
            self.confirm.setText(self.tr("Approve {}").format(all_))
        self.confirm.updateGeometry()

    # ---- acting --------------------------------------------------------------------------------------------------

    def _choose_view(self, name: str) -> None:
        if name == "together":
            self._together.open()
        else:
            self._together.close()

    def _press_all(self) -> None:
        self._ask("all")

    def _ask(self, what: str) -> None:
        """Open the second step; its buttons are new, and for half a second they do nothing."""
        self._asks = what
        self.note.clear()
        self._show_offer(self._batch.offer())
        (self.note if what == "reject" else self.back).setFocus()

    def _confirm(self) -> None:
        asked, offer = self._asks, self._offer
        self.go_back()
        if asked == "reject":
            self._batch.reject(offer.ids, self.note.text())
        elif asked == "all":
            self._batch.approve_all(offer)

    @property
    def is_asking(self) -> bool:
        """Whether a second step is open."""
        return bool(self._asks)

    def go_back(self) -> None:
        """Close the second step; nothing is answered by that."""
        if self._asks:
            self._asks = ""
            self._show_offer(self._batch.offer())
            self.list.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter is never passed on to the pane, where it approves; Escape closes the second step."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            focused = QApplication.focusWidget()
            if isinstance(focused, QAbstractButton) and self.isAncestorOf(focused) and not event.isAutoRepeat():
                focused.click()
        elif event.key() == Qt.Key.Key_Escape and self.is_asking:
            self.go_back()
        else:
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        """Appearing counts as new."""
        super().showEvent(event)
        self._arming.renew()
