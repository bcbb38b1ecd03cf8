"""The Inbox as a list: what waits in any session, newest first, and the place in it.

The requests and the answers to them are those of a `ReviewModel` in the same order, which the pane beside it shows.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from placet.core.domain.events import Envelope
from placet.core.domain.ids import RequestId
from placet.core.domain.review import PendingRequest
from placet.core.domain.stopping import TaskScope
from placet.core.hub.api import HubApi
from placet.ui.models.inbox_items import InboxItem, Shown, count_of, group_of, items_of, spoken
from placet.ui.models.review import ReviewModel

Index = QModelIndex | QPersistentModelIndex
ItemRole = Qt.ItemDataRole.UserRole + 1
_NO_INDEX = QModelIndex()


class InboxModel(QAbstractListModel):
    """Reads only while it is `begin`-ed, for a page that nobody sees need not follow."""

    place_changed = Signal()  # another item is chosen, or the chosen one stands in another row
    listed = Signal()  # the list was read

    def __init__(self, hub: HubApi, scope: TaskScope, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._shown = Shown.ALL
        self._items: list[InboxItem] = []
        self._rows: dict[str, int] = {}  # by group
        self._read: list[InboxItem] = []  # as the requests were arranged last
        self._requests: Sequence[PendingRequest] = ()
        self._total = 0
        self._is_followed = False
        self._wanted: RequestId | None = None
        self._row = -1
        self.review = ReviewModel(hub, scope, self, arrange=self._arrange, tells=False)
        self.review.changed.connect(self._follow)

    # ---- the list ------------------------------------------------------------------------------------------------

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._items)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        item = self._items[index.row()]
        if role == ItemRole:
            return item
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return spoken(item)
        return None

    @property
    def items(self) -> Sequence[InboxItem]:
        return self._items

    @property
    def total(self) -> int:
        """How many things wait, those that are not shown included."""
        return self._total

    @property
    def shown(self) -> Shown:
        return self._shown

    def show_only(self, shown: Shown) -> None:
        """List one kind only, or all."""
        if shown is not self._shown:
            self._shown = shown
            self.review.refresh()

    # ---- the place -----------------------------------------------------------------------------------------------

    @property
    def row(self) -> int:
        """The row of the item that is looked at, -1 if nothing waits."""
        current = self.review.current
        return self._rows.get(group_of(current), -1) if current is not None else -1

    def open(self, row: int) -> None:
        """Look at an item; of several writes at the first, unless one of them is looked at already."""
        if 0 <= row < len(self._items) and row != self.row:
            self.review.show(self._items[row].first.id)

    def show_request(self, request_id: RequestId) -> None:
        """Look at this request, as soon as it is listed."""
        self._wanted = request_id
        self.show_only(Shown.ALL)
        self._go_to_wanted()

    def _go_to_wanted(self) -> None:
        if self._wanted is not None and self.review.show(self._wanted):
            self._wanted = None

    # ---- following -----------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Read, and follow events until `end`."""
        self._is_followed = True
        self.review.show_session(None)

    def end(self) -> None:
        self._is_followed = False
        self._wanted = None

    def handle(self, envelope: Envelope) -> None:
        """Follow an event of the bus."""
        if self._is_followed:
            self.review.handle(envelope)

    def refresh(self) -> None:
        if self._is_followed:
            self.review.refresh()

    def _arrange(self, found: Sequence[PendingRequest]) -> Sequence[PendingRequest]:
        self._total = count_of(found)
        self._read = items_of(request for request in found if self._shown.takes(request))
        return [request for item in self._read for request in item.requests]

    def _follow(self) -> None:
        requests = self.review.requests
        if requests is not self._requests:
            self._requests = requests
            self._show(self._read)
            self._go_to_wanted()
            self.listed.emit()
        if (row := self.row) != self._row:
            self._row = row
            self.place_changed.emit()

    def _show(self, items: list[InboxItem]) -> None:
        if items == self._items:
            return
        before = list(self._rows)
        self._rows = {group_of(item.first): row for row, item in enumerate(items)}
        if list(self._rows) == before:
            self._items = items
            if items:
                self.dataChanged.emit(self.index(0), self.index(len(items) - 1))
            return
        self.beginResetModel()
        self._items = items
        self._row = -1
        self.endResetModel()
