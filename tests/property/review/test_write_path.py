"""Random files, random edits by the real tools, through the whole gate: what is approved is what is written, to the byte.

The check runs few examples; `PLACET_WRITE_EXAMPLES=10000` runs as many as that.
"""

from __future__ import annotations

import asyncio
import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from placet.core.domain.errors import ToolFailure
from placet.core.domain.ids import ChangeId
from placet.core.domain.review import ChangeState, RevertStatus
from placet.core.domain.tools import FileWrite
from placet.core.review.undo import Undo
from support.arena import Arena

EXAMPLES = int(os.environ.get("PLACET_WRITE_EXAMPLES", "60"))
# Byte order mark, codec for Python, and whether text tools may edit it.
KINDS = [
    (b"", "utf-8", True), (b"\xef\xbb\xbf", "utf-8", True), (b"\xff\xfe", "utf-16-le", True), (b"\xfe\xff", "utf-16-be", True),
    (b"", "latin-1", False), (b"", "cp1252", False), (b"", "utf-16-le", False), (b"", "shift_jis", False),
    (b"\xff\xfe\0\0", "utf-32-le", False),
]  # fmt: skip
LINE = st.text(st.sampled_from("abc {}\t\r\f\v\x1b\x85\u2028é\u0301\u00a0ñ日\u202e\u200b\U0001f468'\u2019"), max_size=6)
NEW_LINE = LINE.filter(lambda line: not line.endswith("\r"))
ENDING = st.sampled_from(["\n", "\n", "\r\n"])
MODES = [0o600, 0o640, 0o644, 0o664, 0o755, 0o777]
OWNERS = [(0, 0), (1234, 1235)] if hasattr(os, "geteuid") and os.geteuid() == 0 else [None]


@dataclass(frozen=True)
class Before:
    """A file; `lines` are its lines as they are in it, and the codec is empty where it is not known to be text."""

    data: bytes
    lines: tuple[str, ...] = ()
    codec: str = ""
    bom: bytes = b""


@st.composite
def texts(draw: st.DrawFn) -> Before:
    pairs = draw(st.lists(st.tuples(LINE, ENDING), max_size=9))
    ending = draw(st.sampled_from(["", "", "\n", "\r\n"]))  # of all lines; else each has its own
    lines = [line + (ending or own) for line, own in pairs]
    if last := draw(LINE):
        lines.append(last)
    bom, codec, can_edit = draw(st.sampled_from(KINDS))
    data = bom + "".join(lines).encode(codec, "replace")
    if not can_edit:
        return Before(data)
    whole = "".join(lines).split("\n")  # a lone CR at the end of a line joins its LF
    cut = [line + "\n" for line in whole[:-1]] + ([whole[-1]] if whole[-1] else [])
    return Before(data, tuple(cut), codec, bom)


FILES = st.one_of(texts(), texts(), texts(), st.binary(max_size=80).map(Before))


@st.composite
def edits(draw: st.DrawFn, before: Before) -> tuple[str, dict[str, Any]]:
    """A call of one of the tools. Some cannot be done."""
    count = len(before.lines)
    tool = draw(st.sampled_from(["edit_file", "edit_file", "replace_lines", "insert_at_line", "write_file"]))
    content = "".join(f"{line}\n" for line in draw(st.lists(NEW_LINE, max_size=3)))
    if tool == "write_file":
        return tool, {"content": content + draw(NEW_LINE)}
    if tool == "insert_at_line":
        return tool, {"line": draw(st.integers(1, count + 1)), "content": content or "x\n"}
    if tool == "replace_lines":
        start = draw(st.integers(1, max(count, 1)))
        return tool, {"start": start, "end": draw(st.integers(start, max(count, start))), "content": content}
    text = "".join(before.lines) or "nothing"
    start = draw(st.integers(0, len(text) - 1))
    found = text[start : draw(st.integers(start + 1, len(text)))]
    sent = found if draw(st.booleans()) else found.replace("\r\n", "\n")
    new = "\n".join(draw(st.lists(NEW_LINE, max_size=3)))
    return tool, {"old_string": sent, "new_string": new, "replace_all": draw(st.booleans())}


def named_lines(before: Before, tool: str, arguments: dict[str, Any]) -> tuple[int, int] | None:
    """Which lines (from 0, the end excluded) a call may touch; None where it may touch all."""
    if tool == "replace_lines":
        return arguments["start"] - 1, arguments["end"]
    if tool == "insert_at_line":
        return arguments["line"] - 1, arguments["line"] - 1
    if tool == "write_file" or arguments["replace_all"]:
        return None
    text = "".join(before.lines)
    at, wanted = text.find(arguments["old_string"]), arguments["old_string"]
    if at < 0 or text.count(wanted) > 1:  # found with LF alone
        text, wanted = text.replace("\r\n", "\n"), wanted.replace("\r\n", "\n")
        at = text.find(wanted)
    return text.count("\n", 0, at), text.count("\n", 0, at + len(wanted)) + 1


def check_untouched(before: Before, new: bytes, lines: tuple[int, int]) -> None:
    """Every byte before the first and after the last line that was named is there, in its place.

    A last line without an ending gets one where lines come after it.
    """
    start, end = lines
    head, tail = "".join(before.lines[:start]), "".join(before.lines[end:])
    assert new.startswith(before.bom + head.encode(before.codec))
    assert new.endswith(tail.encode(before.codec))


async def write_and_revert(root: Path, before: Before, call: tuple[str, dict[str, Any]], mode: int, owner: Any) -> str:
    arena = Arena(root)
    try:
        path = arena.work / "file"
        path.write_bytes(before.data)
        if owner is not None:
            os.chown(path, *owner)
        path.chmod(mode)
        status = path.stat()
        return await _write_and_revert(arena, path, status, before, call)
    finally:
        await arena.aclose()


async def _write_and_revert(
    arena: Arena, path: Path, status: os.stat_result, before: Before, call: tuple[str, dict[str, Any]]
) -> str:
    tool, arguments = call
    seen = arena.fingerprint()
    try:
        operation = arena.prepare(tool, path="file", **arguments)
        assert isinstance(operation, FileWrite)
        expected = operation.plan(before.data).new
    except ToolFailure:
        expected = None
    rejected = await arena.attempt(tool, path="file", **arguments)
    assert arena.fingerprint() == seen
    attempt = await arena.attempt(tool, path="file", approve=True, **arguments)
    if expected is None or expected == before.data:
        assert (rejected.ending, attempt.ending) == ("failed", "failed")
        assert arena.stored == []
        assert arena.fingerprint() == seen
        return "cannot be done"
    assert (rejected.ending, attempt.ending) == ("asked", "done")
    assert path.read_bytes() == expected
    assert _rights(path.stat()) == _rights(status)
    if before.codec and (lines := named_lines(before, tool, arguments)) is not None:
        check_untouched(before, expected, lines)
    assert expected.startswith(before.bom)
    change = arena.journal.changes[ChangeId(1)]
    assert (change.state, len(arena.journal.changes)) == (ChangeState.APPLIED, 1)
    (outcome,) = await Undo(arena.journal).revert([change.id])
    assert outcome.status is RevertStatus.REVERTED
    assert arena.fingerprint() == seen
    assert _rights(path.stat()) == _rights(status)
    return tool


def _rights(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data(), FILES, st.sampled_from(MODES), st.sampled_from(OWNERS))
def test_r_5_r_7_r_9_what_is_approved_is_written_to_the_byte_and_can_be_taken_back(
    data: st.DataObject, before: Before, mode: int, owner: tuple[int, int] | None
) -> None:
    call = data.draw(edits(before))
    with tempfile.TemporaryDirectory() as folder, asyncio.Runner() as runner:
        event(runner.run(write_and_revert(Path(folder), before, call, mode, owner)))
