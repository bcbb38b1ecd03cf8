"""What a tool is to the engine: a specification, and a call turned into one parsed `Operation`.

What is checked and what is executed is the same object (`R-11`): the gate reads the operation's fields, the
effect runs the operation's own function. Nothing is parsed twice.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec

from placet.core.domain.ids import SessionId
from placet.core.domain.stopping import StopFlag

# Tools that more than their own module has to know by name.
TASK_TOOL, SUBTASK_TOOL = "execute_task", "execute_subtask"
DELEGATING = frozenset({TASK_TOOL, SUBTASK_TOOL})  # their calls are the work of a sub-agent
QUESTION_TOOL = "ask_user_clarification"
PLAN_TOOL = "write_todos"
WRITE_TOOLS = frozenset(
    {"write_file", "edit_file", "insert_at_line", "replace_lines"}
)  # their calls are reviewed as diffs


class Category(StrEnum):
    FS_READ = "fs_read"
    FS_WRITE = "fs_write"
    COMMAND = "command"
    OTHER = "other"


class Replay(StrEnum):
    """What resume may do with a call that had begun when the process died (`T-5`)."""

    SAFE = "safe"  # reads: run again
    JOURNAL = "journal"  # file writes: the change journal knows whether it landed
    NEVER = "never"  # all else: outcome unknown


class ToolSpec(msgspec.Struct, frozen=True, kw_only=True):
    """What the model is offered. `parameters` is a JSON schema of type object."""

    name: str
    description: str
    parameters: dict[str, Any]
    category: Category = Category.OTHER
    replay: Replay = Replay.NEVER
    timeout_s: float = 60.0


class ToolResult(msgspec.Struct, frozen=True, kw_only=True):
    """`text` goes to the model. `facts` are for the window: exit code, lines, added, removed, change_id …"""

    text: str
    facts: dict[str, Any] = {}


class Remainder(msgspec.Struct, frozen=True, kw_only=True):
    """The whole text of a result that was cut, compressed with zstd. `digest` is the SHA-256 of the text as UTF-8.

    `is_cut` says that even this is only its beginning.
    """

    digest: str
    size: int
    data: bytes
    is_cut: bool = False


async def keep_nothing(_remainder: Remainder) -> str:
    """For a tool that runs where nothing is stored."""
    return ""


class ToolIO(msgspec.Struct, frozen=True, kw_only=True):
    """What an execution may use of the outside: where live output goes, the stop, and what is hidden from it.

    `is_denied` is asked by recursive reads for what lies below the folder they started in (`R-3`). `session_id` is the
    conversation that asks. `keep` stores the whole of a result that was cut and returns the reference that
    `read_output` takes; empty where it could not be stored.
    """

    stop: StopFlag
    emit_output: Callable[[str], None]
    is_denied: Callable[[Path], bool]
    session_id: SessionId | None = None
    keep: Callable[[Remainder], Coroutine[Any, Any, str]] = keep_nothing


class PlannedWrite(msgspec.Struct, frozen=True, kw_only=True):
    """The whole new content of a file, and what the model is told once it is written.

    `notice` is for the person who reviews, for example that the match was inexact.
    """

    new: bytes
    result: str
    notice: str = ""


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """A call with its arguments parsed and its place resolved.

    `path` is absolute with `..` and symlinks resolved, None where the call names no path. `label` is short
    (the path relative to the working directory, the first line of a command), `detail` is complete.
    """

    tool: str
    category: Category
    label: str
    detail: str
    path: Path | None = None
    timeout_s: float = 60.0
    replay: Replay = Replay.NEVER
    server: str = ""  # the MCP server that the tool is of; empty for our own


class FileWrite(Operation, frozen=True, kw_only=True):
    """A write. `plan` is pure: the current bytes (None: no such file) to the new ones, or `ToolFailure`."""

    path: Path
    plan: Callable[[bytes | None], PlannedWrite]
    category: Category = Category.FS_WRITE
    replay: Replay = Replay.JOURNAL


class Execution(Operation, frozen=True, kw_only=True):
    """Everything that is not a file write. `run` may be cancelled; it then leaves nothing running."""

    run: Callable[[ToolIO], Coroutine[Any, Any, ToolResult]]


class SubAgentTask(Operation, frozen=True, kw_only=True):
    """A task for another agent, which works in a frame of its own; its final text is the result of the call."""

    agent: str
    prompt: str


class ScratchpadUpdate(Operation, frozen=True, kw_only=True):
    """A note that all agents of a session share. An empty value removes it."""

    key: str
    value: str


class TodoState(StrEnum):
    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"


class Todo(msgspec.Struct, frozen=True, kw_only=True):
    content: str
    status: TodoState = TodoState.PENDING


class TodoList(Operation, frozen=True, kw_only=True):
    """The whole plan of a frame, anew each time."""

    todos: tuple[Todo, ...]


class Question(Operation, frozen=True, kw_only=True):
    """Something only a person can answer; the call waits for them."""

    title: str
    question: str
    suggested_answers: tuple[str, ...] = ()


class Command(Execution, frozen=True, kw_only=True):
    """A shell command: exactly these bytes, in this folder, with this limit."""

    command: str
    workdir: Path
    category: Category = Category.COMMAND
    facts: tuple[str, ...] = ()
