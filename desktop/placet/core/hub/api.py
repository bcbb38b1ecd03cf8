"""What a window (or any other front end) may ask of the core. `Hub` implements it; tests of panels may too.

Verbs are awaited on the loop's thread and raise `PlacetError` with words for a person. Facts come back as domain
values; what changes later comes as events.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from placet.core.domain.agents import Agent
from placet.core.domain.commands import CommandInfo, CommandOutcome, Completion
from placet.core.domain.costs import CostInfo
from placet.core.domain.diff import FileDiff
from placet.core.domain.events import Envelope
from placet.core.domain.explaining import (
    DryRun,
    ExplainedCall,
    Explanation,
    FolderQuestion,
    FolderRules,
    FolderView,
    RuleEdit,
    RuleGroup,
    ToolName,
    TypedCall,
)
from placet.core.domain.ids import CallId, ChangeId, MessageId, RequestId, SessionId
from placet.core.domain.messages import HistoryPage, Mode, SearchHit, Session
from placet.core.domain.model_calls import ContextInfo, Model, ModelTest, Provider
from placet.core.domain.notifications import Notification
from placet.core.domain.proposals import ProposedWrite
from placet.core.domain.review import (
    Amendment,
    Bypass,
    BypassGrant,
    Change,
    EditableText,
    PendingRequest,
    RevertOutcome,
    ReviewNotes,
    Rule,
    Verdict,
)
from placet.core.domain.undo import ChangedFile, ChangeStep, FileUndo, Keep, ThreeWay, UndoWish
from placet.core.hub.api_background import BackgroundApi
from placet.core.hub.api_sessions import ArchiveApi, SummariesApi


class Subscription(Protocol):
    """Events from the moment of subscribing, in order. A slow reader gets `Lagged` and should reload."""

    def __aiter__(self) -> AsyncIterator[Envelope]: ...

    def close(self) -> None: ...


class HistoryApi(Protocol):
    """Looking at sessions; changes no row but where a verb says so (`S-7`)."""

    async def sessions(
        self,
        *,
        source: str = "",
        archived: bool | None = None,
        pinned_first: bool = False,
        page: int = 1,
        per_page: int = 20,
    ) -> tuple[Sequence[Session], int]:
        """Newest activity first, and how many there are in all. `archived` None: those that are put away and others."""

    async def session(self, session_id: SessionId) -> Session: ...

    async def newest(self, session_id: SessionId, limit: int = 60) -> HistoryPage: ...

    async def older(self, session_id: SessionId, before: MessageId, limit: int = 60) -> HistoryPage: ...

    async def nested(self, call_id: CallId) -> HistoryPage:
        """The rows of the sub-agent that this call started, newest last; none before it began. Raises: UnknownItem."""

    async def search(self, text: str, *, page: int = 1, per_page: int = 20) -> tuple[Sequence[SearchHit], int]: ...

    async def decisions(self, session_id: SessionId) -> Sequence[tuple[CallId, Verdict]]:
        """The audit trail of a session: who let each call pass or refused it, when, and on what (`R-12`)."""

    async def rename(self, session_id: SessionId, title: str) -> None: ...


class ChangesApi(Protocol):
    """The journal of file changes and undo (`R-9`)."""

    async def changes(
        self, session_id: SessionId | None = None, *, page: int = 1, per_page: int = 20
    ) -> tuple[Sequence[Change], int]: ...

    async def diff(self, change_id: ChangeId) -> FileDiff: ...

    async def revert(self, change_ids: Sequence[ChangeId]) -> Sequence[RevertOutcome]:
        """Undo these changes, newest first; each only if its file still has the content we left."""

    async def revert_turn(self, message_id: MessageId) -> Sequence[RevertOutcome]: ...

    async def files(
        self, session_id: SessionId | None = None, *, text: str = "", page: int = 1, per_page: int = 100
    ) -> tuple[Sequence[ChangedFile], int]:
        """Files that were changed and whose path has `text` in it, the one changed last first, and how many."""

    async def steps(self, path: str, session_id: SessionId | None = None) -> Sequence[ChangeStep]:
        """What was done to a file, first step first, each with the message that asked for it."""

    async def cumulative(self, path: str, session_id: SessionId | None = None) -> FileDiff:
        """From before the first step of a file to what the last write left. Raises: UnknownItem."""

    async def plan_undo(self, wish: UndoWish) -> Sequence[FileUndo]:
        """What the wish would do, file by file; nothing is changed. Raises: UsageError, UnknownItem."""

    async def undo_diff(self, plan: FileUndo) -> FileDiff:
        """The whole file as it is now and as it would be. Raises: StalePreview where it is no longer that."""

    async def three_way(self, plan: FileUndo) -> ThreeWay:
        """What others changed since, what the undo takes back, and where both meet. Raises: StalePreview."""

    async def decide_undo(self, plan: FileUndo, choices: Sequence[Keep | None]) -> FileUndo:
        """The plan with these choices at its conflicts. Raises: UsageError, StalePreview."""

    async def undo(self, plans: Sequence[FileUndo]) -> Sequence[RevertOutcome]:
        """Do exactly what these plans showed; a file that changed meanwhile is left alone and told."""


class ProposalsApi(Protocol):
    """What calls proposed to write, whatever became of it (`R-13`)."""

    async def of_call(self, call_id: CallId) -> ProposedWrite:
        """The difference as it was proposed, and where a person changed it also as it was written.

        Raises: UnknownItem for a call that writes no file, ToolFailure where a waiting one cannot be planned any more.
        """

    async def again(self, call_id: CallId) -> RequestId:
        """Put a proposal that was not written to review again, on what is there now; approving it writes.

        It is the person's: no turn waits for it, and the model is not told. Raises: UnknownItem, UsageError where a
        rule denies it or it does not fit the file any more.
        """


class RulesApi(Protocol):
    """The approval rules and their groups. Every verb is a person's: nothing a model does leads here (`R-4`).

    What is changed holds from the next check on, in running turns too. An `edit` that is handed to a looking verb is
    taken as if it were saved. Raises: UsageError for an edit that makes no rule, UnknownItem for a rule that is gone.
    """

    async def order(self, group: str = "default", edit: RuleEdit | None = None) -> Sequence[Rule]:
        """The rules for a chat of this group in the order in which they are asked. An unsaved one has a new id."""

    async def groups(self) -> Sequence[RuleGroup]:
        """`default`, then the others that a rule or a session names, by name."""

    def tools(self) -> Sequence[ToolName]: ...

    async def change(self, edit: RuleEdit) -> None: ...

    async def damaged(self) -> Sequence[int]:
        """The ids of rules that cannot be read any more; while there is one, everything is asked."""

    async def remove_damaged(self) -> None:
        """The other rules hold again."""

    async def rename_group(self, group: str, name: str) -> None:
        """With its rules and sessions. Raises: UsageError, SessionBusy where one runs in another process."""

    async def remove_group(self, group: str, *, also_from_sessions: bool = False) -> None:
        """With its rules. Raises: UsageError while sessions use it, unless they are to go to `default`; SessionBusy."""

    async def use_group(self, session_id: SessionId, group: str) -> None:
        """Judge a session by another group's rules. Raises: UsageError, SessionBusy, UnknownItem."""

    async def explain(self, call_id: CallId) -> ExplainedCall:
        """Why a past or waiting call was asked, allowed or denied, and what would be decided today (`R-16`)."""

    async def judge(self, call: TypedCall, edit: RuleEdit | None = None) -> Explanation:
        """What would happen to a call that a person typed."""

    async def dry_run(self, edit: RuleEdit) -> DryRun:
        """The newest past calls that the edit would change. Takes two seconds at most."""

    async def folder(self, question: FolderQuestion, edit: RuleEdit | None = None) -> FolderView:
        """What may be done with a folder and each of its entries."""

    def of_folder(self, workdir: str) -> FolderRules:
        """The rules that come with a project's folder; they can only tighten (`R-4`)."""


class CatalogueApi(Protocol):
    """Providers and models. What `config.toml` declares has `declared` set and cannot be changed here."""

    async def providers(self) -> Sequence[Provider]: ...

    async def models(self) -> Sequence[Model]: ...

    async def save_provider(self, provider: Provider, key: str | None = None) -> None:
        """Store it; a `key` goes to the keychain, None leaves the one that is there."""

    async def remove_provider(self, name: str) -> None: ...

    async def save_model(self, model: Model) -> None: ...

    async def remove_model(self, name: str) -> None: ...

    async def test(self, model_name: str) -> ModelTest:
        """Ask the model for one short answer. Never raises for what the provider does."""

    async def offered(self, provider: Provider, key: str | None = None) -> Sequence[str]:
        """The model ids that the provider's server lists. Raises: ProviderError."""

    async def found_here(self) -> Sequence[Provider]:
        """Local servers that answer and keys in the usual environment variables. Uses nothing, asks nothing else."""

    async def keys_note(self) -> str:
        """A sentence that says where keys are kept on this computer. Asks a keychain for no key."""


class CommandsApi(Protocol):
    """What a person types. A first word `/name` is a command; all else is a message."""

    def known(self) -> Sequence[CommandInfo]:
        """The built-in commands, then those that are files."""

    def problems(self) -> Sequence[str]:
        """What is wrong with the files of commands, one sentence each."""

    async def complete(self, typed: str) -> Sequence[Completion]:
        """How a command whose beginning was typed may go on: its name, or an argument that can be listed."""

    async def submit(
        self, source: str, text: str, *, attachments: Sequence[str] = (), shown: SessionId | None = None
    ) -> CommandOutcome | None:
        """Carry out a command, or queue the message. An answer is returned where there is one to show.

        `shown` is the session that the person looks at, where that may be another than the source's active one: doing
        something in it makes it the active one.

        Raises: UsageError for a command that does not exist or is given something it cannot use, SessionBusy.
        """


class AgentsApi(Protocol):
    """Who can answer. Read anew where a person's own files changed."""

    @property
    def folder(self) -> Path:
        """Where a person's own agents are, each in a folder named as its id."""

    def all(self) -> Sequence[Agent]:
        """Shipped ones and own ones, by id; an own one replaces the shipped one of its id."""

    def problems(self) -> Sequence[str]:
        """What is wrong with own agents, one sentence each; also among the hub's problems."""


class InboxApi(Protocol):
    """What a person says to a source, takes back and stops."""

    def queued(self, source: str) -> Sequence[str]:
        """Messages that wait for the next round boundary, oldest first."""

    async def send_message(
        self,
        source: str,
        text: str,
        *,
        attachments: Sequence[str] = (),
        typed: str = "",
        tools: tuple[str, ...] | None = None,
    ) -> None:
        """Queue `text` literally and return at once; failures come as `error` events (`H-2`).

        `typed` is what the person sees instead, where a command was expanded; `tools` narrows the tools of the turn.
        """

    async def interrupt_and_send(self, source: str, text: str, *, attachments: Sequence[str] = ()) -> None:
        """Stop the running turn and begin the next one with this message. What is queued stays, behind it (`H-6`)."""

    async def drop_queued(self, source: str, index: int) -> str:
        """Take a queued message back; returns its text."""

    async def take_drafts(self, source: str) -> Sequence[str]:
        """The texts that were queued when the program ended or crashed, oldest first. They are given only once (`H-6`)."""

    async def cancel(self, source: str) -> Sequence[str]:
        """Stop the turn and clear the queue; returns the texts that were queued (`H-6`)."""

    async def resume(self, session_id: SessionId) -> None:
        """Go on with an interrupted turn; returns at once."""


class NotifyApi(Protocol):
    """How something in the background reaches a person."""

    async def notify(self, notification: Notification) -> None:
        """Store it, tell it as an event, and return; the home source's session gets it between turns (`H-10`)."""

    async def home(self) -> str:
        """The source where notifications arrive; `desktop` until another was chosen."""

    async def set_home(self, source: str) -> None: ...


class ReviewApi(Protocol):
    """What waits for a person, and their answers."""

    async def approve(
        self,
        request_id: RequestId,
        *,
        amendment: Amendment | None = None,
        bypass: BypassGrant | None = None,
        shown: str = "",
    ) -> None:
        """Let a call happen, as it was shown or as the person changed it; with `bypass` others like it too from now on.

        `shown` is `of` of the proposal's difference: for a request from before a restart it may have been made anew.

        Raises: UnknownItem, UsageError for an amendment that does not fit the request or leaves nothing of it,
        SessionBusy where another process asks for it.
        """

    async def reject(self, request_id: RequestId, note: str = "") -> None: ...

    async def resolve_question(self, request_id: RequestId, answer: str) -> None:
        """Answer a question of an agent. Raises: UnknownItem, UsageError for an empty answer or another kind of request."""

    async def pending(self, session_id: SessionId | None = None) -> Sequence[PendingRequest]:
        """What waits for a person, newest first."""

    def keep_notes(self, request_id: RequestId, notes: ReviewNotes) -> None:
        """Keep what a person did so far with a request, also for the next run of the program (`R-17`).

        It comes back as `PendingRequest.notes` until the request is decided. Of a very long text nothing is kept.
        """

    async def request_diff(self, request_id: RequestId, amendment: Amendment | None = None) -> FileDiff:
        """The diff of a waiting write, as it was shown or as it would be amended. Raises: UnknownItem, UsageError."""

    async def request_text(self, request_id: RequestId, amendment: Amendment | None = None) -> EditableText:
        """The new side of a waiting write, or of an amendment of it, for an editor. Raises: UnknownItem, UsageError."""

    async def request_facts(self, request_id: RequestId, command: str) -> Sequence[str]:
        """What is unusual about `command` in the place of the waiting one. Raises: UnknownItem, UsageError."""

    async def request_diff_together(self, request_ids: Sequence[RequestId]) -> FileDiff:
        """The diff that waiting edits of one file come to if all are approved, in this order.

        Raises: UnknownItem, UsageError where they do not build on one another.
        """

    async def bypasses(self, session_id: SessionId) -> Sequence[Bypass]:
        """What is not asked about in this session for now."""

    async def remove_bypass(self, bypass_id: int) -> None:
        """Ask again, from the next call on."""


class HubApi(InboxApi, NotifyApi, ReviewApi, Protocol):
    """Conversations. A source (`desktop`, `cli`, …) has exactly one active session."""

    @property
    def history(self) -> HistoryApi: ...

    @property
    def changes(self) -> ChangesApi: ...

    @property
    def proposals(self) -> ProposalsApi: ...

    @property
    def rules(self) -> RulesApi: ...

    @property
    def catalogue(self) -> CatalogueApi: ...

    @property
    def commands(self) -> CommandsApi: ...

    @property
    def archive(self) -> ArchiveApi: ...

    @property
    def background(self) -> BackgroundApi: ...

    @property
    def summaries(self) -> SummariesApi: ...

    @property
    def agents(self) -> AgentsApi: ...

    def events(self) -> Subscription: ...

    def is_running(self, session_id: SessionId) -> bool: ...

    def problems(self) -> Sequence[str]:
        """What is wrong with `config.toml`, the environment and own agents, one sentence each."""

    async def register(self, source: str) -> SessionId:
        """Attach a front end: the active session, made if there is none; emits `turn_running`."""

    async def clear(self, source: str) -> SessionId:
        """Begin a new session; the old one stays in history (`H-7`)."""

    async def continue_session(self, source: str, session_id: SessionId) -> None:
        """Make a past session the source's active one."""

    async def select_model(self, source: str, name: str) -> None:
        """Takes effect with the next turn. Raises: NoModel, SessionBusy during a turn."""

    async def select_agent(self, source: str, agent_id: str) -> None:
        """Takes effect with the next turn. Raises: UnknownItem, UsageError for one that is not for chats, SessionBusy."""

    async def set_policy(
        self,
        source: str,
        *,
        mode: Mode | None = None,
        workdir: str | None = None,
        max_rounds: int | msgspec.UnsetType | None = msgspec.UNSET,
    ) -> None:
        """Turn the dial, change the folder or the limit of rounds. A tightened mode holds from the next check on.

        `max_rounds` 0 is no limit, None the one of the program's settings.
        """

    async def context_info(self, session_id: SessionId) -> ContextInfo: ...

    async def cost_info(self, session_id: SessionId) -> CostInfo:
        """What the session's model calls used and cost, by model. Raises: UnknownItem."""
