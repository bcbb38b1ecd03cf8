"""The built-in tools as one box: calls become operations, and operations run within their time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from placet.core.domain.errors import StoreError, ToolFailure
from placet.core.domain.messages import RunContext
from placet.core.domain.ports import Remainders
from placet.core.domain.review import CallRef, Permit
from placet.core.domain.stopping import StopFlag
from placet.core.domain.tools import Command, Execution, Operation, Remainder, ToolIO, ToolResult, ToolSpec
from placet.core.tools import (
    edit_file,
    execute_cmd,
    grep_files,
    insert_at_line,
    list_files,
    notify,
    questions,
    read_file,
    read_notification,
    read_output,
    replace_lines,
    scratchpad,
    sub_agents,
    todos,
    write_file,
)
from placet.core.tools.arguments import check_arguments, nearest
from placet.core.tools.places import Place
from placet.core.tools.workers import Workers

log = logging.getLogger(__name__)

_COMMAND_MARGIN_S = 10.0  # a command ends itself at its limit, keeping its output; this is behind that


class BuiltinToolbox:
    """Implements the port `Toolbox`. On the loop's thread; its owner closes it.

    `denied_paths` gives, once a call, a predicate that is asked in other threads and must be quick.
    `secret_env_names` is asked at each command. Without `read_notifications`, `remainders` and `tell` there are
    no tools for them.
    """

    def __init__(
        self,
        emit_output: Callable[[CallRef, str], None],
        denied_paths: Callable[[RunContext], Awaitable[Callable[[Path], bool]]],
        secret_env_names: Callable[[], Iterable[str]],
        read_notifications: read_notification.ReadNotifications | None = None,
        remainders: Remainders | None = None,
        tell: notify.Tell | None = None,
    ) -> None:
        self._emit_output, self._denied_paths, self._remainders = emit_output, denied_paths, remainders
        self._workers = Workers()
        tools = [
            read_file.tool(self._workers),
            list_files.tool(self._workers),
            grep_files.tool(self._workers),
            write_file.TOOL,
            edit_file.TOOL,
            insert_at_line.TOOL,
            replace_lines.TOOL,
            execute_cmd.tool(secret_env_names),
            scratchpad.UPDATE_SCRATCHPAD,
            todos.WRITE_TODOS,
            questions.ASK_USER_CLARIFICATION,
            sub_agents.EXECUTE_TASK,
            sub_agents.EXECUTE_SUBTASK,
        ]
        if read_notifications is not None:
            tools.append(read_notification.tool(read_notifications))
        if remainders is not None:
            tools.append(read_output.tool(remainders))
        if tell is not None:
            tools.append(notify.tool(tell))
        self._tools = {tool.spec.name: tool for tool in tools}
        self._selections: dict[frozenset[str], tuple[ToolSpec, ...]] = {}

    def specs(self, without: frozenset[str] = frozenset()) -> Sequence[ToolSpec]:
        """See `Toolbox`."""
        if without not in self._selections:
            kept = (tool.spec for name, tool in self._tools.items() if name not in without)
            self._selections[without] = tuple(kept)
        return self._selections[without]

    def prepare(self, name: str, arguments: dict[str, Any], context: RunContext) -> Operation:
        """Turn a call into one parsed operation. Touches no file content. Raises: ToolFailure."""
        tool = self._tools.get(name)
        if tool is None:
            near = nearest(name, self._tools)
            hint = f"Did you mean '{near}'?" if near else f"There are: {', '.join(self._tools)}."
            raise ToolFailure(f"There is no tool '{name}'. {hint}")
        args = check_arguments(name, tool.params, arguments)
        return tool.prepare(args, Place.at(context.workdir))

    async def run(self, permit: Permit, stop: StopFlag, call: CallRef, context: RunContext) -> ToolResult:
        """Run an `Execution`. Raises: ToolFailure, also when its time is over; TurnStopped.

        A stop, a time limit and a cancellation all leave nothing of it running.
        """
        operation = permit.operation
        if not isinstance(operation, Execution):
            raise TypeError(f"{operation.tool} is no execution; the engine carries it out")
        io = ToolIO(
            stop=stop,
            emit_output=lambda text: self._emit_output(call, text),
            is_denied=await self._denied_paths(context),
            session_id=call.session_id,
            keep=lambda remainder: self._keep(call, remainder),
        )
        limit_s = operation.timeout_s + (_COMMAND_MARGIN_S if isinstance(operation, Command) else 0)
        try:
            async with asyncio.timeout(limit_s):
                return await stop.race(operation.run(io))
        except TimeoutError as error:
            raise ToolFailure(
                f"{operation.tool} timed out after {operation.timeout_s:g} s and was ended. Ask for less at once."
            ) from error

    async def _keep(self, call: CallRef, remainder: Remainder) -> str:
        """A text that cannot be stored costs its reference, not the result."""
        if self._remainders is None:
            return ""
        try:
            return await self._remainders.keep(call.session_id, call.call_id, remainder)
        except StoreError:
            log.exception("The whole output of call %s cannot be stored", call.call_id)
            return ""

    def close(self) -> None:
        """Wait for what still runs in threads; no call may follow."""
        self._workers.close()
