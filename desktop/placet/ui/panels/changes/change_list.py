"""The list of changes: two painted lines each, real keys and accessibility from Qt's own list."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import QCoreApplication, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPalette
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from placet.core.domain.review import Change, ChangeState
from placet.ui.models.changes import ChangeRole, ChangesModel
from placet.ui.paths import short_path
from placet.ui.theme.fonts import ui_font
from placet.ui.theme.paint import elided, text, text_width
from placet.ui.theme.theme import Theme
from placet.ui.widgets.diff.visible import shown

_HEIGHT = 48


def state_words(change: Change) -> str:
    """What became of a change, empty for the ordinary case."""
    tr = QCoreApplication.translate
    if change.state is ChangeState.APPLIED:
        if change.conflict:
            return tr("ChangesPage", "conflict")
        return tr("ChangesPage", "undo of a change") if change.reverts is not None else ""
    return {
        ChangeState.INTENDED: tr("ChangesPage", "being written"),
        ChangeState.REVERTED: tr("ChangesPage", "reverted"),
        ChangeState.ABANDONED: tr("ChangesPage", "not written"),
    }[change.state]


def kind_letter(change: Change) -> str:
    """A for a new file, D for one that is gone, M for a changed one."""
    if change.before_digest == "absent":
        return "A"
    return "D" if change.after_digest == "absent" else "M"


def when(timestamp: float, now: datetime | None = None) -> str:
    """The time of today, the date of any other day."""
    moment, now = datetime.fromtimestamp(timestamp), now or datetime.now()
    if moment.date() == now.date():
        return f"{moment:%H:%M}"
    return f"{moment.day} {moment:%b}" if moment.year == now.year else f"{moment:%Y-%m-%d}"


class ChangeDelegate(QStyledItemDelegate):
    """Paints a change: kind, name and counts; below, its folder or session, its state and its time."""

    def __init__(self, theme: Theme, view: ChangeList) -> None:
        super().__init__(view)
        self._theme, self._view = theme, view

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(200, _HEIGHT)

    def paint(self, p: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        change: Change = index.data(ChangeRole)
        theme, box = self._theme, QRectF(option.rect)
        state = option.state
        if state & QStyle.StateFlag.State_Selected:
            p.fillRect(box, theme.color("accent-bg"))
            bar = "accent-mark" if self._view.isActiveWindow() else "control"
            p.fillRect(QRectF(box.left(), box.top(), 2, box.height()), theme.color(bar))
        elif state & QStyle.StateFlag.State_MouseOver:
            p.fillRect(box, theme.color("hover"))
        y, left, right = box.top() + 4, box.left() + 16, box.right() - 16
        text(p, left, y, 20, kind_letter(change), ui_font(11, 500), theme.color("text-3"))
        undone = change.state in (ChangeState.REVERTED, ChangeState.ABANDONED)
        for words, role in ((f"−{change.removed}", "del-text"), (f"+{change.added}", "add-text")):
            ink = theme.color("text-3" if undone else role)
            right -= text(p, right, y, 20, words, ui_font(12, 500, True), ink, right=True) + 4
        self._paint_name(p, change, left + 20, y, right - 8, undone=undone)
        y, right = y + 20, box.right() - 16
        right -= text(p, right, y, 18, when(change.created_at), ui_font(11, 400, True), theme.color("text-3"), True) + 8
        folder = short_path(change.path, self._view.folder).rpartition("/")[0]
        title = change.session_title if self._view.names_sessions else ""
        words = " · ".join(shown(part) for part in (state_words(change), title, folder) if part)
        words = elided(words, ui_font(11), right - left - 20)
        text(p, left + 20, y, 18, words, ui_font(11), theme.color("danger-text" if change.conflict else "text-3"))

    def _paint_name(self, p: QPainter, change: Change, x: float, y: float, right: float, *, undone: bool) -> None:
        font = ui_font(13)
        name = elided(shown(change.path.rpartition("/")[2]), font, right - x)
        text(p, x, y, 20, name, font, self._theme.color("text-3" if undone else "text"))
        if undone:
            middle = y + 10 + QFontMetricsF(font).strikeOutPos() - 4
            p.fillRect(QRectF(x, round(middle), text_width(name, font), 1), self._theme.color("text-3"))


class ChangeList(QListView):
    """`chosen` gives the current change; several can be selected to be reverted together."""

    chosen = Signal(object)

    def __init__(self, model: ChangesModel, theme: Theme) -> None:
        super().__init__()
        self.folder = ""  # files in it are named from there on
        self.setObjectName("changesList")
        self.setAccessibleName(self.tr("Changes"))
        self.setModel(model)
        self.setItemDelegate(ChangeDelegate(theme, self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.viewport().setBackgroundRole(QPalette.ColorRole.Window)  # rows lie on the page, not in a field
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.selectionModel().currentChanged.connect(self._on_current_changed)
        theme.changed.connect(self.viewport().update)

    @property
    def names_sessions(self) -> bool:
        """Whether each row says which session it belongs to."""
        model = self.model()
        return isinstance(model, ChangesModel) and model.session_id is None

    def selected(self) -> list[Change]:
        return [index.data(ChangeRole) for index in self.selectionModel().selectedIndexes()]

    def _on_current_changed(self, current: QModelIndex) -> None:
        if current.isValid():
            self.chosen.emit(current.data(ChangeRole))
