"""A review pane with the list of writes that wait together above what it shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QKeyEvent

from placet.core.domain.ids import RequestId
from placet.core.domain.review import RequestKind
from placet.core.domain.stopping import TaskScope
from placet.core.hub.api import HubApi
from placet.ui.models.batch import BatchModel
from placet.ui.models.review import ReviewModel
from placet.ui.models.together import TogetherModel
from placet.ui.panels.inbox.batch_panel import BatchPanel
from placet.ui.panels.inbox.looking import Looking
from placet.ui.panels.inbox.together_page import TogetherPage
from placet.ui.panels.review.pane import ReviewPane
from placet.ui.theme.theme import Theme
from placet.ui.widgets.guard import HOLD_MS


class BatchReview(QObject):
    """Puts the list into `pane`. While edits are seen together, no key reaches the single one that the pane stands on."""

    def __init__(
        self,
        pane: ReviewPane,
        review: ReviewModel,
        hub: HubApi,
        scope: TaskScope,
        theme: Theme,
        *,
        now_ms: Callable[[], int] | None = None,
        hold_ms: int = HOLD_MS,
    ) -> None:
        super().__init__(pane)
        self._pane, self._review = pane, review
        self.batch = BatchModel(review, hub, scope, self)
        self.together = TogetherModel(self.batch, hub, scope, self)
        self.panel = BatchPanel(self.batch, self.together, theme, now_ms, pane)
        self.page: TogetherPage | None = None
        self._theme, self._now_ms, self._hold_ms = theme, now_ms, hold_ms
        self._single = pane.put_below_head(self.panel)
        self._looking = Looking(pane.content.diff_view, self._shown_single, self.batch, hold_ms)
        self._looking_together: Looking | None = None
        review.changed.connect(self._looking.look)
        self.together.changed.connect(self._follow)
        self.panel.entered.connect(self._enter)
        pane.installEventFilter(self)
        self._looking.look()

    def _shown_single(self) -> Sequence[RequestId]:
        request = self._review.current
        is_there = request is not None and request.kind is RequestKind.WRITE and self._review.diff is not None
        return (request.id,) if request is not None and is_there else ()

    def _shown_together(self) -> Sequence[RequestId]:
        return self.together.ids if self.together.diff is not None else ()

    def _follow(self) -> None:
        if self.together.is_open and self.page is None:
            self._make_page()
        self._single.setVisible(not self.together.is_open)
        if self._looking_together is not None:
            self._looking_together.look()

    def _make_page(self) -> None:
        """Not before somebody wants it."""
        self.page = page = TogetherPage(self.together, self._theme, self._now_ms, self._pane)
        self._pane.put_below_head(page, share=1)
        self._looking_together = Looking(page.diff_view, self._shown_together, self.batch, self._hold_ms)

    def _enter(self) -> None:
        (self.page.diff_view if self.page is not None and self.together.is_open else self._pane).setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        is_key = event.type() == QEvent.Type.KeyPress
        if is_key and self.together.is_open and self.page is not None and isinstance(event, QKeyEvent):
            return self.page.press(event)
        return False
