"""A file difference as values: what the review pane draws and the terminal prints."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Sign(StrEnum):
    SAME = " "
    REMOVED = "-"
    ADDED = "+"


class DiffLine(msgspec.Struct, frozen=True):
    """One line without its ending. Numbers count from 1; None on the side where the line is not.

    `marks` are (start, end) offsets of what changed inside the line.
    """

    sign: Sign
    old: int | None
    new: int | None
    text: str
    marks: tuple[tuple[int, int], ...] = ()


class Hunk(msgspec.Struct, frozen=True, kw_only=True):
    """Changed lines with their context. `symbol` is the enclosing function where one can be told.

    `unchanged_before` counts the lines between the hunk before (or the start) and this one.
    """

    lines: tuple[DiffLine, ...]
    unchanged_before: int
    symbol: str = ""


class NoticeLevel(StrEnum):
    FACT = "fact"
    WARNING = "warning"


class DiffNotice(msgspec.Struct, frozen=True):
    """Something the lines alone do not show: endings, encoding, BOM, hidden characters, final newline.

    `lines` are the places that it is about, by the numbers of the new side from 1; of very many the first ones.
    """

    level: NoticeLevel
    text: str
    lines: tuple[int, ...] = ()


class FileDiff(msgspec.Struct, frozen=True, kw_only=True):
    """The difference between two contents of a file. Binary files have no hunks and say so in a notice.

    `can_choose` says whether its hunks can be decided one by one. `old_lines` is the whole old side where some of it is
    between the hunks, for whoever wants to see more of it.
    """

    path: str
    hunks: tuple[Hunk, ...]
    unchanged_after: int
    added: int
    removed: int
    is_new: bool = False
    is_deleted: bool = False
    is_binary: bool = False
    encoding: str = "UTF-8"
    newline: str = "LF"
    language: str = ""  # a pygments alias, by the file's name; empty: plain
    notices: tuple[DiffNotice, ...] = ()
    can_choose: bool = False
    of: str = ""  # of a waiting write: tells this very difference from one that was made anew
    old_lines: tuple[str, ...] = ()
