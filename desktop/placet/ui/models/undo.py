"""An undo before it happens: its files, what would become of each, what a person decides, and then doing it (`R-9`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QCoreApplication, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from placet.core.domain.diff import FileDiff
from placet.core.domain.errors import PlacetError
from placet.core.domain.review import RevertOutcome, RevertStatus
from placet.core.domain.stopping import TaskScope
from placet.core.domain.undo import CAN_UNDO, FileUndo, Keep, ThreeWay, UndoStatus, UndoWish
from placet.core.hub.api import ChangesApi

PlanRole = Qt.ItemDataRole.UserRole + 1
_MOVED = frozenset({UndoStatus.MERGED, UndoStatus.CONFLICT})


class UndoModel(QAbstractListModel):
    """One row a file. Nothing is written before `carry_out`. Main thread only."""

    planned = Signal()  # there is a plan: rows, counts and what may be done
    shown = Signal()  # the current file's diff, and its three sides where it moved on
    done = Signal(object)  # a sequence of RevertOutcome
    failed = Signal(object)  # a PlacetError

    def __init__(self, changes: ChangesApi, scope: TaskScope, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._api, self._scope = changes, scope
        self._asked = self._looked = 0
        self._wish = UndoWish()
        self._plans: list[FileUndo] = []
        self.at = 0
        self.diff: FileDiff | None = None
        self.sides: ThreeWay | None = None
        self.is_busy = False

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._plans)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        plan = self._plans[index.row()]
        if role == PlanRole:
            return plan
        return plan.path if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole) else None

    @property
    def plans(self) -> Sequence[FileUndo]:
        return self._plans

    @property
    def current(self) -> FileUndo | None:
        return self._plans[self.at] if self.at < len(self._plans) else None

    @property
    def is_again(self) -> bool:
        """Whether it applies again what was undone."""
        return bool(self._wish.again)

    @property
    def doable(self) -> Sequence[FileUndo]:
        """What would be done now."""
        return [plan for plan in self._plans if plan.is_decided]

    @property
    def undecided(self) -> Sequence[FileUndo]:
        return [plan for plan in self._plans if plan.status in CAN_UNDO and not plan.is_decided]

    def begin(self, wish: UndoWish) -> None:
        """Plan a wish anew."""
        self._wish, self.at = wish, 0
        self._take(())
        self.is_busy = True
        self._looked += 1  # what was asked of the plan before no longer counts
        self._asked += 1
        self._scope.start(self._plan(wish, self._asked), "undo: plan")

    def look_again(self) -> None:
        """Plan the same wish on what is there now."""
        self.begin(self._wish)

    async def _plan(self, wish: UndoWish, question: int) -> None:
        try:
            plans = await self._api.plan_undo(wish)
        except PlacetError as error:
            if question == self._asked:
                self.is_busy = False
                self.failed.emit(error)
            return
        if question != self._asked:
            return
        self.is_busy = False
        self._take(plans)
        self.planned.emit()
        self.choose(0)

    def _take(self, plans: Sequence[FileUndo]) -> None:
        self.beginResetModel()
        self._plans = list(plans)
        self.diff = self.sides = None
        self.endResetModel()

    def choose(self, row: int) -> None:
        """Make a file the current one and load what it would be."""
        self.at = row
        self.diff = self.sides = None
        self._looked += 1
        if (plan := self.current) is not None and plan.status in CAN_UNDO:
            self._scope.start(self._look(plan, self._looked), "undo: look")
        else:
            self.shown.emit()

    async def _look(self, plan: FileUndo, question: int) -> None:
        try:
            diff = await self._api.undo_diff(plan)
            sides = await self._api.three_way(plan) if plan.status in _MOVED else None
        except PlacetError as error:
            if question == self._looked:
                self.failed.emit(error)
            return
        if question == self._looked:
            self.diff = diff
            self.sides = sides if sides is not None and sides.regions else None
            self.shown.emit()

    def decide(self, conflict: int, keep: Keep | None) -> None:
        """Decide a conflict of the current file; None leaves it open again."""
        if (plan := self.current) is not None:
            choices = [*plan.choices, *[None] * (plan.conflicts - len(plan.choices))]
            choices[conflict] = keep
            self._start_deciding(plan, choices)

    def decide_all(self, keep: Keep) -> None:
        """Decide every conflict of the current file alike."""
        if (plan := self.current) is not None:
            self._start_deciding(plan, [keep] * plan.conflicts)

    def _start_deciding(self, plan: FileUndo, choices: Sequence[Keep | None]) -> None:
        self._looked += 1
        self._scope.start(self._decide(self.at, plan, choices, self._looked), "undo: decide")

    async def _decide(self, row: int, plan: FileUndo, choices: Sequence[Keep | None], question: int) -> None:
        try:
            decided = await self._api.decide_undo(plan, choices)
        except PlacetError as error:
            self.failed.emit(error)
            return
        if question == self._looked and self._plans[row] is plan:
            self._plans[row] = decided
            self.dataChanged.emit(self.index(row, 0), self.index(row, 0))
            self.planned.emit()
            self.choose(row)

    def carry_out(self) -> None:
        """Do what was shown, in every file that is decided."""
        if not self.is_busy and (plans := self.doable):
            self.is_busy = True
            self._scope.start(self._carry_out(plans), "undo: do")

    async def _carry_out(self, plans: Sequence[FileUndo]) -> None:
        try:
            outcomes = await self._api.undo(plans)
        except PlacetError as error:
            self.failed.emit(error)
        else:
            self.done.emit(outcomes)
        finally:
            self.is_busy = False


def outcome_sentence(outcome: RevertOutcome) -> str:
    """What reverting a change came to, in words; the core's own message where it gave one."""
    tr = QCoreApplication.translate
    words = {
        RevertStatus.REVERTED: tr("ChangesPage", "put back as it was before"),
        RevertStatus.MOVED_ON: tr("ChangesPage", "left as it is, because it has changed since"),
        RevertStatus.NOTHING: tr("ChangesPage", "left as it is, because there was nothing to undo"),
        RevertStatus.FAILED: tr("ChangesPage", "could not be put back"),
    }
    if outcome.path and outcome.path in outcome.message:
        return outcome.message
    return f"{outcome.path}: {outcome.message or words[outcome.status]}"


def outcome_sentences(outcomes: Sequence[RevertOutcome]) -> Sequence[str]:
    """One sentence a file, however many changes of it there were."""
    return list(dict.fromkeys(outcome_sentence(outcome) for outcome in outcomes))
