"""A write under review, and another program that changes the file at a random moment between preview and write.

Every ending must be one of three, and each is told by the bytes on the disk: nothing was written and the other
program's work stands; the write came first and the other program worked on its result; or both met in the very moment
of the rename, and what was replaced is in the journal, shown as a conflict.
"""

from __future__ import annotations

import asyncio
import random
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from placet.core.domain.errors import StalePreview, ToolFailure
from placet.core.domain.events import PendingWrite
from placet.core.domain.messages import RunContext
from placet.core.domain.review import Decision, Permit
from placet.core.domain.stopping import TaskScope
from placet.core.review.bypasses import Bypasses
from placet.core.review.gate import ReviewGate
from placet.core.review.paths import Ground
from placet.core.review.rules import Policy
from support import race_writer
from support.race_writer import ADDED, KINDS, THEIRS
from support.review_fakes import Heard, MemoryApprovals, MemoryJournal, MemoryRules, call_ref, edit_of, prepared

OLD = b"one\ntwo\nthree\n"
NEW = b"one\nTWO\nthree\n"
_MODE = 0o644
_LINK, _PIPE = b"(a link)", b"(a pipe)"


@dataclass(frozen=True)
class Race:
    """How one race went: `ending` is one of refused, first, conflict; `fault` says in words what must never be."""

    kind: str
    ending: str
    fault: str = ""


class OtherProgram:
    """The process of `race_writer`; use as a context manager."""

    def __enter__(self) -> OtherProgram:
        self._process = subprocess.Popen(
            [sys.executable, race_writer.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(10)
        self._process.stdout.close()

    def begin(self, kind: str, after_s: float, path: Path) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{kind}\t{time.monotonic() + after_s}\t{path}\n")

    def said(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


async def race(root: Path, other: OtherProgram, kind: str, after_s: float) -> Race:
    """One write of a file in `root`, which is made and removed."""
    beside, folder = root / "beside", root / "work"
    (beside / "folder").mkdir(parents=True)
    folder.mkdir()
    path = folder / "file"
    for place in (path, beside / "bystander", beside / "folder" / "file"):
        place.write_bytes(OLD)
        place.chmod(_MODE)
    journal = MemoryJournal()
    try:
        told, ending = await _write(folder, path, journal, lambda: other.begin(kind, after_s, path), other)
        return Race(kind, ending, _fault(root, path, kind, told, ending, journal))
    finally:
        shutil.rmtree(root)


async def _write(
    folder: Path, path: Path, journal: MemoryJournal, begin: Callable[[], None], other: OtherProgram
) -> tuple[str, str]:
    """Ask, let the other program loose, approve, write; returns what the other said, and how the write ended."""
    heard, scope = Heard(), TaskScope("race")
    gate = ReviewGate(
        MemoryRules(),
        MemoryApprovals(),
        journal,
        heard,
        Policy(Ground(folder.parent / "placet", folder.parent / "me")),
        prepared,
        Bypasses(),
    )
    operation = edit_of(path, b"two", b"TWO")
    task = scope.start(gate.clear(call_ref("edit_file"), operation, RunContext(workdir=str(folder))))
    request = await heard.next(PendingWrite)
    begin()
    gate.answer(request.request_id, Decision(approved=True))
    permit = await task
    assert isinstance(permit, Permit)
    try:
        result = await gate.apply(call_ref("edit_file"), permit)
        ending = "conflict" if "conflict" in result.facts else "first"
    except (StalePreview, ToolFailure):
        ending = "refused"
    return await asyncio.to_thread(other.said), ending


def _after(kind: str, content: bytes | None) -> bytes | None:
    """What the other program leaves at the path when it finds this content there."""
    if kind in ("saves by rename", "saves in place", "writes over"):
        return THEIRS
    return {
        "appends": (content or b"") + ADDED,
        "empties": b"",
        "deletes": None,
        "replaces by a link": _LINK,
        "replaces by a hard link": OLD,
        "replaces by a pipe": _PIPE,
        "swaps the folder": OLD,
    }.get(kind, content)


def _fault(root: Path, path: Path, kind: str, told: str, ending: str, journal: MemoryJournal) -> str:
    (change,) = journal.changes.values()
    found = journal.found.get(change.id)
    now = _seen(path)
    second = root / "beside" / "second"
    if told != "done" and kind != "gives another name":  # what it linked was replaced in that moment: it did nothing
        return f"the other program {told}"
    shown_nowhere = [root / "beside" / "bystander", root / "beside" / "folder" / "file"]
    if second.exists() and ending == "refused":
        shown_nowhere.append(second)
    for bystander in shown_nowhere:
        if bystander.read_bytes() != OLD:
            return f"{bystander.name} was changed, which nobody was shown"
    left = [at.name for folder in (root / "work", root / "moved") if folder.exists() for at in folder.iterdir()]
    if [name for name in left if name.startswith(".placet-")]:
        return f"something was left behind: {left}"
    # A link with the very bytes that were shown may be what was replaced; then the link alone is gone.
    firsts = [_after(kind, NEW)] + [NEW] * (kind == "replaces by a hard link")
    is_right = {
        "refused": now == _after(kind, OLD),
        "first": now in firsts and found is None,
        "conflict": now == NEW and found == _after(kind, OLD) and bool(change.conflict),
    }[ending]
    if not is_right:
        return f"after {ending} the file is {now!r}, the journal kept {found!r}"
    if kind == "closes to others" and stat.S_IMODE(path.stat().st_mode) != 0o600:
        return f"the other program's mode is lost: {stat.S_IMODE(path.stat().st_mode):o}"
    return ""


def _seen(path: Path) -> bytes | None:
    try:
        status = path.lstat()
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(status.st_mode):
        return _LINK
    return path.read_bytes() if stat.S_ISREG(status.st_mode) else _PIPE


async def campaign(root: Path, seed: int, count: int, longest_s: float = 0.012) -> list[Race]:
    """`count` races, the kinds in turn, each at a random moment of the write."""
    made = random.Random(seed)
    kinds = list(KINDS)
    with OtherProgram() as other:
        return [
            await race(root / str(number), other, kinds[number % len(kinds)], made.uniform(0, longest_s))
            for number in range(count)
        ]
