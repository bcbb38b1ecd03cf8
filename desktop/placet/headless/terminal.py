"""Review in the terminal: the diff or the command, then one question."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable

from placet.core.domain.diff import DiffLine, FileDiff, Sign
from placet.core.domain.hidden import visible
from placet.core.domain.review import Decision, PendingRequest, RequestKind

_RED, _GREEN, _DIM, _BOLD, _PLAIN = "\x1b[31m", "\x1b[32m", "\x1b[2m", "\x1b[1m", "\x1b[0m"


def has_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


async def ask_in_terminal(request: PendingRequest, diff: FileDiff | None) -> Decision:
    """Show the request on standard error and wait for a line; anything but a yes rejects it.

    Cancelling gives up waiting; the line that is typed later is dropped.
    """
    sys.stderr.write(_described(request, diff) + "\nAllow it? [y]es, or n with a reason: ")
    sys.stderr.flush()
    line = (await read_input(sys.stdin.readline)).strip()
    if line.lower() in ("y", "yes"):
        return Decision(approved=True)
    first, _, rest = line.partition(" ")
    return Decision(approved=False, note=rest.strip() if first.lower().rstrip(",:") in ("n", "no") else line)


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
    lines = [f"\n{_BOLD}{visible(request.tool)}{_PLAIN} {visible(request.label)}  ({visible(request.because)})"]
    if request.reason.strip():
        lines.append(f"{_DIM}{visible(request.reason.strip())}{_PLAIN}")
    if request.kind is RequestKind.COMMAND:
        lines.append(f"in {visible(request.workdir)}, at most {request.timeout_s:g} s:")
        lines.append(visible(request.detail))
    elif diff is not None:
        lines.extend(diff_lines(diff))
    else:
        lines.append(visible(request.detail))
    lines.extend(f"! {visible(fact)}" for fact in request.facts)
    return "\n".join(lines)


def diff_lines(diff: FileDiff) -> list[str]:
    """A unified diff in colour; characters that hide something are written out."""
    lines = [f"{_BOLD}{visible(diff.path)}{_PLAIN} +{diff.added} −{diff.removed}"]
    lines.extend(f"! {visible(notice.text)}" for notice in diff.notices)
    for hunk in diff.hunks:
        if hunk.unchanged_before:
            lines.append(f"{_DIM}  {hunk.unchanged_before} unchanged lines{_PLAIN}")
        lines.extend(map(_coloured, hunk.lines))
    return lines


def _coloured(line: DiffLine) -> str:
    colour = {Sign.ADDED: _GREEN, Sign.REMOVED: _RED}.get(line.sign, "")
    return f"{colour}{line.sign.value}{visible(line.text)}{_PLAIN if colour else ''}"
