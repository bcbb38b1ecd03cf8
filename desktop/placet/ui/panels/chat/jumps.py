"""The keys that go through the conversation from anywhere in the window."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from placet.ui.panels.chat.panel import ChatPanel
from placet.ui.widgets.transcript.jumping import go_to_own, go_to_waiting


def jump_to_own(chat: ChatPanel, step: int) -> None:
    """To the next message of the person, or with -1 to the previous one."""
    if chat.transcript.isVisible():
        chat.transcript.setFocus()
        go_to_own(chat.transcript, step)


def jump_to_waiting(chat: ChatPanel) -> None:
    """To the next call that waits for the person; Enter there opens its review."""
    if not chat.isVisible():
        return
    if chat.transcript.isVisible() and go_to_waiting(chat.transcript):
        chat.transcript.setFocus()
    else:
        chat.hinted.emit(QCoreApplication.translate("ChatPanel", "Nothing waits for you in this chat"))
