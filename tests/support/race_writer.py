"""Another program that changes a file at a given moment. Run as a process of its own by `race_campaign`.

Reads `kind at path` from its input, does it when the system's monotonic clock says `at`, and answers with one line.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

THEIRS = b"THEIRS: saved by somebody else\n" * 20
ADDED = b"THEIRS: one more line\n"


def _beside(path: Path, name: str) -> Path:
    """Names that the campaign prepared or looks at, in a folder that no write is planned in."""
    return path.parent.parent / "beside" / name


def _save_by_rename(path: Path) -> None:
    temporary = _beside(path, "editor")
    temporary.write_bytes(THEIRS)
    temporary.replace(path)


def _save_in_place(path: Path) -> None:
    """As a plain editor does: emptied, then written, in two steps."""
    with path.open("wb", buffering=0) as file:
        file.write(THEIRS[:100])
        file.write(THEIRS[100:])


def _write_over(path: Path) -> None:
    with path.open("r+b", buffering=0) as file:
        file.write(THEIRS)
        file.truncate()


def _append(path: Path) -> None:
    with path.open("ab", buffering=0) as file:
        file.write(ADDED)


def _empty(path: Path) -> None:
    os.truncate(path, 0)


def _delete(path: Path) -> None:
    path.unlink()


def _replace_by_link(path: Path) -> None:
    link = _beside(path, "link")
    link.symlink_to(_beside(path, "bystander"))
    link.replace(path)


def _replace_by_hard_link(path: Path) -> None:
    other = _beside(path, "hard")
    other.hardlink_to(_beside(path, "bystander"))
    other.replace(path)


def _give_another_name(path: Path) -> None:
    _beside(path, "second").hardlink_to(path)


def _replace_by_pipe(path: Path) -> None:
    pipe = _beside(path, "pipe")
    os.mkfifo(pipe)
    pipe.replace(path)


def _close_to_others(path: Path) -> None:
    path.chmod(0o600)


def _swap_the_folder(path: Path) -> None:
    """The folder becomes a link to one that has a file of the same name and content."""
    path.parent.rename(path.parent.with_name("moved"))
    path.parent.symlink_to(_beside(path, "folder"))


KINDS: dict[str, Callable[[Path], None]] = {
    "saves by rename": _save_by_rename,
    "saves in place": _save_in_place,
    "writes over": _write_over,
    "appends": _append,
    "empties": _empty,
    "deletes": _delete,
    "replaces by a link": _replace_by_link,
    "replaces by a hard link": _replace_by_hard_link,
    "gives another name": _give_another_name,
    "replaces by a pipe": _replace_by_pipe,
    "closes to others": _close_to_others,
    "swaps the folder": _swap_the_folder,
}


def main() -> None:
    for line in sys.stdin:
        kind, at, path = line.rstrip("\n").split("\t")
        while time.monotonic() < float(at):
            pass
        try:
            KINDS[kind](Path(path))
            print("done", flush=True)
        except OSError as error:
            print(f"failed: {error}", flush=True)


if __name__ == "__main__":
    main()
