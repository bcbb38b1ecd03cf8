"""The only way to be modal: show a dialog and await its answer. No nested event loop, so turns go on meanwhile."""

from __future__ import annotations

import asyncio

from PySide6.QtWidgets import QDialog
from shiboken6 import isValid


async def ask(dialog: QDialog) -> int:
    """Open `dialog` over its parent window and return how it ended; it is deleted afterwards.

    Cancelling the wait closes the dialog. A dialog that dies with its parent counts as rejected.
    """
    ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def settle(result: int) -> None:
        if not ended.done():
            ended.set_result(result)

    dialog.finished.connect(settle)
    dialog.destroyed.connect(lambda: settle(int(QDialog.DialogCode.Rejected)))
    dialog.open()
    try:
        return await ended
    except asyncio.CancelledError:
        if isValid(dialog):
            dialog.done(int(QDialog.DialogCode.Rejected))
        raise
    finally:
        if isValid(dialog):
            dialog.deleteLater()
