"""Undo as values: what a person wants back, what that would do to each file, and what is theirs to decide (`R-9`)."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from placet.core.domain.ids import ChangeId, MessageId, SessionId
from placet.core.domain.review import Change


class UndoWish(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be undone: exactly one of the first four is given.

    `changes` are undone, `again` are applied again after they were undone. `path` means all changes of that file, of
    `session_id` or of every session. `message_id` means the turn of that message, with `whole_rest` all later ones too.
    """

    changes: tuple[ChangeId, ...] = ()
    again: tuple[ChangeId, ...] = ()
    path: str = ""
    message_id: MessageId | None = None
    whole_rest: bool = False
    session_id: SessionId | None = None


class UndoStatus(StrEnum):
    READY = "ready"  # the file is as we left it
    MERGED = "merged"  # it moved on, and both sides fit together
    CONFLICT = "conflict"  # it moved on where the undo would change it: a person decides
    NOTHING = "nothing"  # there is nothing (left) to undo
    GONE = "gone"  # retention removed the contents
    FAILED = "failed"  # the file cannot be read


CAN_UNDO = frozenset({UndoStatus.READY, UndoStatus.MERGED, UndoStatus.CONFLICT})


class Keep(StrEnum):
    """Which side of a conflict stays."""

    THEIRS = "theirs"  # the file as it is now
    UNDONE = "undone"  # what the undo makes of it
    BOTH = "both"  # the first, then the second; never for whole files


class FileUndo(msgspec.Struct, frozen=True, kw_only=True):
    """What the undo makes of one file, bound to the bytes it was planned on and to those it would write.

    `changes` are newest first. `added` and `removed` count lines from the file as it is now to what it would be.
    `choices` decide the first conflicts, in order, None leaves one open; `conflicts` counts all. Where some are open, what is shown and
    counted keeps the file as it is there, and nothing can be written.
    """

    path: str
    changes: tuple[ChangeId, ...]
    status: UndoStatus
    message: str = ""
    now_digest: str = ""
    after_digest: str = ""
    added: int = 0
    removed: int = 0
    choices: tuple[Keep | None, ...] = ()
    conflicts: int = 0

    @property
    def is_decided(self) -> bool:
        """Whether it can be carried out as it is."""
        decided = sum(choice is not None for choice in self.choices)
        return self.status in CAN_UNDO and decided >= self.conflicts


class RegionKind(StrEnum):
    SAME = "same"
    THEIRS = "theirs"  # changed since, by others: stays
    UNDONE = "undone"  # what the undo takes back
    CONFLICT = "conflict"


class Region(msgspec.Struct, frozen=True, kw_only=True):
    """Lines of a three-way comparison, without their endings. Of lines that are the same, `base` has the first and
    last few, and `hidden` counts those between that are left out, after the first `before_hidden`.
    """

    kind: RegionKind
    base: tuple[str, ...] = ()
    theirs: tuple[str, ...] = ()
    undone: tuple[str, ...] = ()
    hidden: int = 0
    before_hidden: int = 0
    choice: Keep | None = None


class ThreeWay(msgspec.Struct, frozen=True, kw_only=True):
    """The file as Placet left it (base), as it is now (theirs), and as it was before (undone).

    Where lines cannot be compared `is_whole` is set: the one conflict is the whole file, `note` says why, and only
    one of both sides can be kept.
    """

    path: str
    regions: tuple[Region, ...]
    is_whole: bool = False
    note: str = ""


class ChangedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file with what was done to it, in one session or in all. Counts are of the steps that hold.

    `is_new` says that the first step made it.
    """

    path: str
    steps: int
    reverted: int
    added: int
    removed: int
    is_new: bool
    newest: float
    sessions: int = 1
    has_conflict: bool = False


class ChangeStep(msgspec.Struct, frozen=True, kw_only=True):
    """One change on the line of a file's steps: who asked for it, and how it was let through.

    `message_id` is the person's message whose turn made it, `said` its beginning.
    """

    change: Change
    message_id: MessageId | None = None
    said: str = ""
    decision: str = ""
