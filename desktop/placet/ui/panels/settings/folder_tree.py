"""A folder as a tree, each entry with what the rules say about it. A folder is read when it is opened."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
)

from placet.core.domain.explaining import FolderEntry, FolderView
from placet.core.domain.hidden import visible
from placet.core.domain.review import Action, DecidedBy
from placet.ui.paths import from_home
from placet.ui.theme.fonts import mono_font, ui_font
from placet.ui.theme.paint import elided, text, text_width
from placet.ui.theme.theme import Theme
from placet.ui.widgets import verdicts

Index = QModelIndex | QPersistentModelIndex
ENTRY_ROLE = Qt.ItemDataRole.UserRole
_LABEL_ROLE = Qt.ItemDataRole.UserRole + 1
_ROW, _INDENT, _WORD = 25, 16, 40
_LEAST, _MOST = 12 * _ROW, 22 * _ROW
_CODE = frozenset(
    {".py", ".js", ".ts", ".c", ".h", ".cpp", ".rs", ".go", ".java", ".sh", ".css", ".html", ".toml", ".json"}
)


class _Delegate(QStyledItemDelegate):
    def __init__(self, tree: QTreeView, theme: Theme) -> None:
        super().__init__(tree)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(120, _ROW)

    def paint(self, p: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        entry: FolderEntry | None = index.data(ENTRY_ROLE)
        theme, box = self._theme, QRectF(option.rect)
        p.save()
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        if entry is None:
            text(p, box.left() + 4, box.top(), _ROW, str(index.data() or ""), ui_font(12), theme.color("text-2"))
            p.restore()
            return
        is_open = bool(option.state & QStyle.StateFlag.State_Open)
        theme.draw_icon(p, _icon(entry, is_open=is_open), QRectF(box.left(), box.top(), 16, _ROW), "text-2", 14)
        right = box.right() - 10 - _WORD
        action = entry.verdict.action
        ink = theme.color(verdicts.role(action))
        text(p, right + 6, box.top(), _ROW, verdicts.word(action), ui_font(12, 500), ink)
        label = str(index.data(_LABEL_ROLE) or "")
        if label:
            text(p, right, box.top(), _ROW, label, ui_font(11), theme.color("text-2"), right=True)
        room = right - box.left() - 22 - (text_width(label, ui_font(11)) + 8 if label else 0)
        text(
            p,
            box.left() + 22,
            box.top(),
            _ROW,
            elided(str(index.data()), mono_font(12), room),
            mono_font(12),
            theme.color("text"),
        )
        p.restore()


def _icon(entry: FolderEntry, *, is_open: bool) -> str:
    if entry.is_folder:
        return "folder-symlink" if entry.leads_to else "folder-open" if is_open else "folder"
    if entry.verdict.action is Action.DENY:
        return "file-lock"
    dot = entry.name.rfind(".")
    return "file-code" if dot > 0 and entry.name[dot:] in _CODE else "file-text"


class FolderTree(QTreeView):
    """`wanted` asks for a folder's view, which `show_view` takes. Entries that the marked rule fits are tinted."""

    wanted = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("folderTree")
        self.setAccessibleName(self.tr("What the rules say about each file"))
        self._theme = theme
        self._model = QStandardItemModel(self)
        self._root = ""
        self._opened: set[str] = set()
        self._subject: frozenset[int] = frozenset()
        self.setModel(self._model)
        self.setItemDelegate(_Delegate(self, theme))
        self.setHeaderHidden(True)
        self.setIndentation(_INDENT)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setUniformRowHeights(True)
        self.setFixedHeight(_LEAST)
        self.expanded.connect(self._on_expanded)
        self.collapsed.connect(self._on_collapsed)
        theme.changed.connect(self._tint)
        self._tint()

    def show_root(self, folder: str) -> None:
        """Show another folder; nothing of the one before stays."""
        if folder != self._root:
            self._root = folder
            self._opened = {folder}
            self._model.clear()
        self.wanted.emit(folder)

    def mark(self, subject: frozenset[int]) -> None:
        """The rules that are being edited: what they decide is labelled so."""
        self._subject = subject

    def show_view(self, asked: str, view: FolderView) -> None:
        """Take what was asked for, in place of what was shown of that folder before."""
        item = self._model.item(0) if asked == self._root else self._find(asked)
        if item is None and asked == self._root:
            item = QStandardItem()
            self._model.appendRow(item)
        if item is None:
            return
        if asked == self._root:
            self._describe(item, view.itself, None)
        self._fill(item, view)
        self.setExpanded(item.index(), True)
        for row in range(item.rowCount()):
            child = item.child(row)
            entry: FolderEntry | None = child.data(ENTRY_ROLE)
            if entry is not None and entry.is_folder and entry.path in self._opened:
                if self.isExpanded(child.index()):
                    self.wanted.emit(entry.path)  # its verdicts may be others too by now
                else:
                    self.setExpanded(child.index(), True)
        self._fit()

    def _fit(self) -> None:
        """As high as its rows, within bounds."""
        rows, index = 0, self._model.index(0, 0)
        while index.isValid():
            rows, index = rows + 1, self.indexBelow(index)
        self.setFixedHeight(max(_LEAST, min(_MOST, rows * _ROW + 2)))

    def entries(self) -> list[tuple[str, str, str]]:
        """What is in sight, from top to bottom: name, word, and label."""
        found, index = [], self._model.index(0, 0)
        while index.isValid():
            entry: FolderEntry | None = index.data(ENTRY_ROLE)
            if entry is not None:
                found.append((entry.name, verdicts.word(entry.verdict.action), str(index.data(_LABEL_ROLE) or "")))
            index = self.indexBelow(index)
        return found

    def _fill(self, item: QStandardItem, view: FolderView) -> None:
        """Rows that are still there are only described anew: nothing jumps while a person types."""
        parent = item.data(ENTRY_ROLE)
        shown = [item.child(row).data(ENTRY_ROLE) for row in range(item.rowCount())]
        same = [each.path if each is not None else None for each in shown] == [each.path for each in view.entries]
        if same and view.entries:
            for row, entry in enumerate(view.entries):
                self._describe(item.child(row), entry, parent)
            return
        item.removeRows(0, item.rowCount())
        for entry in view.entries:
            child = QStandardItem()
            item.appendRow(child)
            self._describe(child, entry, parent)
            if entry.is_folder:
                child.appendRow(QStandardItem(self.tr("reading…")))
        words = view.trouble or (self.tr("and {} more").format(view.hidden) if view.hidden else "")
        if not view.entries and not words:
            words = self.tr("empty")
        if words:
            note = QStandardItem(words)
            note.setEnabled(False)
            item.appendRow(note)

    def _describe(self, item: QStandardItem, entry: FolderEntry, parent: FolderEntry | None) -> None:
        item.setText(visible(entry.name))
        item.setData(entry, ENTRY_ROLE)
        item.setData(self._label(entry, parent), _LABEL_ROLE)
        words = f"{entry.name}: {verdicts.word(entry.verdict.action)}, {entry.verdict.because}"
        item.setData(words, Qt.ItemDataRole.AccessibleTextRole)
        tip = [entry.verdict.because]
        if entry.leads_to:
            tip.append(self.tr("leads to {}").format(from_home(entry.leads_to)))
        item.setToolTip("\n".join(tip))

    def _label(self, entry: FolderEntry, parent: FolderEntry | None) -> str:
        """Which rule decides, said once for a folder and all in it that is the same."""
        if entry.leads_to and not entry.leads_to.startswith(self._real_root()):
            return self.tr("points outside")
        verdict = entry.verdict
        if parent is not None and (parent.verdict.rule_id, parent.verdict.by) == (verdict.rule_id, verdict.by):
            return ""
        if verdict.by is DecidedBy.RULE and verdict.rule_id is not None:
            if verdict.rule_id in self._subject:
                return self.tr("this rule")
            return self.tr("rule {}").format(verdict.rule_id)
        if verdict.by is DecidedBy.FAST_PATH:
            return self.tr("the chat's folder")
        return self.tr("always asked") if verdict.rule_id is not None else self.tr("no rule")

    def _real_root(self) -> str:
        item = self._model.item(0)
        entry: FolderEntry | None = item.data(ENTRY_ROLE) if item is not None else None
        return (entry.leads_to or entry.path if entry is not None else self._root).rstrip("/") + "/"

    def _find(self, path: str) -> QStandardItem | None:
        waiting = [self._model.item(0)] if self._model.rowCount() else []
        while waiting:
            item = waiting.pop()
            entry: FolderEntry | None = item.data(ENTRY_ROLE)
            if entry is None:
                continue
            if entry.path == path:
                return item
            if path.startswith(entry.path.rstrip("/") + "/"):
                waiting.extend(item.child(row) for row in range(item.rowCount()))
        return None

    def _on_expanded(self, index: QModelIndex) -> None:
        entry: FolderEntry | None = index.data(ENTRY_ROLE)
        if entry is None:
            return
        self._opened.add(entry.path)
        if index.parent().isValid():
            self.wanted.emit(entry.path)

    def _on_collapsed(self, index: QModelIndex) -> None:
        entry: FolderEntry | None = index.data(ENTRY_ROLE)
        if entry is not None:
            self._opened.discard(entry.path)
            self._fit()

    def drawRow(self, p: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        entry: FolderEntry | None = index.data(ENTRY_ROLE)
        is_current = index == self.currentIndex() and self.hasFocus()
        if is_current or (entry is not None and entry.matched):
            row = QRectF(-8, option.rect.top(), self.viewport().width(), option.rect.height())
            p.fillRect(row, self._theme.color("hover" if is_current else "accent-bg"))
        super().drawRow(p, option, index)

    def drawBranches(self, p: QPainter, rect: QRect, index: Index) -> None:
        entry: FolderEntry | None = index.data(ENTRY_ROLE)
        if entry is None or not entry.is_folder:
            return
        is_open = isinstance(index, QModelIndex) and self.isExpanded(index)
        icon = "chevron-down" if is_open else "chevron-right"
        box = QRectF(rect.right() - 15, rect.top(), 14, rect.height())
        self._theme.draw_icon(p, icon, box, "text-2", 12)

    def _tint(self) -> None:
        self.setStyleSheet(
            "QTreeView { background: transparent; } QTreeView::item:selected { background: transparent; }"
        )
        self.viewport().update()
