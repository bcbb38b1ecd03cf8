"""The list of writes that wait together, and answers to many of them at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QLineEdit, QStackedWidget, QWidget

from placet.ui.models.batch import BatchModel, BatchState, Offer
from placet.ui.models.together import TogetherModel
from placet.ui.panels.inbox.batch_list import BatchList
from placet.ui.theme.theme import Theme
from placet.ui.widgets.arming import Arming
from placet.ui.widgets.controls import Button, Label, Segmented
from placet.ui.widgets.guard import AttentionGuard
from placet.ui.widgets.plane import Plane, column_of, row_of

_ROOMY = 480  # px; below it words are fewer
_NOTHING = Offer((), ())


class BatchPanel(Plane):
    """Hidden unless several writes wait. `entered`: a person wants to read and decide the one that is chosen."""

    entered = Signal()

    def __init__(
        self,
        batch: BatchModel,
        together: TogetherModel,
        theme: Theme,
        now_ms: Callable[[], int] | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(theme, lines="b", parent=parent)
        self.setObjectName("batchPanel")
        self.setAccessibleName(self.tr("Edits that wait together"))
        self._batch, self._together, self._theme = batch, together, theme
        self._arming, self._offer = Arming(AttentionGuard(now_ms)), _NOTHING
        self._asks = ""  # which second step is open: "all" or "reject"
        self.summary = Label("", theme, "text-2", 12, 500)
        self.progress = Label("", theme, "text-3", 12)
        self.view = Segmented([(self.tr("Steps"), "", "steps"), (self.tr("Together"), "", "together")], theme, 24)
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
        bulk = (self.approve_seen, 6, self.approve_all, None, self.reject_all)
        row_of(*bulk, margins=(16, 0, 8, 0), parent=self._first)
        asked = row_of(self.question, self.note, 8, self.confirm, 4, self.back, parent=self._second)
        asked.setContentsMargins(16, 0, 8, 0)
        asked.setStretch(0, 1)
        asked.setStretch(1, 1)
        self._foot = QStackedWidget()
        self._foot.addWidget(self._first)
        self._foot.addWidget(self._second)
        foot = Plane(self._theme, lines="t", height=42)
        column_of(self._foot, margins=(0, 1, 0, 0), parent=foot)
        column_of(self._head, self.list, foot, margins=(0, 0, 0, 1), parent=self)

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

    @property
    def _is_narrow(self) -> bool:
        return self.width() < _ROOMY

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if (event.oldSize().width() < _ROOMY) is not self._is_narrow:
            self._show()

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
        words = self.tr("{} edits of one file") if files == 1 else self.tr("{} edits in {} files")
        words = self.tr("{} edits") if files == count or self._is_narrow else words
        self.summary.setText(words.format(count, files))
        self.progress.setText(self._progress())
        self.view.setVisible(self._together.is_open or self._together.can_open())
        self.view.choose("together" if self._together.is_open else "steps")
        self._show_offer(batch.offer())

    def _progress(self) -> str:
        states = Counter(row.state for row in self._batch.rows)
        waiting, seen = len(self._batch.waiting()), len(self._batch.seen())
        looked = self.tr("{} of {} looked at").format(seen, waiting) if waiting else ""
        told = (
            (states[BatchState.APPROVED], self.tr("{} approved")),
            (states[BatchState.REJECTED], self.tr("{} rejected")),
            (states[BatchState.WITHDRAWN], self.tr("{} withdrawn")),
            (states[BatchState.FAILED], self.tr("{} not answered")),
        )
        return ", ".join(filter(None, (looked, *(words.format(number) for number, words in told if number))))

    def _show_offer(self, offer: Offer) -> None:
        """What is offered is what waits now; when that changes, a second step that is open is about something else."""
        all_, unseen = len(offer.ids), len(offer.unseen)
        seen = all_ - unseen
        if self._asks and offer.ids != self._offer.ids and not offer.ids:
            self._asks = ""
        self._offer = offer
        self._arming.show(f"{self._asks} {offer.ids} {offer.unseen}" if self._asks else f"{sorted(self._batch.seen())}")
        words = self.tr("Approve all {}") if not unseen else self.tr("Approve {} looked at")
        self.approve_seen.setText(words.format(seen) if seen else self.tr("Approve those looked at"))
        self.approve_seen.setEnabled(seen > 0)
        words = self.tr("All {}…") if self._is_narrow else self.tr("Approve all {}…")
        self.approve_all.setText(words.format(all_))
        self.approve_all.setVisible(unseen > 0)
        self.reject_all.setEnabled(all_ > 0)
        for button in (self.approve_seen, self.approve_all):
            button.updateGeometry()
        self._show_second()

    def _show_second(self) -> None:
        all_, unseen = len(self._offer.ids), len(self._offer.unseen)
        self._foot.setCurrentWidget(self._second if self._asks else self._first)
        self.note.setVisible(self._asks == "reject")
        self.question.setVisible(self._asks != "reject" and not self._is_narrow)
        if self._asks == "reject":
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
