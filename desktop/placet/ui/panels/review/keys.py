"""The keys of the review pane in words, for whoever lists them."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

_tr = QCoreApplication.translate


def review_keys() -> list[tuple[str, str]]:
    """Each as (what it does, the key)."""
    return [
        (_tr("ReviewKeys", "Approve, in the review"), _tr("ReviewKeys", "Enter")),
        (_tr("ReviewKeys", "Approve and do not ask again for a while"), _tr("ReviewKeys", "Shift+Enter")),
        (_tr("ReviewKeys", "Reject with a reason"), "R"),
        (_tr("ReviewKeys", "Edit before approving"), "E"),
        (_tr("ReviewKeys", "Accept a hunk, skip a hunk, and go to the next"), "A, S"),
        (_tr("ReviewKeys", "Take a hunk out or in"), _tr("ReviewKeys", "Space")),
        (_tr("ReviewKeys", "Next and previous hunk"), "N, P"),
        (_tr("ReviewKeys", "Next and previous request"), "], ["),
        (_tr("ReviewKeys", "Show more lines around a hunk, all of them"), _tr("ReviewKeys", "O, Alt+O")),
        (_tr("ReviewKeys", "Next and previous line that a notice is about"), _tr("ReviewKeys", "L, Shift+L")),
        (_tr("ReviewKeys", "Both sides beside each other"), "V"),
        (_tr("ReviewKeys", "The review over the whole window"), "F"),
        (_tr("ReviewKeys", "Wrap long lines"), "W"),
        (_tr("ReviewKeys", "Show what an edit changes, in its editor"), _tr("ReviewKeys", "Ctrl+Enter")),
    ]
