"""What the tools that change files share: the operation, and the checks before a plan."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from placet.core.domain.errors import ToolFailure
from placet.core.domain.tools import Category, FileWrite, PlannedWrite, Replay, ToolSpec
from placet.core.tools.arguments import Param
from placet.core.tools.places import Place, missing
from placet.core.tools.text_file import TextFile, decode

PATH = Param(name="path", required=True, description="The file, absolute or relative to the working directory.")

Plan = Callable[[bytes | None], PlannedWrite]


def write_spec(name: str, description: str) -> ToolSpec:
    return ToolSpec(
        name=name, description=description, parameters={}, category=Category.FS_WRITE, replay=Replay.JOURNAL
    )


def file_write(tool: str, args: dict[str, Any], place: Place, make_plan: Callable[[Path, str], Plan]) -> FileWrite:
    """Return the write of the file that `args` name; `make_plan(path, label)` gives its plan.

    Raises: ToolFailure where the path names a folder.
    """
    path = place.resolve(args["path"])
    label = place.label(path)
    if path.is_dir() or args["path"].endswith("/"):
        raise ToolFailure(f"'{args['path']}' names a folder; {tool} needs the path of a file.")
    return FileWrite(tool=tool, label=label, detail=str(path), path=path, plan=make_plan(path, label))


def existing_text(old: bytes | None, path: Path, label: str) -> TextFile:
    """Return the file's text for editing. Raises: ToolFailure where there is no file or no text."""
    if old is None:
        failure = missing(path, label)
        raise ToolFailure(f"{failure.message} To make a new file use write_file.")
    return decode(old)


def planned(file: TextFile, text: str, old: bytes, result: str, notice: str = "") -> PlannedWrite:
    """Return the write of `text` in the file's own encoding. Raises: ToolFailure where nothing would change."""
    new = file.encode(text)
    if new == old:
        raise no_change()
    return PlannedWrite(new=new, result=result, notice=notice)


def no_change() -> ToolFailure:
    return ToolFailure("no change: the file already has exactly this content. Nothing was written.")
