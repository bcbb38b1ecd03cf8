"""The only way to be modal: show a dialog and await its answer. No nested event loop, so turns go on meanwhile."""

from __future__ import annotations

import asyncio

from PySide6.QtWidgets import QDialog


async def ask(dialog: QDialog) -> int:
    """Open `dialog` over its parent window and return how it ended; it is deleted afterwards.

    Cancelling the wait closes the dialog. A dialog that dies with its parent counts as rejected.
    """
    ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def settle(result: int) -> None:
        if not ended.done():
            ended.set_result(result)

    dialog.finished.connect(settle)
    gone = dialog.destroyed.connect(lambda: settle(int(QDialog.DialogCode.Rejected)))
    dialog.open()
    try:
        result = await ended
    except asyncio.CancelledError:
        dialog.done(int(QDialog.DialogCode.Rejected))
        raise
    finally:
        dialog.destroyed.disconnect(gone)
        dialog.deleteLater()
    return result
