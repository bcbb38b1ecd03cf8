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

MAX_BYTES = 16_000_000

Plan = Callable[[bytes | None], PlannedWrite]


def write_spec(name: str, description: str) -> ToolSpec:
    return ToolSpec(
        name=name, description=description, parameters={}, category=Category.FS_WRITE, replay=Replay.JOURNAL
    )


def file_write(tool: str, args: dict[str, Any], place: Place, make_plan: Callable[[Path, str], Plan]) -> FileWrite:
    """Return the write of the file that `args` name; `make_plan(path, label)` gives its plan.

    Raises: ToolFailure where the path reads as one of a folder. What is there is looked at by the plan's caller.
    """
    path = place.resolve(args["path"])
    label = place.label(path)
    if args["path"].endswith("/") or Path(args["path"]).name in ("", ".."):
        raise ToolFailure(f"'{args['path']}' names a folder; {tool} needs the path of a file.")
    return FileWrite(tool=tool, label=label, detail=str(path), path=path, plan=make_plan(path, label))


def existing_text(old: bytes | None, path: Path, label: str) -> TextFile:
    """Return the file's text for editing. Raises: ToolFailure where there is no file, no text, or too much of it."""
    if old is None:
        # Outside the working directory nobody may have been asked yet: no names of what is there are told.
        is_inside = not Path(label).is_absolute()
        said = missing(path, label, lambda _path: False).message if is_inside else f"There is no file '{label}'."
        raise ToolFailure(f"{said} To make a new file use write_file.")
    need_moderate(old, label)
    return decode(old)


def need_moderate(old: bytes, label: str) -> None:
    """Refuse a file so large that planning and comparing would hold up the program. Raises: ToolFailure."""
    if len(old) > MAX_BYTES:
        raise ToolFailure(
            f"'{label}' has {len(old):,} bytes; text tools change files of up to {MAX_BYTES:,}. "
            "Use execute_cmd for it (sed, for example)."
        )


def planned(file: TextFile, text: str, old: bytes, result: str, notice: str = "") -> PlannedWrite:
    """Return the write of `text` in the file's own encoding. Raises: ToolFailure where nothing would change."""
    new = file.encode(text)
    if new == old:
        raise no_change()
    return PlannedWrite(new=new, result=result, notice=notice)


def no_change() -> ToolFailure:
    return ToolFailure("no change: the file already has exactly this content. Nothing was written.")
