"""`placet changes list|show|revert`: the journal and undo (`R-9`)."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from placet.core.domain.errors import UsageError
from placet.core.domain.hidden import visible, visible_name
from placet.core.domain.ids import ChangeId, MessageId, SessionId
from placet.core.domain.review import Change, RevertOutcome, RevertStatus
from placet.core.domain.undo import FileUndo, UndoStatus, UndoWish
from placet.core.hub.core import Core
from placet.headless.session import DONE, FAILED, complain, print_json, print_list, run_verb
from placet.headless.times import iso, local

_COMMANDS = "What commands changed is not in the journal, so it is not undone here.\n"


# ---- list and show -------------------------------------------------------------------------------------------------


def list_changes(options: argparse.Namespace) -> int:
    async def work(core: Core) -> int:
        session_id = SessionId(options.session) if options.session else None
        if session_id is not None:
            await core.hub.history.session(session_id)
        if options.file:
            return await _list_steps(core, options, session_id)
        changes, total = await core.hub.changes.changes(session_id, page=options.page, per_page=options.per_page)
        if options.json:
            print_list([_change(change) for change in changes], total, options.page, options.per_page)
            return DONE
        for change in changes:
            sys.stdout.write(_line(change) + "\n")
        if not changes:
            sys.stdout.write("No file was changed yet. What commands changed is not listed here.\n")
        return DONE

    return run_verb(work)


async def _list_steps(core: Core, options: argparse.Namespace, session_id: SessionId | None) -> int:
    """Which sessions changed a file, newest step first, each with the message that asked for it."""
    steps = list(reversed(await core.hub.changes.steps(_full(options.file), session_id)))
    shown = steps[(options.page - 1) * options.per_page : options.page * options.per_page]
    if options.json:
        items = [_change(step.change) | {"message_id": step.message_id, "said": step.said} for step in shown]
        print_list(items, len(steps), options.page, options.per_page)
        return DONE
    for step in shown:
        said = " ".join(step.said.split())[:60]
        asked = f"  message {step.message_id}: {visible(said)}" if step.message_id is not None else ""
        sys.stdout.write(f"{_line(step.change)}\n       {step.change.session_id}{asked}\n")
    if not steps:
        sys.stdout.write(
            f"Placet changed nothing in {visible(_full(options.file))}. What commands did is not listed.\n"
        )
    return DONE


def _line(change: Change) -> str:
    counts = f"+{change.added} −{change.removed}"
    line = (
        f"{change.id:>5}  {local(change.created_at)}  {change.state.value:<9} {counts:>12}  {visible_name(change.path)}"
    )
    undoes = f"  (undoes {change.reverts})" if change.reverts is not None else ""
    return line + undoes + (f"  ({visible(change.conflict)})" if change.conflict else "")


def _change(change: Change) -> dict[str, Any]:
    value: dict[str, Any] = msgspec.to_builtins(change)
    value["created_at"] = iso(change.created_at)
    return value


def show_change(options: argparse.Namespace) -> int:
    async def work(core: Core) -> int:
        change_id = ChangeId(options.change)
        change = await core.store.changes.change(change_id)
        diff = await core.hub.changes.diff(change_id)
        if options.json:
            print_json({"change": _change(change), "diff": _unified(diff, colour=False)})
        else:
            sys.stdout.write(f"{_line(change)}\n{_unified(diff, colour=sys.stdout.isatty())}")
        return DONE

    return run_verb(work)


def _unified(diff: Any, *, colour: bool) -> str:
    from placet.core.review.diffing import unified_text

    return unified_text(diff, colour)


def _full(path: str) -> str:
    """As the journal names it: whole, and with its links resolved."""
    return os.path.realpath(Path(path).expanduser())


# ---- revert --------------------------------------------------------------------------------------------------------


def revert_changes(options: argparse.Namespace) -> int:
    async def work(core: Core) -> int:
        wish = _wish(options)
        if options.session:
            await core.hub.history.session(SessionId(options.session))
        plans = await core.hub.changes.plan_undo(wish) if not wish.changes else await _of_changes(core, options)
        if not plans and not options.changes:
            return complain("nothing was changed there by Placet, so there is nothing to undo.", FAILED)
        if options.dry_run:
            return await _show_plans(core, plans, as_json=options.json)
        outcomes = await _carry_out(core, options, plans)
        if options.json:
            print_list([msgspec.to_builtins(outcome) for outcome in outcomes], len(outcomes), 1, max(len(outcomes), 1))
        else:
            for outcome in outcomes:
                sys.stdout.write(f"{outcome.change_id:>5}  {outcome.status.value:<9} {visible_name(outcome.path)}")
                sys.stdout.write(f"  {visible(outcome.message)}\n")
            if not wish.changes:
                sys.stdout.write(_COMMANDS)
        return DONE if all(outcome.status is RevertStatus.REVERTED for outcome in outcomes) else FAILED

    return run_verb(work)


def _wish(options: argparse.Namespace) -> UndoWish:
    """Raises: UsageError where not exactly one thing is named."""
    ways = (bool(options.changes), options.turn is not None, options.since is not None, bool(options.file))
    if sum(ways) != 1:
        raise UsageError("Name the changes to undo, or one of --file PATH, --turn MESSAGE and --since MESSAGE.")
    if options.file:
        return UndoWish(path=_full(options.file), session_id=SessionId(options.session) if options.session else None)
    if options.session:
        raise UsageError("--session goes with --file: it narrows the undo to the changes of that session.")
    if options.changes:
        return UndoWish(changes=tuple(ChangeId(number) for number in options.changes))
    message = MessageId(options.turn if options.turn is not None else options.since)
    return UndoWish(message_id=message, whole_rest=options.since is not None)


async def _of_changes(core: Core, options: argparse.Namespace) -> Sequence[FileUndo]:
    """Plans for changes that were named; unknown ones get their outcome when it is done."""
    if not (options.dry_run or options.merge):
        return ()
    return await core.hub.changes.plan_undo(_wish(options))


async def _carry_out(core: Core, options: argparse.Namespace, plans: Sequence[FileUndo]) -> Sequence[RevertOutcome]:
    """Files that nobody touched since; with --merge those too where both sides fit together."""
    if options.changes and not options.merge:
        return await core.hub.changes.revert([ChangeId(number) for number in options.changes])
    may = {UndoStatus.READY, UndoStatus.MERGED} if options.merge else {UndoStatus.READY}
    outcomes: list[RevertOutcome] = []
    for plan in plans:
        if plan.status in may or plan.status not in (UndoStatus.MERGED, UndoStatus.CONFLICT):
            outcomes += await core.hub.changes.undo([plan])
        else:
            outcomes += [_left(change_id, plan) for change_id in plan.changes]
    return outcomes


def _left(change_id: ChangeId, plan: FileUndo) -> RevertOutcome:
    how = (
        "Look with --dry-run; --merge undoes it."
        if plan.status is UndoStatus.MERGED
        else "Decide it in the window, on the Changes page."
    )
    message = f"{plan.message} It was left as it was. {how}"
    return RevertOutcome(change_id=change_id, path=plan.path, status=RevertStatus.MOVED_ON, message=message)


async def _show_plans(core: Core, plans: Sequence[FileUndo], *, as_json: bool) -> int:
    """What would happen, file by file; nothing is changed."""
    items: list[dict[str, Any]] = []
    for plan in plans:
        diff = ""
        if plan.status in (UndoStatus.READY, UndoStatus.MERGED):
            shown = await core.hub.changes.undo_diff(plan)
            diff = _unified(shown, colour=not as_json and sys.stdout.isatty())
        items.append(msgspec.to_builtins(plan) | {"diff": diff})
        if not as_json:
            changes = ", ".join(map(str, plan.changes))
            sys.stdout.write(f"{plan.status.value:<9} {visible(plan.path)}  (changes {changes})\n")
            sys.stdout.write(f"{visible(plan.message)}\n" if plan.message else "")
            sys.stdout.write(diff)
    if as_json:
        print_list(items, len(items), 1, max(len(items), 1))
    else:
        sys.stdout.write("Nothing was changed yet. " + _COMMANDS)
    return DONE
