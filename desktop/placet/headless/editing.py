"""A person's own editor, for what they change before they approve it."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from placet.core.domain.errors import UsageError

_USUAL = ("editor", "nano", "vim", "vi", "notepad")
_LONGEST_NAME = 60  # characters; of four bytes each they still are a name


async def edited(text: str, name: str) -> str:
    """Let the person edit `text` in `$VISUAL`, `$EDITOR` or a usual editor; returns what they saved, with LF alone.

    `name` is the file's, so that the editor knows the language. Raises: UsageError where no editor runs, or nothing was
    changed in it.
    """
    return await asyncio.to_thread(_edited, text, name)


def _edited(text: str, name: str) -> str:
    editor = _editor()
    with tempfile.TemporaryDirectory(prefix="placet-") as folder:
        path = Path(folder) / (Path(name).name[-_LONGEST_NAME:] or "text")
        path.write_text(text, encoding="utf-8", newline="")
        try:
            # What it draws is for the person: standard output may be read by another program.
            code = subprocess.run([*editor, str(path)], stdout=sys.stderr, check=False).returncode
        except OSError as error:
            raise UsageError(
                f"The editor {editor[0]} cannot be started: {error.strerror}.", hint="Set EDITOR to another one."
            ) from error
        if code:
            raise UsageError(f"The editor {editor[0]} {_ended(code)}. Nothing was taken over.")
        try:
            saved = path.read_bytes().decode().replace("\r\n", "\n")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"What the editor saved cannot be read: {error}. Nothing was taken over.") from error
    if saved == text.replace("\r\n", "\n"):
        raise UsageError(
            "Nothing was changed in the editor.",
            hint="One that opens a window must wait until it is closed: set EDITOR to for example “code --wait”.",
        )
    return saved


def _ended(code: int) -> str:
    return f"ended with code {code}" if code > 0 else f"was ended by {signal.Signals(-code).name}"


def _editor() -> list[str]:
    for variable in ("VISUAL", "EDITOR"):
        try:
            words = shlex.split(os.environ.get(variable, ""))
        except ValueError as error:
            raise UsageError(f"{variable} is no command: {error}.", hint=f"Set {variable} anew.") from error
        if words:
            return words
    found = next((name for name in _USUAL if shutil.which(name)), None)
    if found is None:
        raise UsageError("There is no editor here.", hint="Set EDITOR to the command that starts one.")
    return [found]
