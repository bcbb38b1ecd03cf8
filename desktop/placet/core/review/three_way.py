"""Undoing what lies under somebody else's edits: three contents to one. Pure; meant for a worker thread.

*base* is the file as Placet left it, *theirs* as it is now, *undone* as it was before. What only one side changed is
taken from that side; what both changed differently is a conflict, and a person decides it.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence

import msgspec

from placet.core.domain.errors import UsageError
from placet.core.domain.undo import Keep, Region, RegionKind
from placet.core.review.decoding import Content, read_content
from placet.core.review.diff_lines import changed_blocks

_CONTEXT = 3
_CODECS = {
    "UTF-8": ("utf-8", codecs.BOM_UTF8),
    "UTF-16 LE": ("utf-16-le", codecs.BOM_UTF16_LE),
    "UTF-16 BE": ("utf-16-be", codecs.BOM_UTF16_BE),
    "UTF-32 LE": ("utf-32-le", codecs.BOM_UTF32_LE),
    "UTF-32 BE": ("utf-32-be", codecs.BOM_UTF32_BE),
    "Latin-1": ("latin-1", b""),
}


class Merge(msgspec.Struct, frozen=True, kw_only=True):
    """What came of it. `content` keeps the file as it is at conflicts that no choice decides."""

    content: bytes | None
    regions: tuple[Region, ...] = ()
    conflicts: int = 0
    is_whole: bool = False
    note: str = ""


class _Form(msgspec.Struct, frozen=True):
    """How lines become bytes. No `newline` means that each line has its own ending."""

    encoding: str
    has_mark: bool
    newline: str


class _Sides(msgspec.Struct, frozen=True):
    """Lines with their endings, all LF where the form says how they end, and the form of the result."""

    form: _Form
    base: list[str]
    undone: list[str]
    theirs: list[str]


def merge(base: bytes | None, undone: bytes | None, theirs: bytes | None, choices: Sequence[Keep | None] = ()) -> Merge:
    """Take the step from `base` to `undone` on a file that is `theirs` by now; None is "no file".

    `choices` decide the first conflicts in order; those that are missing or None leave the file as it is.
    Raises: UsageError for "both" where whole files are compared.
    """
    if theirs == base:
        return Merge(content=undone)
    if undone in (base, theirs):
        return Merge(content=theirs)
    if base is None or undone is None or theirs is None:
        return _whole(base, undone, theirs, choices, "One of the sides is no file.")
    sides = _sides(base, undone, theirs)
    if sides is None:
        return _whole(base, undone, theirs, choices, "The sides are no text of one encoding.")
    regions = tuple(_decided(_regions(sides), choices))
    text = "".join(line for region in regions for line in _result(region))
    try:
        content = _encoded(text, sides.form)
    except UnicodeEncodeError:
        return _whole(base, undone, theirs, choices, "The result cannot be written in the encoding of the file.")
    conflicts = sum(region.kind is RegionKind.CONFLICT for region in regions)
    return Merge(content=content, regions=tuple(map(_shown, regions)), conflicts=conflicts)


def _whole(
    base: bytes | None, undone: bytes | None, theirs: bytes | None, choices: Sequence[Keep | None], note: str
) -> Merge:
    if Keep.BOTH in choices[:1]:
        raise UsageError("Whole files cannot both be kept.", hint="Keep the file as it is, or what the undo gives.")
    choice = choices[0] if choices else None
    lines = [tuple(read_content(side).lines) for side in (base, theirs, undone)]
    region = Region(kind=RegionKind.CONFLICT, base=lines[0], theirs=lines[1], undone=lines[2], choice=choice)
    content = undone if choice is Keep.UNDONE else theirs
    return Merge(content=content, regions=(region,), conflicts=1, is_whole=True, note=note)


# ---- bytes to lines and back ---------------------------------------------------------------------------------------


def _sides(base: bytes, undone: bytes, theirs: bytes) -> _Sides | None:
    """None where the three cannot be compared line by line."""
    contents = [read_content(side) for side in (base, undone, theirs)]
    if any(content.is_binary for content in contents):
        return None
    if any(content.is_guess for content in contents):
        if any(content.encoding not in ("UTF-8", "Latin-1") for content in contents):
            return None
        # Byte by byte: what is no UTF-8 stays what it is, and so does what is.
        whole = [_with_endings(side.decode("latin-1")) for side in (base, undone, theirs)]
        return _Sides(_Form("Latin-1", False, ""), *whole)
    form = _agreed(*_forms(contents))
    if form is None:
        return None
    newline = _newline(contents)
    lines = [
        [line + (end if not newline or not end else "\n") for line, end in zip(c.lines, c.endings, strict=True)]
        for c in contents
    ]
    return _Sides(_Form(*form, newline), *lines)


def _with_endings(text: str) -> list[str]:
    lines = [line + "\n" for line in text.split("\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def _forms(contents: Sequence[Content]) -> list[tuple[str, bool]]:
    """Encoding and mark of each; a side without lines changes neither."""
    found = [(content.encoding, content.has_mark) if content.lines else None for content in contents]
    base, undone, theirs = found
    usual = base or theirs or undone or ("UTF-8", False)
    return [form or usual for form in found]


def _agreed(base: tuple[str, bool], undone: tuple[str, bool], theirs: tuple[str, bool]) -> tuple[str, bool] | None:
    """Encoding and mark by the rule for lines: the side that changed them wins; None where both did."""
    if theirs in (base, undone):
        return undone
    return theirs if undone == base else None


def _newline(contents: Sequence[Content]) -> str:
    """One ending for all lines, where each side has one; a side that changed it for the whole file wins."""
    kinds = [content.newline for content in contents]
    if "mixed" in kinds or any(line.endswith("\r") for content in contents for line in content.lines):
        return ""
    base, undone, theirs = kinds
    known = [kind for kind in (undone if undone != base else "none", theirs, undone, base) if kind != "none"]
    return {"LF": "\n", "CRLF": "\r\n"}[known[0]] if known else ""


def _encoded(text: str, form: _Form) -> bytes:
    codec, mark = _CODECS[form.encoding]
    if form.newline == "\r\n":
        text = text.replace("\n", "\r\n")
    return (mark if form.has_mark else b"") + text.encode(codec)


# ---- regions -------------------------------------------------------------------------------------------------------


class _Matcher:
    """Equal lines as the diffs find them that a person sees; the form in which `merge3` asks."""

    def __init__(self, _isjunk: object, a: list[str], b: list[str]) -> None:
        self._a, self._b = a, b

    def get_matching_blocks(self) -> list[tuple[int, int, int]]:
        found: list[tuple[int, int, int]] = []
        a = b = 0
        for block in changed_blocks(self._a, self._b):
            if block.a1 > a:
                found.append((a, b, block.a1 - a))
            a, b = block.a2, block.b2
        if len(self._a) > a:
            found.append((a, b, len(self._a) - a))
        return [*found, (len(self._a), len(self._b), 0)]


def _regions(sides: _Sides) -> Iterator[Region]:
    from merge3 import Merge3

    merging = Merge3(sides.base, sides.undone, sides.theirs, sequence_matcher=_Matcher)
    z = a = b = 0
    for z1, z2, a1, a2, b1, b2 in merging.find_sync_regions():
        gap = (tuple(sides.base[z:z1]), tuple(sides.undone[a:a1]), tuple(sides.theirs[b:b1]))
        if any(gap):
            yield _changed(*gap)
        if z2 > z1:
            yield Region(kind=RegionKind.SAME, base=tuple(sides.base[z1:z2]))
        z, a, b = z2, a2, b2


def _changed(base: tuple[str, ...], undone: tuple[str, ...], theirs: tuple[str, ...]) -> Region:
    if undone in (base, theirs):
        kind = RegionKind.THEIRS
    else:
        kind = RegionKind.UNDONE if theirs == base else RegionKind.CONFLICT
    return Region(kind=kind, base=base, undone=undone, theirs=theirs)


def _decided(regions: Iterator[Region], choices: Sequence[Keep | None]) -> Iterator[Region]:
    left = iter(choices)
    for region in regions:
        if region.kind is RegionKind.CONFLICT:
            yield msgspec.structs.replace(region, choice=next(left, None))
        else:
            yield region


def _result(region: Region) -> tuple[str, ...]:
    match region.kind:
        case RegionKind.SAME:
            return region.base
        case RegionKind.UNDONE:
            return region.undone
        case RegionKind.CONFLICT if region.choice is Keep.UNDONE:
            return region.undone
        case RegionKind.CONFLICT if region.choice is Keep.BOTH:
            return _joined(region.theirs, region.undone)
        case _:
            return region.theirs


def _joined(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    """The last line of a file may have no ending; what follows it must not grow onto it."""
    if first and second and not first[-1].endswith("\n"):
        ending = "\r\n" if second[0].endswith("\r\n") else "\n"
        return (*first[:-1], first[-1] + ending, *second)
    return (*first, *second)


def _shown(region: Region) -> Region:
    """For the eye: without endings, and of many equal lines the ends only."""
    base, theirs, undone = (
        tuple(line.rstrip("\n").removesuffix("\r") for line in side)
        for side in (region.base, region.theirs, region.undone)
    )
    if region.kind is RegionKind.SAME and len(base) > 2 * _CONTEXT + 1:
        hidden = len(base) - 2 * _CONTEXT
        short = base[:_CONTEXT] + base[-_CONTEXT:]
        return msgspec.structs.replace(region, base=short, hidden=hidden, before_hidden=_CONTEXT)
    return msgspec.structs.replace(region, base=base, theirs=theirs, undone=undone)
