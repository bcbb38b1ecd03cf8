"""Review: rules and verdicts, what is shown to a person, what they decide, what was changed."""

from __future__ import annotations

import asyncio
from enum import StrEnum
from pathlib import Path

import msgspec

from placet.core.domain.ids import CallId, ChangeId, RequestId, SessionId
from placet.core.domain.tools import Operation


class Action(StrEnum):
    ALLOW = "allow"
    DENY = "deny"
    REQUIRE = "require"


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """One approval rule. Empty fields match everything.

    `tool` is exact, ends in `*`, or is a class: `@fs_read`, `@fs_write`, `@fs_any`. `path` is `<dir>/*`, an
    exact path, or a glob on the last component; it never matches a call without a path. `command` is the
    leading words of every simple command of the line.
    """

    id: int = 0
    group: str = "default"
    priority: int = 100
    agent: str = ""
    source: str = ""
    tool: str = "*"
    path: str = ""
    command: tuple[str, ...] = ()
    action: Action = Action.REQUIRE
    note: str = ""


class DecidedBy(StrEnum):
    RULE = "rule"
    BYPASS = "bypass"
    MODE = "mode"
    FAST_PATH = "fast_path"
    DEFAULT = "default"
    PERSON = "person"
    POLICY = "policy"  # `--approve` on the command line, or a session that nobody can answer


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """An action and its reason: `because` is one clause a person understands ("rule 4, commands: ask").

    Of a call that was decided, `digest` tells on what (`R-12`), `note` what a person changed in it, and `at` when, in
    seconds since 1970.
    """

    action: Action
    by: DecidedBy
    because: str
    rule_id: int | None = None
    digest: str = ""
    note: str = ""
    at: float = 0.0


class CallRef(msgspec.Struct, frozen=True, kw_only=True):
    """Which call of which session: what the gate needs to know beside the operation itself."""

    session_id: SessionId
    call_id: CallId
    name: str
    arguments: str
    agent: str
    source: str
    reason: str = ""  # the model's words before the call
    agent_call_id: CallId | None = None  # the call that started the sub-agent which makes this one
    root_agent: str = ""  # the agent of the session: what it may not, none below it may (`R-14`)


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """A planned write, bound to the bytes it was planned on (`R-5`). This very object is what gets written.

    `old` is None for a new file. `path` has its symlinks resolved; `shown_path` is how the model named it.
    """

    path: Path
    shown_path: str
    old: bytes | None
    new: bytes
    old_digest: str
    new_digest: str
    result: str
    notice: str = ""
    added: int = 0
    removed: int = 0
    other_names: int = 0  # hard links under which the file changes as well


class PlannedWrites:
    """Writes of one answer that are planned together, each on the planned result of the one before it.

    `planning` is held while a call is planned, and is given in the order it was asked for. `contents` are the planned
    bytes by resolved path.
    """

    def __init__(self) -> None:
        self.planning = asyncio.Lock()
        self.contents: dict[Path, bytes] = {}


class ChosenHunks(msgspec.Struct, frozen=True, tag="hunks"):
    """Of a write only these hunks of the diff that was shown, by index; untouched lines keep their bytes.

    What no hunk shows (line endings, byte order mark) stays as it was unless all are chosen. `of` is that diff's
    `of`: the indexes mean nothing in another one.
    """

    hunks: tuple[int, ...]
    of: str = ""


class EditedText(msgspec.Struct, frozen=True, tag="text"):
    """Of a write another new side: `EditableText.text` as a person left it, with LF alone.

    With `hunks` only these of the difference between the file and that text, which `of` names as in `ChosenHunks`.
    """

    text: str
    hunks: tuple[int, ...] | None = None
    of: str = ""


class EditedCommand(msgspec.Struct, frozen=True, tag="command"):
    """Of a command other bytes; folder and limit stay."""

    command: str


Amendment = ChosenHunks | EditedText | EditedCommand


class EditableText(msgspec.Struct, frozen=True, kw_only=True):
    """The new side of a waiting write for an editor: LF alone. `trouble` says why it cannot be edited, if so."""

    text: str = ""
    trouble: str = ""


class ReviewNotes(msgspec.Struct, frozen=True, kw_only=True):
    """What a person did so far with a request that still waits, to go on with later (`R-17`). Decides nothing.

    The hunks mean nothing but in the difference that `of` names. `text` is what stood in the editor, `reason` what was
    written for a rejection.
    """

    of: str = ""
    seen: tuple[int, ...] = ()
    skipped: tuple[int, ...] = ()
    current: int = 0
    text: str | None = None
    reason: str = ""


class BypassScope(StrEnum):
    """What a bypass lets pass, from wide to narrow."""

    ALL = "all"
    CATEGORY = "category"
    SERVER = "server"  # the tools of one MCP server
    TOOL = "tool"
    COMMAND = "command"  # the same bytes in the same folder


class BypassGrant(msgspec.Struct, frozen=True, kw_only=True):
    """What a person asked for in the click that approved a call. `minutes` None: as long as the session is open."""

    scope: BypassScope
    minutes: int | None = None


class Bypass(msgspec.Struct, frozen=True, kw_only=True):
    """Calls of one session that are not asked about for a while; never stored, gone with the program.

    `value` is the category, server, tool or command; `until` is in seconds since 1970, None until the session ends.
    """

    id: int
    session_id: SessionId
    scope: BypassScope
    value: str = ""
    workdir: str = ""
    until: float | None = None


class Permit(msgspec.Struct, frozen=True, kw_only=True, weakref=True):
    """The gate lets one call pass, once, with this operation; a write also with this very proposal.

    `note` is what the model is told, before the result, about what the person changed.
    """

    operation: Operation
    verdict: Verdict
    proposal: Proposal | None = None
    request_id: RequestId | None = None
    note: str = ""
    amendment: Amendment | None = None


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """The gate does not let the call pass. `text` is what the model gets, `note` what was given as reason.

    `counts` are the added and removed lines of a write that a person saw.
    """

    verdict: Verdict
    note: str
    text: str
    counts: tuple[int, int] | None = None


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """What a person said to a question; `verdict` is what the audit trail keeps of it (`R-12`). DENY: no answer."""

    text: str
    verdict: Verdict


class RequestKind(StrEnum):
    WRITE = "write"
    COMMAND = "command"
    QUESTION = "question"  # `label` is its title, `detail` the question; it is answered, not decided
    OTHER = "other"


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """What a person (or a policy standing in for one) answered to a request."""

    approved: bool
    note: str = ""
    by: DecidedBy = DecidedBy.PERSON
    who: str = ""
    amendment: Amendment | None = None
    on: str = ""  # the binding of what was shown, where that is another than the stored request's

    @property
    def decider(self) -> str:
        """Who it was, in words."""
        return self.who or ("a person" if self.by is DecidedBy.PERSON else self.by.value)


class PendingRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Something that waits for a person. `facts` are what is unusual about a command, in words.

    `binding` is the digest of what would happen; a decision made on a stored request holds only for the same one.
    `decision` is one that was made and has not taken effect: the program ended, or the call waits for others of its
    batch. `agent` is the sub-agent that asks and `agent_call_id` the call that started it; empty and None for the
    session's own. `draft` is what the person had made of the call before it was planned anew; it is shown, never applied.
    """

    id: RequestId
    session_id: SessionId
    call_id: CallId
    kind: RequestKind
    tool: str
    label: str
    detail: str
    because: str
    reason: str = ""
    category: str = ""
    path: str = ""
    workdir: str = ""
    timeout_s: float | None = None
    server: str = ""  # the MCP server that the tool is of
    added: int = 0
    removed: int = 0
    is_new_file: bool = False
    facts: tuple[str, ...] = ()
    created_at: float = 0.0
    session_title: str = ""
    stale: bool = False  # made anew because the file changed while it was looked at
    is_own: bool = False  # the person took up an old proposal: no turn waits for it, and approving it writes
    binding: str = ""
    suggested_answers: tuple[str, ...] = ()
    decision: Decision | None = None
    draft: Amendment | None = None
    notes: ReviewNotes | None = None
    source: str = ""  # of the session
    agent: str = ""
    agent_call_id: CallId | None = None


REJECTED = "User rejected this tool call."


def rejection_text(note: str) -> str:
    """The one wording that a model gets for a rejection."""
    return f"{REJECTED} Reason: {note}" if note.strip() else REJECTED


class ChangeState(StrEnum):
    INTENDED = "intended"
    APPLIED = "applied"
    REVERTED = "reverted"
    ABANDONED = "abandoned"  # intended, and never reached the disk


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One journalled file write. Digests are SHA-256 in hex, `absent` where there is no file.

    `reverts` names the change that this one undid. `note` is what the model was told about a person's amendment of it.
    `conflict` says in words what another writer did in the
    moment between check and rename, empty where nobody did.
    """

    id: ChangeId
    session_id: SessionId
    call_id: CallId | None
    path: str
    before_digest: str
    after_digest: str
    state: ChangeState
    created_at: float
    added: int = 0
    removed: int = 0
    reverts: ChangeId | None = None
    conflict: str = ""
    tool: str = ""
    note: str = ""
    session_title: str = ""


class RevertStatus(StrEnum):
    REVERTED = "reverted"
    MOVED_ON = "moved_on"  # the file no longer has the content we left
    NOTHING = "nothing"  # already reverted, or never applied
    FAILED = "failed"


class RevertOutcome(msgspec.Struct, frozen=True, kw_only=True):
    change_id: ChangeId
    path: str
    status: RevertStatus
    message: str
