"""The menus of the chat view: copying, and undoing what a turn did."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu

if TYPE_CHECKING:
    from placet.ui.widgets.transcript.view import TranscriptView


def context_menu(view: TranscriptView, row: int | None, link: str) -> QMenu:
    """What can be done at a place: `row` is the one that is meant, `link` the target under the pointer, if any."""
    menu = _menu(view)
    if link:
        menu.addAction(_tr("Copy link"), lambda: QGuiApplication.clipboard().setText(link))
    menu.addAction(_tr("Copy"), view.copy).setEnabled(not view.selection.is_empty)
    menu.addAction(_tr("Copy as Markdown"), lambda: view.copy(markdown=True)).setEnabled(not view.selection.is_empty)
    menu.addSeparator()
    menu.addAction(_tr("Select all"), view.select_all)
    _add_undo(view, menu, row)
    return menu


def undo_menu(view: TranscriptView, row: int) -> QMenu:
    menu = _menu(view)
    _add_undo(view, menu, row)
    return menu


def _menu(view: TranscriptView) -> QMenu:
    menu = QMenu(view)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return menu


def _add_undo(view: TranscriptView, menu: QMenu, row: int | None) -> None:
    """What the turn of a row did, and all that was done from its message on, where that is anything."""
    message_id = view.model.message_of(row) if row is not None else 0
    if message_id and view.model.has_changes_since(message_id):
        if not menu.isEmpty():
            menu.addSeparator()
        menu.addAction(_tr("Undo this turn …"), lambda: view.undo_turn_requested.emit(message_id))
        menu.addAction(_tr("Undo everything since here …"), lambda: view.undo_since_requested.emit(message_id))


def _tr(words: str) -> str:
    return QCoreApplication.translate("TranscriptView", words)
