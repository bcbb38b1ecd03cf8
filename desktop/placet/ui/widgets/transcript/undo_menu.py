"""Undoing what a turn did, as a menu of its own and at the end of the context menu."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from placet.ui.models.transcript_turns import has_changes_since, message_of
from placet.ui.widgets.menu import Menu

if TYPE_CHECKING:
    from placet.ui.widgets.transcript.view import TranscriptView


def undo_menu(view: TranscriptView, row: int) -> Menu:
    menu = new_menu(view)
    add_undo(view, menu, row)
    return menu


def new_menu(view: TranscriptView) -> Menu:
    """An empty menu that is gone once it is closed."""
    return Menu(view.theme, view)


def add_undo(view: TranscriptView, menu: Menu, row: int | None) -> None:
    """What the turn of a row did, and all that was done from its message on, where that is anything."""
    rows = view.model.rows
    message_id = message_of(rows, row) if row is not None else 0
    if message_id and has_changes_since(rows, message_id):
        if not menu.isEmpty():
            menu.addSeparator()
        menu.add(_tr("Undo this turn …"), lambda: view.undo_turn_requested.emit(message_id))
        menu.add(_tr("Undo everything since here …"), lambda: view.undo_since_requested.emit(message_id))


def _tr(words: str) -> str:
    return QCoreApplication.translate("TranscriptView", words)
