"""Review in the terminal: the diff or the command, then one question."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import NamedTuple

from placet.core.domain.diff import DiffLine, FileDiff, Sign
from placet.core.domain.hidden import visible
from placet.core.domain.review import ChosenHunks, Decision, PendingRequest, RequestKind

_RED, _GREEN, _DIM, _BOLD, _PLAIN = "\x1b[31m", "\x1b[32m", "\x1b[2m", "\x1b[1m", "\x1b[0m"


def has_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


_HUNKS = re.compile(r"h[\s,]*\d+(?:\s*-\s*\d+)?(?:[\s,]+\d+(?:\s*-\s*\d+)?)*")
_MOST_HUNKS = 100_000
HOLD_S = 0.5  # what was typed before one could read the question answers nothing


class WantsToEdit(NamedTuple):
    """The person will change the text or the command before they decide."""


async def ask_in_terminal(
    request: PendingRequest, diff: FileDiff | None, *, can_edit: bool = False
) -> Decision | ChosenHunks | WantsToEdit:
    """Show the request on standard error and wait for a line; a no, and whatever is no other answer, rejects it.

    Chosen hunks are not decided yet: what would be left is to be shown and asked about. Cancelling gives up waiting;
    the line that is typed later is dropped.
    """
    sys.stderr.write(_described(request, diff) + "\n")
    sys.stderr.flush()
    await asyncio.sleep(HOLD_S)
    _drop_what_was_typed()
    can_choose = diff is not None and diff.can_choose
    more = (", [e]dit" if can_edit else "") + (", h with numbers of hunks" if can_choose else "")
    sys.stderr.write(f"Allow it? [y]es{more}, or n with a reason: ")
    sys.stderr.flush()
    line = (await read_input(_read_line)).strip()
    if line.lower() in ("y", "yes"):
        return Decision(approved=True)
    if can_edit and line.lower() in ("e", "edit"):
        return WantsToEdit()
    if can_choose and re.match(r"h[\s,]*\d", line):  # a slip in the numbers is no reason for the model
        return _hunks_in(line) if _HUNKS.fullmatch(line) else ChosenHunks((-1,))
    first, _, rest = line.partition(" ")
    return Decision(approved=False, note=rest.strip() if first.lower().rstrip(",:") in ("n", "no") else line)


def _hunks_in(line: str) -> ChosenHunks:
    """`h 1 3-5` as indexes from 0."""
    found: list[int] = []
    for first, last in re.findall(r"(\d+)(?:\s*-\s*(\d+))?", line):
        found += range(int(first) - 1, min(int(last or first), _MOST_HUNKS))
    return ChosenHunks(tuple(found))


async def ask_question(request: PendingRequest) -> str:
    """Show an agent's question on standard error and wait for a line that answers it; a number chooses a suggestion."""
    lines = [f"\n{_BOLD}{one_line(request.label)}{_PLAIN}"]
    lines.extend(f"  │ {visible(line)}" for line in request.detail.splitlines())
    lines.extend(f"  {number}. {one_line(text)}" for number, text in enumerate(request.suggested_answers, 1))
    sys.stderr.write("\n".join(lines) + "\n")
    sys.stderr.flush()
    await asyncio.sleep(HOLD_S)
    _drop_what_was_typed()
    answer = ""
    while not answer:
        sys.stderr.write("Your answer: ")
        sys.stderr.flush()
        answer = (await read_input(_read_line)).strip()
    suggested = dict(enumerate(request.suggested_answers, 1))
    return suggested.get(int(answer), answer) if answer.isdecimal() else answer


def _drop_what_was_typed() -> None:
    """A model can print what looks like a question before there is one; an answer to that counts for nothing."""
    try:
        import termios
    except ImportError:  # Windows
        return
    termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


def _read_line() -> str:
    """One line, straight from the terminal: Python's own buffer would keep a second one for the next question."""
    return os.read(sys.stdin.fileno(), 65536).decode("utf-8", "replace")


async def read_input(read: Callable[[], str]) -> str:
    """Call `read` on a daemon thread: an interrupt must not wait for a key."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[str] = loop.create_future()

    def deliver(line: str) -> None:
        if not answer.done():
            answer.set_result(line)

    def run() -> None:
        text = read()
        if not loop.is_closed():
            loop.call_soon_threadsafe(deliver, text)

    threading.Thread(target=run, name="terminal", daemon=True).start()
    return await answer


def _described(request: PendingRequest, diff: FileDiff | None) -> str:
    """The request, drawn so that no name, reason or command can look like a line of ours."""
    lines = [f"\n{_BOLD}{one_line(request.tool)}{_PLAIN} {one_line(request.label)}  ({one_line(request.because)})"]
    lines.extend(f"{_DIM}  │ {visible(line)}{_PLAIN}" for line in request.reason.strip().splitlines())
    if request.kind is RequestKind.COMMAND:
        lines.append(f"in {one_line(request.workdir)}, at most {request.timeout_s:g} s:")
        lines.extend(_command_lines(request.detail))
    elif diff is not None:
        lines.extend(diff_lines(diff))
    else:
        lines.append(f"  │ {one_line(request.detail)}")
    lines.extend(f"! {one_line(fact)}" for fact in request.facts)
    return "\n".join(lines)


def one_line(text: str) -> str:
    """`text` in one line, with everything that hides or moves something written out."""
    return visible(text).replace("\n", "⏎").replace("\t", " ")


def _command_lines(command: str) -> Iterator[str]:
    """Every line with a mark in front; a run of blank lines, which could push the rest away, is counted."""
    for is_blank, group in groupby(command.split("\n"), key=lambda line: not line.strip()):
        lines = list(group)
        if is_blank and len(lines) > 1:
            yield f"{_DIM}  ({len(lines)} blank lines){_PLAIN}"
        else:
            yield from (f"  $ {visible(line, spaces=True)}" for line in lines)


def diff_lines(diff: FileDiff) -> list[str]:
    """A unified diff in colour; characters that hide something are written out."""
    lines = [f"{_BOLD}{one_line(diff.path)}{_PLAIN} +{diff.added} −{diff.removed}"]
    lines.extend(f"! {one_line(notice.text)}" for notice in diff.notices)
    for number, hunk in enumerate(diff.hunks, 1):
        if diff.can_choose:
            lines.append(f"{_BOLD}hunk {number}{_PLAIN} {one_line(hunk.symbol)}".rstrip())
        if hunk.unchanged_before:
            lines.append(f"{_DIM}  {hunk.unchanged_before} unchanged lines{_PLAIN}")
        lines.extend(map(_coloured, hunk.lines))
    return lines


def _coloured(line: DiffLine) -> str:
    colour = {Sign.ADDED: _GREEN, Sign.REMOVED: _RED}.get(line.sign, "")
    return f"{colour}{line.sign.value}{visible(line.text, spaces=True)}{_PLAIN if colour else ''}"
