"""The list of writes that wait together, imported and made only when there are several."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from placet.core.domain.events import Envelope
from placet.core.domain.stopping import TaskScope
from placet.core.hub.api import HubApi
from placet.ui.models.inbox_items import batch_of
from placet.ui.models.review import ReviewModel
from placet.ui.panels.review.pane import ReviewPane
from placet.ui.theme.theme import Theme
from placet.ui.widgets.guard import HOLD_MS

if TYPE_CHECKING:
    from placet.ui.panels.inbox.batch_review import BatchReview


class LateBatch(QObject):
    """Puts the list into `pane` when several writes wait for the first time: most panes never need it."""

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
        self._review = review

        def make() -> BatchReview:
            from placet.ui.panels.inbox.batch_review import BatchReview

            return BatchReview(pane, review, hub, scope, theme, now_ms=now_ms, hold_ms=hold_ms)

        self._make_it = make
        self.review: BatchReview | None = None
        review.changed.connect(self._make)
        self._make()

    def _make(self) -> None:
        if self.review is None and len(batch_of(self._review.current, self._review.requests)) > 1:
            self.review = self._make_it()

    def handle(self, envelope: Envelope) -> None:
        """Follow an event of the bus."""
        if self.review is not None:
            self.review.batch.handle(envelope)
