"""All models in one table: numbers right, unknown is a word."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from placet.core.domain.model_calls import Model
from placet.ui.models.settings import CatalogueModel
from placet.ui.theme.fonts import ui_font
from placet.ui.theme.paint import elided, frame, hairline, rounded, text, text_width
from placet.ui.theme.theme import Theme
from placet.ui.widgets.menu import Menu

Index = QModelIndex | QPersistentModelIndex
_NO_INDEX = QModelIndex()
_MODEL_ROLE = Qt.ItemDataRole.UserRole
_ROW, _HEAD, _FIRST_NUMBER = 30, 28, 3


class _Rows(QAbstractTableModel):
    def __init__(self, catalogue: CatalogueModel) -> None:
        super().__init__(catalogue)
        self._catalogue = catalogue
        self._models: Sequence[Model] = ()
        self._heads = [
            self.tr("Name"), self.tr("Provider"), self.tr("Model id"), self.tr("Window"), self.tr("Max out"),
            self.tr("In / 1M"), self.tr("Out / 1M"), self.tr("State"),
        ]  # fmt: skip
        catalogue.changed.connect(self.refresh)
        catalogue.tested.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        self.beginResetModel()
        self._models = list(self._catalogue.models)
        self.endResetModel()

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._models)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._heads)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return self._heads[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section >= _FIRST_NUMBER else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        model = self._models[index.row()]
        if role == _MODEL_ROLE:
            return model
        if role == Qt.ItemDataRole.ToolTipRole and model.declared:
            return self.tr("Declared in config.toml")
        if role == Qt.ItemDataRole.DisplayRole:
            return self._cell(model, index.column())
        return None

    def _cell(self, model: Model, column: int) -> str:
        unknown = self.tr("unknown")
        result = self._catalogue.results.get(model.name)
        state = self.tr("not tested") if result is None else self.tr("works") if result.works else self.tr("failed")
        prices = (model.price_input_per_million, model.price_output_per_million)
        sizes = (model.context_length, model.max_output_tokens)
        cells = [model.name, model.provider, model.model_id]
        cells += [unknown if size is None else f"{size / 1000:.0f}k" for size in sizes]
        cells += [unknown if price is None else f"${price:.2f}" for price in prices]
        return [*cells, state][column]


class _Delegate(QStyledItemDelegate):
    def __init__(self, view: QTableView, theme: Theme) -> None:
        super().__init__(view)
        self._theme = theme

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, box = self._theme, QRectF(option.rect)
        state: QStyle.StateFlag = option.state
        model: Model = index.data(_MODEL_ROLE)
        words = str(index.data())
        column = index.column()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(box, theme.color("accent-bg"))
        hairline(painter, box.left(), box.bottom() - 1, box.width(), theme.color("hairline"))
        if column >= _FIRST_NUMBER:
            role = {self.tr("unknown"): "text-3", self.tr("failed"): "danger-text"}.get(words, "text")
            font = ui_font(12, tabular=True)
            text(painter, box.right() - 8, box.top(), _ROW, words, font, theme.color(role), right=True)
        else:
            font = ui_font(13, 500) if column == 0 else ui_font(12)
            tag = self._tag(model) if column == 0 else ""
            room = box.width() - 16 - (text_width(tag, ui_font(11)) + 24 if tag else 0)
            shown = elided(words, font, room)
            role = "text" if column == 0 else "text-2"
            width = text(painter, box.left() + 8, box.top(), _ROW, shown, font, theme.color(role))
            if tag:
                self._draw_tag(painter, box.left() + 8 + width + 9, box.top() + 6, tag, is_accent=model.default)
        painter.restore()

    def _tag(self, model: Model) -> str:
        return self.tr("default") if model.default else self.tr("declared") if model.declared else ""

    def _draw_tag(self, p: QPainter, x: float, y: float, words: str, *, is_accent: bool) -> None:
        box = QRectF(x, y, text_width(words, ui_font(11)) + 14, 18)
        fill, line, ink = (
            ("accent-bg", "accent-line", "accent-text") if is_accent else ("surface", "hairline", "text-2")
        )
        rounded(p, box, 4, self._theme.color(fill))
        frame(p, box, 4, self._theme.color(line))
        text(p, x + 7, y, 18, words, ui_font(11), self._theme.color(ink))


class ModelsTable(QTableView):
    """Rows with a menu: test, default, edit, remove."""

    test_requested = Signal(str)
    edit_requested = Signal(object)

    def __init__(self, catalogue: CatalogueModel, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("modelsTable")
        self.setAccessibleName(self.tr("Models"))
        self._catalogue, self._theme = catalogue, theme
        self.setModel(_Rows(catalogue))
        self.setItemDelegate(_Delegate(self, theme))
        self.setShowGrid(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setTabKeyNavigation(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(_ROW)
        self.verticalHeader().setMinimumSectionSize(_ROW)
        head = self.horizontalHeader()
        head.setFixedHeight(_HEAD)
        head.setHighlightSections(False)
        head.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        for column in range(_FIRST_NUMBER, self.model().columnCount()):
            head.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            head.resizeSection(column, 80)
        head.setSectionResizeMode(1, QHeaderView.ResizeMode.Fixed)
        head.resizeSection(1, 120)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._open_menu)
        self.activated.connect(lambda index: self.edit_requested.emit(index.data(_MODEL_ROLE)))
        self.model().modelReset.connect(self._fit)
        theme.changed.connect(self._tint)
        self._tint()
        self._fit()

    def chosen(self) -> Model | None:
        rows = self.selectionModel().selectedRows()
        return rows[0].data(_MODEL_ROLE) if rows else None

    def _fit(self) -> None:
        self.setFixedHeight(_HEAD + _ROW * self.model().rowCount() + 2)

    def _tint(self) -> None:
        color = self._theme.color
        self.setStyleSheet(f"QTableView {{ background: {color('bg').name()}; }}")
        self.horizontalHeader().setFont(ui_font(11, 500))
        self.horizontalHeader().setStyleSheet(
            f"QHeaderView {{ background: {color('bg').name()}; }}"
            f"QHeaderView::section {{ background: {color('bg').name()}; color: {color('text-3').name()}; border: none;"
            f" border-bottom: 1px solid {color('hairline').name()}; padding: 0 8px; }}"
        )

    def _open_menu(self, at: QPoint) -> None:
        index = self.indexAt(at)
        if index.isValid():
            self.selectRow(index.row())
            self.open_actions().popup(self.viewport().mapToGlobal(at))

    def open_actions(self) -> Menu:
        """What can be done with the chosen model."""
        menu = Menu(self._theme, self)
        if (model := self.chosen()) is not None:
            menu.add(self.tr("Test"), lambda: self.test_requested.emit(model.name))
            own = not model.declared
            menu.add(self.tr("Make it the default"), lambda: self._catalogue.make_default(model.name), enabled=own)
            menu.add(self.tr("Edit…"), lambda: self.edit_requested.emit(model), enabled=own)
            menu.add(self.tr("Remove"), lambda: self._catalogue.remove_model(model.name), enabled=own)
        return menu
