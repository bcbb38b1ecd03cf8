"""What the engine needs from the outside, as protocols. The rest of the core implements them; tests may too."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Collection, Coroutine, Mapping, Sequence
from typing import Any, Protocol

from placet.core.domain.agents import Agent
from placet.core.domain.compaction import Compaction, CompactionPlan
from placet.core.domain.events import AnyEvent
from placet.core.domain.ids import CallId, ChangeId, FrameId, MessageId, RequestId, SessionId
from placet.core.domain.messages import CallStatus, Frame, Message, RunContext, Session, ToolCall, Usage
from placet.core.domain.model_calls import Answer, Binding, ModelPiece, ModelRequest, Strength
from placet.core.domain.review import (
    Answered,
    CallRef,
    Change,
    ChangeState,
    Decision,
    PendingRequest,
    Permit,
    PlannedWrites,
    Refusal,
    Rule,
    Verdict,
)
from placet.core.domain.stopping import StopFlag
from placet.core.domain.tools import Operation, Question, Remainder, ToolResult, ToolSpec

Pause = Callable[[float], Coroutine[Any, Any, None]]
"""Lets that many seconds pass."""


class TurnStore(Protocol):
    """The rows of a session as the engine writes them. Every method is one transaction, committed on return."""

    async def session(self, session_id: SessionId) -> Session:
        """Raises: UnknownItem."""

    async def root_frame(self, session_id: SessionId) -> Frame:
        """The session's root frame, made if there is none."""

    async def append_user(
        self,
        frame_id: FrameId,
        content: str,
        *,
        context_block: str = "",
        synthetic: bool = False,
        metadata: dict[str, Any] | None = None,
    ) -> Message: ...

    async def begin_answer(self, frame_id: FrameId, binding: Binding) -> MessageId:
        """Insert an empty assistant row with status `interrupted`, which it keeps until it is finished (`S-2`)."""

    async def save_partial(self, message_id: MessageId, text: str, reasoning: str) -> None: ...

    async def void_answer(self, message_id: MessageId) -> None:
        """Remove an answer that was begun and never finished: it comes anew (`P-6`)."""

    async def finish_answer(
        self,
        message_id: MessageId,
        answer: Answer,
        calls: Sequence[ToolCall],
        *,
        cost: float | None,
        duration_s: float,
        ends_turn: bool,
    ) -> Message:
        """Store the whole answer with all its calls. `calls` have no ids yet; the returned message has them.

        `ends_turn` asks for a durable commit.
        """

    async def add_answer(
        self,
        frame_id: FrameId,
        binding: Binding,
        answer: Answer,
        calls: Sequence[ToolCall],
        *,
        cost: float | None,
        duration_s: float,
        ends_turn: bool,
    ) -> Message:
        """Like `begin_answer` and `finish_answer` in one transaction: for an answer that came at once."""

    async def count_call(
        self, session_id: SessionId, binding: Binding, usage: Usage | None, *, request_bytes: int, duration_s: float
    ) -> None:
        """Add a model call to the ledger that gave no row of the conversation."""

    async def start_call(self, call_id: CallId, *, label: str, decision: str, trail: Sequence[Verdict] = ()) -> None:
        """Set `running` and `started_at`, and keep in `trail` what was decided about it (`R-12`).

        A request of the call that was decided is thereby settled, and removed.

        What cannot simply be run again begins only after this returned (`T-5`).
        """

    async def begin_sub_agent(
        self,
        call_id: CallId,
        agent: str,
        prompt: str,
        *,
        context_block: str,
        label: str,
        decision: str,
        trail: Sequence[Verdict] = (),
    ) -> Frame:
        """Begin the call like `start_call`, and open the frame it starts with its first row."""

    async def end_call(
        self,
        call_id: CallId,
        status: CallStatus,
        result: str,
        *,
        facts: dict[str, Any],
        decision: str,
        label: str = "",
        ends_frame: FrameId | None = None,
        trail: Sequence[Verdict] = (),
    ) -> None:
        """Record the final state, and terminate the frame that the call had started.

        An empty label or decision keeps the one that is there.
        """

    async def active_frames(self, session_id: SessionId) -> Sequence[Frame]:
        """Frames of sub-agents that have not ended, deepest first."""

    async def scratchpad(self, session_id: SessionId) -> dict[str, str]:
        """The notes of the session by key, oldest first."""

    async def set_note(self, session_id: SessionId, key: str, value: str) -> None:
        """Store a note; an empty value removes it."""

    async def unfinished_calls(self, frame_id: FrameId) -> Sequence[ToolCall]:
        """Calls of the frame that are `running` or `pending`, in order."""

    async def fail_unanswered(self, frame_id: FrameId) -> Sequence[MessageId]:
        """Mark trailing user rows without an answer `failed`; used when a person stopped their turn."""

    async def message(self, message_id: MessageId) -> Message | None: ...

    async def last_said(self, frame_id: FrameId) -> Message | None:
        """The newest message of the person."""

    async def last_message(self, frame_id: FrameId) -> Message | None: ...

    async def call(self, call_id: CallId) -> ToolCall:
        """Raises: UnknownItem."""

    async def note_of(self, call_id: CallId) -> str:
        """What the model is to be told about a person's amendment of the call; empty where there was none."""

    async def messages_after(self, frame_id: FrameId, after: MessageId | None) -> Sequence[Message]:
        """Rows with an id greater than `after`, oldest first; all rows for None."""

    async def newest_messages(self, frame_id: FrameId, before: MessageId | None, limit: int) -> Sequence[Message]:
        """Up to `limit` rows before `before` (None: the end), oldest first."""


class ModelClient(Protocol):
    """Streams one answer. One client serves all providers; it looks at the request's binding."""

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelPiece, None]:
        """Give pieces and, last, exactly one `Answer`. Closing the generator closes the connection.

        Raises: ProviderError, also when the stream ends without its end mark.
        """


class Models(Protocol):
    """Which models there are, and which of them answer."""

    async def resolve(self, name: str = "", scope: str = "", strength: Strength | None = None) -> Binding:
        """The named model; without a name the best one for the wish, and without a wish the default one.

        Raises: NoModel.
        """

    async def stand_in(self, failed: Sequence[Binding], without: Collection[str] = ()) -> Binding | None:
        """What to try after the models in `failed`, at none of the providers in `without`; None where all else is down."""

    def succeeded(self, binding: Binding) -> None:
        """It gave a whole answer."""

    def failed(self, binding: Binding) -> None:
        """It gave none, for a reason that may pass."""


class Agents(Protocol):
    """Which agents there are."""

    def get(self, agent_id: str) -> Agent:
        """Raises: UnknownItem, which names those there are."""

    def all(self) -> Sequence[Agent]:
        """Shipped ones and a person's own, by id; an own one of the same id replaces the shipped one."""


class Toolbox(Protocol):
    """The tools a session can use."""

    def specs(self, without: frozenset[str] = frozenset()) -> Sequence[ToolSpec]:
        """All tools but those named, in a fixed order; the same object each time for the same names."""

    def prepare(self, name: str, arguments: dict[str, Any], context: RunContext) -> Operation:
        """Turn a call into one parsed operation. Touches no file content. Raises: ToolFailure."""

    async def run(self, permit: Permit, stop: StopFlag, call: CallRef, context: RunContext) -> ToolResult:
        """Run an `Execution` within its time limit, reporting live output as events. Raises: ToolFailure.

        Cancelling leaves nothing of it running.
        """


class Reviewer(Protocol):
    """The gate in front of every call, and the one hand that writes files."""

    async def clear(
        self, call: CallRef, operation: Operation, context: RunContext, planned: PlannedWrites | None = None
    ) -> Permit | Refusal:
        """Decide, waiting for a person if need be. Cancelling the wait leaves the call undecided.

        With `planned` a write is planned on what writes before it will leave.

        Raises: ToolFailure where a write cannot even be planned; nobody is asked then.
        """

    async def still_allows(self, call: CallRef, permit: Permit, context: RunContext) -> bool:
        """Whether a permit that had to wait for its turn is still good: rules and mode may be tighter by now."""

    async def apply(self, call: CallRef, permit: Permit) -> ToolResult:
        """Write the permitted proposal, journalled and atomic. Raises: StalePreview, ToolFailure."""

    async def ask(self, call: CallRef, question: Question, context: RunContext) -> Answered:
        """Put a question to a person and wait for what they say. Cancelling the wait leaves it asked.

        Raises: ToolFailure where nobody can be asked.
        """

    async def forget(self, call: CallRef) -> None:
        """A call that waited for a person ended without a decision: nothing is asked about it any more."""

    async def withdraw(self, session_id: SessionId) -> None:
        """A person stopped the session: what waits in it ends as cancelled and is never asked again (`T-10`)."""

    async def landed(self, call_id: CallId) -> ToolResult | None:
        """After a crash: what the call's write did, if it reached the disk (`T-5`)."""


class Remainders(Protocol):
    """Whole texts of results that were cut for the model."""

    async def keep(self, session_id: SessionId, call_id: CallId, remainder: Remainder) -> str:
        """Store it for the session and return its reference. Raises: StoreError."""

    async def read(self, session_id: SessionId, reference: str) -> bytes:
        """The compressed text. Raises: ToolFailure that tells unknown, another session's and expired apart."""


class ContextBuilder(Protocol):
    """Turns stored rows into the bytes of a request."""

    async def context_block(self, frame: Frame, context: RunContext, notes: Sequence[str] = ()) -> str:
        """What the model should know beside a new message; empty when nothing changed since the last block.

        `notes` are lines "name: text" of the scratchpad; each is said once and again when it changed.
        """

    def first_block(self, context: RunContext, notes: Sequence[str] = ()) -> str:
        """The block of a frame that does not exist yet."""

    async def news(self, frame: Frame, notes: Sequence[str]) -> str:
        """A block of those notes that the frame was not told; empty when it knows them all."""

    async def knows(self, frame: Frame, note: str) -> None:
        """The frame's agent wrote this note itself."""

    async def request(
        self, frame: Frame, binding: Binding, context: RunContext, tools: Sequence[ToolSpec]
    ) -> ModelRequest:
        """The next request of the frame: well-formed and within the model's window (`T-6`)."""

    def learn(self, request: ModelRequest, reported: int) -> None:
        """The provider counted so many tokens in the request."""

    def forget(self, frame: Frame) -> None:
        """Rows of the frame were marked failed: what they told the model is to be told again."""

    def drop(self, frame: Frame) -> None:
        """The frame has ended: nothing of it is kept."""


class Compactions(Protocol):
    """What stands for old rows in requests, as it is stored."""

    async def of_frame(self, frame_id: FrameId) -> Compaction | None:
        """The one that holds."""

    async def add(self, compaction: Compaction, *, based_on: int) -> Compaction:
        """Make it the one that holds. Raises: StaleOperation where another than `based_on` holds by now (`C-5`)."""

    async def ratios(self) -> Mapping[tuple[str, str], float]:
        """Reported tokens against a quarter of the bytes sent, by provider and model, of the newest calls."""


class Compactor(Protocol):
    """Makes room in a frame's requests. Nothing is changed before `publish`."""

    async def plan(
        self, frame: Frame, request: ModelRequest, *, summariser: Binding | None, forced: bool = False
    ) -> CompactionPlan | None:
        """What would make room; None where nothing would. Without a summariser only notices are put in.

        `forced`: as much as possible, however much room there is.
        """

    def question(self, plan: CompactionPlan, piece: str, previous: str, focus: str, binding: Binding) -> ModelRequest:
        """The request that has a piece summarised, `previous` being what was made of those before."""

    def most_characters(self, binding: Binding) -> int:
        """How long a summary for this model may be."""

    async def publish(self, frame: Frame, plan: CompactionPlan, content: str | None) -> Compaction:
        """Store what was planned and use it from the next request on; None: without a new summary.

        Raises: StaleOperation.
        """

    def is_due(self, frame: Frame, request: ModelRequest) -> bool:
        """Whether room is to be made before this request. After an attempt that freed little, not at once again."""

    def judge(self, frame: Frame, before: ModelRequest, after: ModelRequest, *, failed: bool) -> bool:
        """Note what an attempt came to. False after two in a row that freed next to nothing (`C-6`): ask a person."""


class Emitter(Protocol):
    """Where a turn's events go. Never blocks, never raises."""

    def __call__(self, event: AnyEvent) -> None: ...


class ChangeJournal(Protocol):
    """Every file write with both contents, stored before it happens (`R-8`)."""

    async def intend(
        self,
        *,
        session_id: SessionId,
        call_id: CallId | None,
        tool: str,
        path: str,
        before: bytes | None,
        after: bytes | None,
        added: int,
        removed: int,
        reverts: ChangeId | None = None,
        note: str = "",
        reverts_also: Sequence[ChangeId] = (),
    ) -> ChangeId:
        """Record a write that is about to happen, durably. None stands for "no file".

        One write may undo several changes of a file: each of `reverts_also` gets a row of its own that changes
        nothing further, in the same moment, and shares the fate of the first.
        """

    async def settle(
        self, change_id: ChangeId, state: ChangeState, *, conflict: str = "", found: bytes | None = None
    ) -> None:
        """Record what became of it. `found` is another writer's content that the rename replaced; it is kept.

        Settling a change that `reverts` another as `applied` also marks that other `reverted`.
        """

    async def change(self, change_id: ChangeId) -> Change:
        """Raises: UnknownItem."""

    async def contents(self, change_id: ChangeId) -> tuple[bytes | None, bytes | None]:
        """Before and after. Raises: UnknownItem where retention removed them."""

    async def of_call(self, call_id: CallId) -> Change | None:
        """The newest change of a tool call."""

    async def intended(self) -> Sequence[Change]:
        """Changes that neither reached an end nor belong to a live session: a crash left them."""

    async def of_file(self, path: str, session_id: SessionId | None = None) -> Sequence[Change]:
        """All changes of a file, undoings too, of one session or of all; newest first."""

    async def undone_by(self, change_id: ChangeId) -> Change | None:
        """The change that undid this one and holds."""

    async def together_with(self, change: Change) -> Sequence[Change]:
        """All rows of the one write that `change` is a part of, itself first or among them."""

    async def page(
        self, session_id: SessionId | None, *, page: int = 1, per_page: int = 20
    ) -> tuple[Sequence[Change], int]:
        """Newest first, and how many there are in all."""

    async def since(self, session_id: SessionId, message_id: MessageId, *, whole_rest: bool) -> Sequence[Change]:
        """Changes of the turn that the user row `message_id` began, newest first; with `whole_rest` all later too."""


class ApprovalStore(Protocol):
    """Requests that wait for a person; they survive a restart."""

    async def add(self, request: PendingRequest) -> None:
        """Store the request and set its call `pending`, in one transaction."""

    async def remove(self, request_id: RequestId, verdict: Verdict | None = None) -> None:
        """Nothing waits any more; `verdict` tells the audit trail why, unless the request was gone already (`R-12`)."""

    async def decide(self, request_id: RequestId, decision: Decision) -> bool:
        """Store a decision with its request, to take effect later; False where the request is gone or has one already."""

    async def waiting(self, session_id: SessionId | None = None) -> Sequence[PendingRequest]:
        """Newest first, with the session's title and source."""

    async def get(self, request_id: RequestId) -> PendingRequest | None: ...


class RuleStore(Protocol):
    """The approval rules."""

    async def rules(self) -> Sequence[Rule]:
        """All rules, in no particular order."""

    async def seed(self, rules: Sequence[Rule]) -> None:
        """Insert the shipped rules if no rule was ever stored."""
