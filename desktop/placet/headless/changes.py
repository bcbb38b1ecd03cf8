"""`placet changes` and `placet revert`: the journal and undo (`R-9`)."""

from __future__ import annotations

import argparse
import sys
from typing import Any

import msgspec

from placet.core.domain.errors import UsageError
from placet.core.domain.hidden import visible, visible_name
from placet.core.domain.ids import ChangeId, MessageId, SessionId
from placet.core.domain.review import Change, RevertStatus
from placet.core.hub.core import Core
from placet.headless.session import DONE, FAILED, complain, print_list, run_verb
from placet.headless.times import iso, local


def list_changes(options: argparse.Namespace) -> int:
    async def work(core: Core) -> int:
        session_id = SessionId(options.session) if options.session else None
        if session_id is not None:
            await core.hub.history.session(session_id)
        changes, total = await core.hub.changes.changes(session_id, page=options.page, per_page=options.per_page)
        if options.json:
            print_list([_change(change) for change in changes], total, options.page, options.per_page)
            return DONE
        for change in changes:
            counts = f"+{change.added} −{change.removed}"
            line = f"{change.id:>5}  {local(change.created_at)}  {change.state.value:<9} {counts:>12}  {visible_name(change.path)}"
            sys.stdout.write(line + (f"  ({visible(change.conflict)})" if change.conflict else "") + "\n")
        if not changes:
            sys.stdout.write("No file was changed yet. What commands changed is not listed here.\n")
        return DONE

    return run_verb(work)


def _change(change: Change) -> dict[str, Any]:
    value: dict[str, Any] = msgspec.to_builtins(change)
    value["created_at"] = iso(change.created_at)
    return value


def revert_changes(options: argparse.Namespace) -> int:
    async def work(core: Core) -> int:
        if bool(options.changes) == (options.turn is not None):
            raise UsageError("Name the changes to undo, or one turn with --turn MESSAGE.")
        if options.turn is not None:
            outcomes = await core.hub.changes.revert_turn(MessageId(options.turn))
        else:
            outcomes = await core.hub.changes.revert([ChangeId(number) for number in options.changes])
        if not outcomes:
            return complain("that turn changed no file.", FAILED)
        for outcome in outcomes:
            sys.stdout.write(f"{outcome.change_id:>5}  {outcome.status.value:<9} {visible_name(outcome.path)}")
            sys.stdout.write(f"  {visible(outcome.message)}\n")
        return DONE if all(outcome.status is RevertStatus.REVERTED for outcome in outcomes) else FAILED

    return run_verb(work)
