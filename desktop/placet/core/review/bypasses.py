"""What a person does not want to be asked about for a while: in memory only, so gone with the program (`R-13`).

A bypass makes of "ask" an "allow", never of a denial (`R-2`), and never when the mode is "Ask for everything".
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from placet.core.domain.errors import UsageError
from placet.core.domain.ids import SessionId
from placet.core.domain.review import Bypass, BypassGrant, BypassScope, PendingRequest
from placet.core.domain.tools import Category, Command, Operation

_CATEGORIES = {
    Category.FS_READ: "reading files",
    Category.FS_WRITE: "writing files",
    Category.COMMAND: "commands",
    Category.OTHER: "other tools",
}


class Bypasses:
    """Those of all sessions. `clock` gives seconds since 1970. On the loop's thread only."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._ids = itertools.count(1)
        self._all: dict[int, Bypass] = {}

    @staticmethod
    def check(request: PendingRequest | None, grant: BypassGrant) -> None:
        """Raises: UsageError for a grant that would let nothing pass."""
        if request is not None and request.is_own:
            raise UsageError("You took this up yourself; there is no model that would ask for more like it.")
        if request is not None and grant.scope is BypassScope.SERVER and not request.server:
            raise UsageError(f"{request.tool} is of no MCP server, so there is no server to let pass.")

    def add(self, request: PendingRequest, grant: BypassGrant, command: str = "") -> Bypass:
        """Let calls like that of `request` pass; `command` is the one that ran where a person edited it."""
        bypass = Bypass(
            id=next(self._ids),
            session_id=request.session_id,
            scope=grant.scope,
            value=_value(request, grant.scope, command),
            workdir=request.workdir if grant.scope is BypassScope.COMMAND else "",
            until=None if grant.minutes is None else self._clock() + 60 * grant.minutes,
        )
        self._all[bypass.id] = bypass
        return bypass

    def active(self, session_id: SessionId) -> Sequence[Bypass]:
        now = self._clock()
        self._all = {key: each for key, each in self._all.items() if each.until is None or each.until > now}
        found = [bypass for bypass in self._all.values() if bypass.session_id == session_id]
        return sorted(found, key=lambda bypass: bypass.scope is not BypassScope.COMMAND)  # what is exact says most

    def remove(self, bypass_id: int) -> Bypass | None:
        """End one; returns it, None where it has ended already."""
        return self._all.pop(bypass_id, None)

    def end(self, session_id: SessionId) -> None:
        """The session ended, and all of its bypasses with it."""
        self._all = {key: each for key, each in self._all.items() if each.session_id != session_id}


def fits(bypass: Bypass, operation: Operation) -> bool:
    """Whether a bypass is about this operation."""
    match bypass.scope:
        case BypassScope.ALL:
            return True
        case BypassScope.CATEGORY:
            return bypass.value == operation.category
        case BypassScope.SERVER:
            return bypass.value != "" and operation.server == bypass.value
        case BypassScope.TOOL:
            return bypass.value == operation.tool
        case BypassScope.COMMAND:
            return (
                isinstance(operation, Command)
                and operation.command == bypass.value
                and operation.workdir == Path(bypass.workdir)
            )


def described(bypass: Bypass) -> str:
    """Return what it lets pass as one clause: `you let writing files pass until 15:10`."""
    until = (
        "in this session" if bypass.until is None else f"until {time.strftime('%H:%M', time.localtime(bypass.until))}"
    )
    return f"you let {_what(bypass)} pass {until}"


def _what(bypass: Bypass) -> str:
    match bypass.scope:
        case BypassScope.ALL:
            return "everything"
        case BypassScope.CATEGORY:
            return _CATEGORIES[Category(bypass.value)]
        case BypassScope.SERVER:
            return f"the tools of {bypass.value}"
        case BypassScope.TOOL:
            return bypass.value
        case BypassScope.COMMAND:
            return "exactly this command"


def _value(request: PendingRequest, scope: BypassScope, command: str) -> str:
    match scope:
        case BypassScope.ALL:
            return ""
        case BypassScope.CATEGORY:
            return request.category
        case BypassScope.SERVER:
            return request.server
        case BypassScope.TOOL:
            return request.tool
        case BypassScope.COMMAND:
            return command or request.detail
