"""From a write that a model asked for to the exact bytes that a person is shown (`R-5`). Runs in a worker thread."""

from __future__ import annotations

import os
from pathlib import Path

from placet.core.domain.errors import ToolFailure
from placet.core.domain.review import Proposal
from placet.core.domain.tools import FileWrite
from placet.core.review.diffing import diff_contents
from placet.core.review.files import MAX_BYTES, OTHERS_RIGHTS, digest_of, failure_of, read_in, refuse_special
from placet.core.review.folder import Folder


def propose(operation: FileWrite, earlier: bytes | None = None, *, tells: bool = True) -> Proposal:
    """Run the tool's own function on the file's current bytes, or on those that an `earlier` write will leave.

    Without `tells` a failure says nothing of what is in the file: the model may not read it without asking.
    Raises: ToolFailure where the tool cannot do it, or the target cannot be written: nobody is asked then.
    """
    path = operation.path
    if Path(os.path.realpath(path)) != path:
        raise ToolFailure(
            f"{path} leads to {os.path.realpath(path)} through a symbolic link. Nothing was written.",
            hint="Name the place it leads to.",
        )
    old = _read_target(path)
    if earlier is not None:
        old = earlier
    try:
        planned = operation.plan(old)
    except ToolFailure:
        if tells:
            raise
        raise _untold() from None
    if len(planned.new) > MAX_BYTES:
        raise ToolFailure(
            f"The new content of {path} would have {len(planned.new):,} bytes; more than {MAX_BYTES:,} cannot be reviewed.",
            hint="Use a command to make a file of this size.",
        )
    if planned.new == old and not tells:
        raise _untold()
    if planned.new == old:
        raise ToolFailure(f"{path} already has exactly this content; there is nothing to change.")
    diff = diff_contents(str(path), old, planned.new)
    status = _status(path)
    return Proposal(
        path=path,
        shown_path=operation.label,
        old=old,
        new=planned.new,
        old_digest=digest_of(old),
        new_digest=digest_of(planned.new),
        result=planned.result,
        notice=". ".join(filter(None, (planned.notice.rstrip("."), *_told_of(status)))),
        added=diff.added,
        removed=diff.removed,
        other_names=status.st_nlink - 1 if status is not None else 0,
    )


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except OSError:
        return None


def _told_of(status: os.stat_result | None) -> list[str]:
    """What else changes with the content: other names, some of them perhaps where no rule lets pass, and rights."""
    if status is None:
        return []
    said = []
    if others := status.st_nlink - 1:
        names = "name" if others == 1 else "names"
        said.append(f"The file has {others} other {names} (hard links) and changes under each")
    if status.st_mode & OTHERS_RIGHTS:
        said.append("The file will no longer run with the rights of its owner or group (set-user-ID, set-group-ID)")
    return said


def _untold() -> ToolFailure:
    return ToolFailure("The edit does not fit the file; read it first with read_file.")


def _read_target(path: Path) -> bytes | None:
    """The current bytes of a place that this process could write to; None where no file is."""
    above = path.parent
    while not above.exists() and above != above.parent:
        above = above.parent
    if not above.is_dir():
        raise ToolFailure(f"Cannot write {path}: {above} is a file, not a folder. Nothing was changed.")
    if above != path.parent:
        _need_writable(above, path)
        return None
    try:
        with Folder(above) as folder:
            status = folder.status(path.name)
            if status is None or status.st_nlink == 1:
                _need_writable(above, path)
            if status is None:
                return None
            refuse_special(path, status)
            if not folder.is_writable(path.name):
                raise ToolFailure(
                    f"Cannot write {path}: it is read-only. Nothing was changed.",
                    hint="The person has to make it writable first.",
                )
            return read_in(folder, path.name)
    except OSError as error:
        raise failure_of(error, path) from error


def _need_writable(folder: Path, path: Path) -> None:
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ToolFailure(
            f"Cannot write {path}: the folder {folder} is not writable. Nothing was changed.",
            hint="Choose another place, or the person has to change the permissions.",
        )
