"""What the action bar offers for what is shown: the words on Approve, and what must be known before pressing it."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from placet.core.domain.diff import FileDiff
from placet.core.domain.review import PendingRequest, RequestKind
from placet.ui.models.review_draft import Draft
from placet.ui.panels.review.content import RequestContent
from placet.ui.panels.review.decision_bar import Answers

_tr = QCoreApplication.translate


def answers_to(
    request: PendingRequest, draft: Draft, diff: FileDiff | None, content: RequestContent, *, is_busy: bool
) -> Answers:
    """Return what can be answered to a request that is shown and not being edited."""
    is_write = request.kind is RequestKind.WRITE
    is_ready = diff is not None or not is_write
    can_edit = request.kind is RequestKind.COMMAND
    if diff is not None:
        can_edit = not (diff.is_binary or diff.is_deleted)
    return Answers(
        approve=_approve(draft, is_write=is_write),
        short=_short(draft),
        can_approve=content.is_seen and not draft.leaves_nothing,
        can_edit=can_edit,
        enabled=not is_busy,
        can_grant=not request.is_own,
        reason=draft.reason,
        hint=_hint(request, draft, is_busy=is_busy, is_unread=is_ready and not content.is_seen),
    )


def _approve(draft: Draft, *, is_write: bool) -> str:
    if draft.own is not None and not draft.is_part:
        return _tr("DecisionBar", "Approve your version") if is_write else _tr("DecisionBar", "Run your command")
    if draft.can_choose and draft.shown is not None:
        chosen, count = len(draft.chosen), len(draft.shown.hunks)
        words = _tr("DecisionBar", "Approve {} of {} hunks").format(chosen, count)
        return words if chosen < count else _tr("DecisionBar", "Approve all {} hunks").format(count)
    return _tr("DecisionBar", "Approve")


def _short(draft: Draft) -> str:
    if draft.own is not None and not draft.is_part:
        return _tr("DecisionBar", "Approve yours")
    if not draft.can_choose or draft.shown is None:
        return ""
    return _tr("DecisionBar", "Approve {} of {}").format(len(draft.chosen), len(draft.shown.hunks))


def _hint(request: PendingRequest, draft: Draft, *, is_busy: bool, is_unread: bool) -> str:
    if is_busy:
        return _tr("DecisionBar", "A moment…")
    if is_unread:
        return _tr("DecisionBar", "Scroll to the end to approve")
    if draft.leaves_nothing:
        return _tr("DecisionBar", "Every hunk is skipped: nothing would be written. Reject it instead.")
    if draft.amendment is not None and not request.is_own:
        return _tr("DecisionBar", "The model is told what you changed.")
    if draft.reason:
        return _tr("DecisionBar", "Your reason for rejecting is kept: R opens it again.")
    if draft.text is not None:
        return _tr("DecisionBar", "Your edited text is kept: E opens it again.")
    return ""
