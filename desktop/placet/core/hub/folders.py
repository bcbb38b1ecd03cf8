"""Folders that a person names to work in or to watch."""

from __future__ import annotations

from pathlib import Path

from placet.core.domain.errors import UsageError
from placet.core.domain.text import clean_text


def checked_folder(workdir: str) -> str:
    """Raises: UsageError where it is no folder, or its name is no text."""
    folder = Path(workdir).expanduser()
    if not folder.is_dir():
        raise UsageError(f"{workdir} is not a folder.", hint="Choose a folder that exists.")
    resolved = str(folder.resolve())
    if clean_text(resolved) != resolved:
        raise UsageError(f"The name of the folder {workdir!r} is no valid text.", hint="Choose or rename the folder.")
    return resolved


def current_folder() -> str:
    """Raises: UsageError where the folder that the program was started in is gone."""
    try:
        return checked_folder(str(Path.cwd()))
    except OSError:
        raise UsageError("The current folder does not exist any more.", hint="Name one with --workdir.") from None
