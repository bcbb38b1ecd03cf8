"""The rules of a group in the order in which they are asked."""

from __future__ import annotations

from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QFrame,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from placet.core.domain.review import Rule
from placet.ui.models.rule_rows import Key, RuleRow, key_of, rows_of
from placet.ui.models.rules import RulesModel
from placet.ui.theme.fonts import mono_font, ui_font
from placet.ui.theme.paint import elided, hairline, text, text_width
from placet.ui.theme.theme import Theme
from placet.ui.widgets import verdicts

Index = QModelIndex | QPersistentModelIndex
_NO_INDEX = QModelIndex()
ROW_ROLE = Qt.ItemDataRole.UserRole
UNSAVED_ROLE = Qt.ItemDataRole.UserRole + 1
FOREIGN_ROLE = Qt.ItemDataRole.UserRole + 2  # a rule of `default` in the order of another group
_ROW, _HEAD, _NARROW = 28, 28, 540
_RULE, _PRIORITY, _TOOL, _PATH, _THEN, _NOTE = range(6)
_WIDTHS = {_RULE: 62, _PRIORITY: 60, _THEN: 52}
_SHARES = {_TOOL: 0.34, _PATH: 0.38, _NOTE: 0.28}  # of what those leave


class RuleTableModel(QAbstractTableModel):
    """Rows of the model's rules. `toggle` opens and closes a row that stands for several."""

    def __init__(self, rules: RulesModel) -> None:
        super().__init__(rules)
        self._model = rules
        self._opened: set[Key] = set()
        self.rows: list[RuleRow] = []
        self._heads = [
            self.tr("Rule"), self.tr("Priority"), self.tr("Tool"), self.tr("Path or command"), self.tr("Then"),
            self.tr("Note"),
        ]  # fmt: skip
        rules.changed.connect(self.refresh)
        rules.edit_changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        self.beginResetModel()
        self.rows = rows_of(self._model.rules, self._opened, self._model.subject)
        self.endResetModel()

    def toggle(self, row: RuleRow, *, opens: bool) -> None:
        (self._opened.add if opens else self._opened.discard)(key_of(row.rules[0]))
        self.refresh()

    def row_of(self, rule_id: int) -> int:
        """The row of a rule, or the one it is folded into; -1 where there is none."""
        found = [at for at, row in enumerate(self.rows) if any(rule.id == rule_id for rule in row.rules)]
        return found[-1] if found else -1

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._heads)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation == Qt.Orientation.Vertical:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._heads[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section <= _PRIORITY else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.rows[index.row()]
        if role == ROW_ROLE:
            return row
        if role == UNSAVED_ROLE:
            return self._is_unsaved(row)
        if role == Qt.ItemDataRole.DisplayRole:
            return self._cell(row, index.column())
        if role == FOREIGN_ROLE:
            return row.rules[0].group != self._model.group
        if role == Qt.ItemDataRole.ToolTipRole:
            return "\n".join({_TOOL: row.tools, _PATH: row.targets, _NOTE: (row.note,)}.get(index.column(), ()))
        if role == Qt.ItemDataRole.AccessibleTextRole and index.column() == 0:
            return " ".join(self._cell(row, column) for column in range(len(self._heads)))
        return None

    def _is_unsaved(self, row: RuleRow) -> bool:
        return any(rule.id in self._model.subject for rule in row.rules)

    def _cell(self, row: RuleRow, column: int) -> str:
        rule = row.rules[0]
        note = row.note
        if self._is_unsaved(row):
            note = self.tr("Not saved, {}").format(note) if note else self.tr("Not saved")
        return [
            row.number, str(rule.priority), ", ".join(row.tools), ", ".join(row.targets), verdicts.word(rule.action),
            note,
        ][column]  # fmt: skip


class _Delegate(QStyledItemDelegate):
    def __init__(self, view: QTableView, theme: Theme) -> None:
        super().__init__(view)
        self._theme = theme

    def paint(self, p: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, box, column = self._theme, QRectF(option.rect), index.column()
        row: RuleRow = index.data(ROW_ROLE)
        state: QStyle.StateFlag = option.state
        is_chosen = bool(state & QStyle.StateFlag.State_Selected)
        p.save()
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        if is_chosen or index.data(UNSAVED_ROLE):
            p.fillRect(box, theme.color("accent-bg"))
        if is_chosen and column == 0:
            is_active = bool(state & QStyle.StateFlag.State_Active)
            p.fillRect(
                QRectF(box.left(), box.top(), 2, box.height()), theme.color("accent-mark" if is_active else "control")
            )
        hairline(p, box.left(), box.bottom() - 1, box.width(), theme.color("hairline"))
        self._draw_cell(p, box, column, row, str(index.data()), is_foreign=bool(index.data(FOREIGN_ROLE)))
        p.restore()

    def _draw_cell(self, p: QPainter, box: QRectF, column: int, row: RuleRow, words: str, *, is_foreign: bool) -> None:
        theme, height = self._theme, box.height() - 1
        if column in (_RULE, _PRIORITY):
            if column == _RULE and row.is_folded:
                icon = "chevron-down" if row.is_open else "chevron-right"
                theme.draw_icon(p, icon, QRectF(box.left() + 3, box.top(), 12, height), "text-3", 12)
            ink = "text-3" if row.is_member and column == _PRIORITY else "text-2"
            text(p, box.right() - 10, box.top(), height, words, ui_font(12, tabular=True), theme.color(ink), right=True)
            return
        left, room = box.left() + 8, box.width() - 16
        if column == _THEN:
            action = row.rules[0].action
            text(p, left, box.top(), height, words, ui_font(12, 500), theme.color(verdicts.role(action)))
        elif column == _NOTE:
            if is_foreign:
                group = text(
                    p, box.right() - 8, box.top(), height, "default", ui_font(11), theme.color("text-3"), right=True
                )
                room -= group + 8
            text(p, left, box.top(), height, elided(words, ui_font(12), room), ui_font(12), theme.color("text-2"))
        else:
            names = row.tools if column == _TOOL else row.targets
            ink = "text-3" if row.is_member and column == _TOOL else "text-2" if is_foreign else "text"
            text(p, left, box.top(), height, _some(names, room), mono_font(12), theme.color(ink))


def _some(names: tuple[str, ...], room: float) -> str:
    """As many names as there is room for, then how many more there are."""
    font = mono_font(12)
    for count in range(len(names), 0, -1):
        more = f", {len(names) - count} more" if count < len(names) else ""
        words = ", ".join(names[:count]) + more
        if text_width(words, font) <= room:
            return words
    more = f", {len(names) - 1} more" if len(names) > 1 else ""
    return elided(names[0], font, room - text_width(more, font)) + more if names else ""


class RulesTable(QTableView):
    """Keys: Enter edits or opens, Right and Left open and close, Delete removes, Alt with Up or Down moves.

    A row can also be dragged to another place; `moved` has the rule and the one it is put before, None for the end.
    """

    edit_requested = Signal(object)  # a Rule
    copy_requested = Signal(object)  # a Rule
    remove_requested = Signal(tuple)  # ids
    moved = Signal(int, object)  # a rule's id, the id of the one it goes before or None
    menu_requested = Signal(QPoint)

    def __init__(self, rules: RulesModel, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("rulesTable")
        self.setAccessibleName(self.tr("Rules in the order in which they are asked"))
        self._theme = theme
        self.table = RuleTableModel(rules)
        self._pressed: QPoint | None = None
        self._drop: int | None = None
        self.setModel(self.table)
        self.setItemDelegate(_Delegate(self, theme))
        self._set_up()
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._on_menu)
        self.doubleClicked.connect(lambda _: self.open_chosen())
        self.table.modelAboutToBeReset.connect(self._remember)
        self.table.modelReset.connect(self._fit)
        theme.changed.connect(self._tint)
        self._kept: tuple[int, bool] | None = None
        self._tint()
        self._fit()

    def _set_up(self) -> None:
        self.setShowGrid(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setTabKeyNavigation(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalHeader().hide()
        self.verticalHeader().setMinimumSectionSize(_ROW)
        self.verticalHeader().setDefaultSectionSize(_ROW)
        head = self.horizontalHeader()
        head.setFixedHeight(_HEAD)
        head.setHighlightSections(False)
        head.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        for column, width in _WIDTHS.items():
            head.resizeSection(column, width)

    # ---- the chosen row ------------------------------------------------------------------------------------------

    @property
    def chosen(self) -> RuleRow | None:
        rows = self.selectionModel().selectedRows()
        return rows[0].data(ROW_ROLE) if rows else None

    def choose(self, rule_id: int) -> None:
        """Select the row of a rule and bring it into sight."""
        at = self.table.row_of(rule_id)
        if at >= 0:
            self.selectRow(at)

    def open_chosen(self) -> None:
        """Edit the rule of the row, or open and close a row of several."""
        row = self.chosen
        if row is not None and row.is_folded:
            self._toggle(row, opens=not row.is_open)
        elif row is not None:
            self.edit_requested.emit(row.rules[0])

    def neighbours(self, row: RuleRow) -> tuple[int | None, int | None] | None:
        """Where a row can be put one step up and one down, as ids to go before (0: it cannot); None if it is folded."""
        if row.is_folded:
            return None
        rules = [rule for each in self.table.rows if not each.is_open for rule in each.rules]
        at = next(index for index, rule in enumerate(rules) if rule.id == row.rules[0].id)
        up = rules[at - 1].id if at > 0 and _is_one_part(rules[at - 1], rules[at]) else 0
        if at + 1 >= len(rules) or not _is_one_part(rules[at], rules[at + 1]):
            return up, 0
        after = rules[at + 2] if at + 2 < len(rules) else None
        return up, after.id if after is not None and _is_one_part(rules[at], after) else None

    def move_chosen(self, step: int) -> None:
        """Propose the chosen rule one place further up (-1) or down (1)."""
        row = self.chosen
        places = self.neighbours(row) if row is not None else None
        if row is None or places is None:
            return
        before = places[0] if step < 0 else places[1]
        if before != 0:
            self.moved.emit(row.rules[0].id, before)

    def _toggle(self, row: RuleRow, *, opens: bool) -> None:
        self.table.toggle(row, opens=opens)
        at = next((i for i, each in enumerate(self.table.rows) if each.rules == row.rules), 0)
        self.selectRow(at)

    def _remember(self) -> None:
        row = self.chosen
        self._kept = (row.rules[0].id, row.is_folded) if row is not None else None

    def _fit(self) -> None:
        self.setFixedHeight(_HEAD + _ROW * self.table.rowCount() + 1)
        if self._kept is not None:
            rule_id, is_folded = self._kept
            rows = [at for at, row in enumerate(self.table.rows) if row.rules[0].id == rule_id]
            alike = [at for at in rows if self.table.rows[at].is_folded == is_folded] or rows
            if alike:
                self.selectRow(alike[0])

    # ---- keys and mouse ------------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_narrow = event.size().width() < _NARROW
        self.setColumnHidden(_PRIORITY, is_narrow)  # the place says it too
        room = self.viewport().width() - sum(_WIDTHS.values()) + (_WIDTHS[_PRIORITY] if is_narrow else 0)
        widths = {column: int(room * share) for column, share in _SHARES.items()}
        widths[_PATH] += room - sum(widths.values())
        for column, width in widths.items():
            self.horizontalHeader().resizeSection(column, max(40, width))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row, key = self.chosen, event.key()
        is_alt = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        if row is None:
            super().keyPressEvent(event)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.open_chosen()
        elif key == Qt.Key.Key_Delete:
            self.remove_requested.emit(tuple(rule.id for rule in row.rules))
        elif is_alt and key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.move_chosen(-1 if key == Qt.Key.Key_Up else 1)
        elif row.is_folded and key in (Qt.Key.Key_Right, Qt.Key.Key_Left):
            self._toggle(row, opens=key == Qt.Key.Key_Right)
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        row = self.chosen
        is_left = event.button() == Qt.MouseButton.LeftButton
        self._pressed = event.position().toPoint() if is_left and row is not None and not row.is_folded else None
        if is_left and row is not None and row.is_folded and event.position().x() < _WIDTHS[_RULE]:
            self._toggle(row, opens=not row.is_open)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = event.position().toPoint()
        if self._pressed is None:
            super().mouseMoveEvent(event)
        elif self._drop is not None or (at - self._pressed).manhattanLength() >= QApplication.startDragDistance():
            self._drop = max(0, min(self.table.rowCount(), round(at.y() / _ROW)))
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
            self.viewport().update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        drop, self._drop, self._pressed = self._drop, None, None
        self.viewport().unsetCursor()
        self.viewport().update()
        if drop is None:
            super().mouseReleaseEvent(event)
            return
        row = self.chosen
        rows = self.table.rows
        if row is not None and not (drop < len(rows) and rows[drop].rules == row.rules):
            moved = row.rules[0]
            part = [rule for each in rows for rule in each.rules if _is_one_part(moved, rule) and rule != moved]
            below = [rule for each in rows[drop:] for rule in each.rules if rule in part]
            self.moved.emit(moved.id, below[0].id if below else None)  # put outside its part: at that end of it

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._drop is not None:
            p = QPainter(self.viewport())
            y = max(1, self._drop * _ROW - 1)
            p.fillRect(QRectF(0, y - 1, self.viewport().width(), 2), self._theme.color("accent-mark"))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange:
            self.viewport().update()

    def _on_menu(self, at: QPoint) -> None:
        index = self.indexAt(at)
        if index.isValid():
            self.selectRow(index.row())
            self.menu_requested.emit(self.viewport().mapToGlobal(at))

    def _tint(self) -> None:
        color = self._theme.color
        self.setStyleSheet(f"QTableView {{ background: {color('bg').name()}; }}")
        self.horizontalHeader().setFont(ui_font(11, 500))
        self.horizontalHeader().setStyleSheet(
            f"QHeaderView {{ background: {color('bg').name()}; }}"
            f"QHeaderView::section {{ background: {color('bg').name()}; color: {color('text-3').name()}; border: none;"
            f" border-bottom: 1px solid {color('hairline').name()}; padding: 0 8px; }}"
        )


def _is_one_part(one: Rule, other: Rule) -> bool:
    """Whether two rules may be put before each other: denials of `default` are asked before all others."""

    def part(rule: Rule) -> tuple[str, bool]:
        return rule.group, rule.group == "default" and rule.action.value == "deny"

    return part(one) == part(other)
