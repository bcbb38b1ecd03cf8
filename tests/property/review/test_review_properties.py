"""For any bytes: what is approved is what is written, undo gives it back, and no difference is silent."""

from __future__ import annotations

import asyncio
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placet.core.domain.diff import FileDiff, Sign
from placet.core.domain.events import PendingWrite
from placet.core.domain.hidden import find_hidden
from placet.core.domain.messages import RunContext
from placet.core.domain.review import Decision, Permit, RevertStatus
from placet.core.domain.stopping import TaskScope
from placet.core.review.bypasses import Bypasses
from placet.core.review.commands import read_command
from placet.core.review.decoding import read_content
from placet.core.review.diffing import diff_contents, unified_text
from placet.core.review.gate import ReviewGate
from placet.core.review.paths import Ground
from placet.core.review.rules import Policy
from placet.core.review.undo import Undo
from support.review_fakes import Heard, MemoryApprovals, MemoryJournal, MemoryRules, call_ref, planned_write, prepared

LINE = st.text(st.sampled_from("ab{} \t\r\0é\u202e\u200d👨"), max_size=6)
TEXT = st.lists(st.tuples(LINE, st.sampled_from(["\n", "\r\n"])), max_size=12).map(
    lambda lines: "".join(line + end for line, end in lines).encode()
)
CONTENT = st.one_of(TEXT, st.tuples(TEXT, LINE).map(lambda both: both[0] + both[1].encode()), st.binary(max_size=60))
PLACE = st.tuples(st.integers(0, 60), st.integers(0, 20), st.binary(max_size=20))


def spliced(old: bytes, place: tuple[int, int, bytes]) -> bytes:
    start, length, new = place
    return old[:start] + new + old[start + length :]


async def approve_and_revert(folder: Path, old: bytes | None, new: bytes) -> None:
    path = folder / "file"
    if old is not None:
        path.write_bytes(old)
    journal, heard = MemoryJournal(), Heard()
    policy = Policy(Ground(folder / "placet", folder / "home"))
    gate = ReviewGate(MemoryRules(), MemoryApprovals(), journal, heard, policy, prepared, Bypasses())
    planned_on: list[bytes | None] = []

    def plan(current: bytes | None) -> bytes:
        planned_on.append(current)
        return new

    scope = TaskScope("test")
    task = scope.start(gate.clear(call_ref(), planned_write(path, plan), RunContext(workdir=str(folder))))
    request = await heard.next(PendingWrite)
    gate.answer(request.request_id, Decision(approved=True))
    permit = await task
    assert isinstance(permit, Permit)
    result = await gate.apply(call_ref(), permit)
    assert planned_on == [old]
    assert path.read_bytes() == new
    (outcome,) = await Undo(journal).revert([result.facts["change_id"]])
    assert outcome.status is RevertStatus.REVERTED
    assert (path.read_bytes() if path.exists() else None) == old


@settings(max_examples=60, deadline=None)
@given(st.one_of(st.none(), CONTENT), PLACE)
def test_what_is_approved_is_written_and_undo_gives_it_back(old: bytes | None, place: tuple[int, int, bytes]) -> None:
    """`R-5`, `R-9`"""
    new = spliced(old or b"", place)
    if new == old:
        new += b"!"
    with tempfile.TemporaryDirectory() as folder, asyncio.Runner() as runner:
        runner.run(approve_and_revert(Path(folder).resolve(), old, new))


def sides(diff: FileDiff) -> tuple[dict[int, str], dict[int, str]]:
    old: dict[int, str] = {}
    new: dict[int, str] = {}
    for hunk in diff.hunks:
        for line in hunk.lines:
            if line.old is not None:
                old[line.old] = line.text
            if line.new is not None:
                new[line.new] = line.text
    return old, new


@settings(max_examples=300, deadline=None)
@given(CONTENT, CONTENT)
def test_a_difference_shows_both_sides_as_they_are_and_is_never_silent(old: bytes, new: bytes) -> None:
    diff = diff_contents("a.py", old, new)
    if old != new:
        assert diff.hunks or diff.notices
    if diff.is_binary:
        return
    a, b = read_content(old).lines, read_content(new).lines
    shown_old, shown_new = sides(diff)
    assert all(a[number - 1] == text for number, text in shown_old.items())
    assert all(b[number - 1] == text for number, text in shown_new.items())
    hidden_old = sum(hunk.unchanged_before for hunk in diff.hunks) + diff.unchanged_after
    assert len(shown_old) + hidden_old == len(a)
    assert len(shown_new) + hidden_old == len(b)
    lines = [line for hunk in diff.hunks for line in hunk.lines]
    assert diff.added == sum(line.sign is Sign.ADDED for line in lines)
    assert diff.removed == sum(line.sign is Sign.REMOVED for line in lines)
    for line in lines:
        assert all(0 <= start < end <= len(line.text) for start, end in line.marks)


@settings(max_examples=200, deadline=None)
@given(CONTENT, CONTENT)
def test_no_hidden_character_reaches_a_terminal(old: bytes, new: bytes) -> None:
    """`C02`"""
    assert not find_hidden(unified_text(diff_contents("a\u202eb", old, new), colour=False))


REPORT = """
set -f
command_not_found_handle() { printf '%s\\0' "$@" $'\\1' >&9; return "$OUTCOME"; }
"""
FRAGMENT = st.one_of(
    st.sampled_from(
        ["ls", "rm x", "a 's'", '"a s"', "l\\s", "2>&1", ">/dev/null", "# rm", "{a,b}", "\\\n", "$(rm)", "`rm`"]
    ),
    st.text(st.sampled_from("lsrm \n\t;&|$(){}<>,'\"\\`#=*!-ax0"), max_size=4),
)


def run_by_bash(text: str, outcome: int) -> Counter[tuple[str, ...]]:
    """The commands that a real shell would start, none of which exists here."""
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "told"
        script = f'exec 9>{told}\n{REPORT}eval "$LINE"'
        subprocess.run(
            ["bash", "-c", script], cwd=folder, env={"PATH": "/nowhere", "LINE": text, "OUTCOME": str(outcome)},
            capture_output=True, check=False, executable="/bin/bash", stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert [path.name for path in Path(folder).iterdir()] == ["told"], "an understood line wrote a file"
        calls = told.read_bytes().decode().split("\1\0")
        return Counter(tuple(call.split("\0")[:-1]) for call in calls if call)


@pytest.mark.skipif(not Path("/bin/bash").exists(), reason="needs a shell to compare with")
@settings(max_examples=150, deadline=None)
@given(st.lists(FRAGMENT, max_size=7).map(" ".join), st.sampled_from([0, 1]))
def test_a_shell_runs_nothing_that_an_understood_line_does_not_show(text: str, outcome: int) -> None:
    """Each command that bash starts, word by word, is among those that the rules are compared with."""
    line = read_command(text)
    if not line.doubt:
        assert line.commands
        assert run_by_bash(text, outcome) <= Counter(line.commands)
