"""One session's turns: at most one runs at a time, each with its own stop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from placet.core.domain import events
from placet.core.domain.errors import PlacetError, ProviderError, UsageError
from placet.core.domain.ids import SessionId
from placet.core.domain.messages import RunContext
from placet.core.domain.outcomes import Cancelled, Exhausted, Failed, Final, Outcome
from placet.core.domain.ports import Emitter
from placet.core.domain.stopping import StopFlag, TurnStopped
from placet.core.turn.compacting import build, make_room
from placet.core.turn.config import AgentRunConfig
from placet.core.turn.incoming import Incoming
from placet.core.turn.parts import Parts, Turn
from placet.core.turn.resume import narrowed_by, resume_pending_tools, resume_turn
from placet.core.turn.rounds import add_message, run_turn
from placet.core.turn.scratchpad import Scratchpad

log = logging.getLogger(__name__)


class SessionHandler:
    """Runs the turns of one session. A second message waits for the first.

    The maker of a turn keeps its stop, which is final for that turn.
    """

    def __init__(
        self,
        session_id: SessionId,
        parts: Parts,
        emit: Emitter,
        policy: Callable[[], RunContext],
        *,
        max_rounds: int = 20,
        max_parallel: int = 4,
    ) -> None:
        self.session_id = session_id
        self._parts, self._emit, self._policy = parts, emit, policy
        self._max_rounds, self._max_parallel = max_rounds, max_parallel
        self._lock = asyncio.Lock()

    @property
    def is_running(self) -> bool:
        return self._lock.locked()

    async def handle_message(
        self,
        message: Incoming,
        *,
        synthetic: bool = False,
        drain: Callable[[], Sequence[Incoming]] = tuple,
        stop: StopFlag | None = None,
    ) -> Outcome:
        """Run the turn of one message to its end. Errors are told as one `error` event and returned as `Failed`.

        `stop` may have been set before the turn begins: the message is then not stored, and given back.
        """
        unsaved = [message.returned]

        async def work(turn: Turn) -> Final | Exhausted:
            earlier = await narrowed_by(turn)
            await add_message(turn, message, synthetic=synthetic)
            unsaved.clear()
            # What a crash left open goes on first, sub-agents too. Results stand with their calls: in a request they
            # come before the new message, whenever they were made.
            turn.config = turn.config.narrowed(earlier)
            await resume_pending_tools(turn)
            turn.config = turn.config.narrowed(message.tools)
            return await run_turn(turn)

        outcome = await self._run(work, drain, stop or StopFlag(), unsaved)
        assert outcome is not None, "a message always gets one"
        return outcome

    async def resume(
        self, *, drain: Callable[[], Sequence[Incoming]] = tuple, stop: StopFlag | None = None
    ) -> Outcome | None:
        """Go on without a new message; None where nothing was left to do."""

        async def work(turn: Turn) -> Final | Exhausted | None:
            turn.config = turn.config.narrowed(await narrowed_by(turn))
            return await resume_turn(turn)

        return await self._run(work, drain, stop or StopFlag(), [])

    async def compact(self, focus: str = "", *, stop: StopFlag | None = None) -> Outcome | None:
        """Shorten the history now, as far as possible, whatever room there is."""

        async def work(turn: Turn) -> None:
            await turn.bind()
            if await make_room(turn, await build(turn), focus=focus, forced=True) is None:
                raise UsageError("There is nothing to shorten in this conversation yet.")

        return await self._run(work, tuple, stop or StopFlag(), [])

    async def _run(
        self,
        work: Callable[[Turn], Awaitable[Final | Exhausted | None]],
        drain: Callable[[], Sequence[Incoming]],
        stop: StopFlag,
        unsaved: Sequence[str],
    ) -> Outcome | None:
        async with self._lock:
            self._emit(events.TurnRunning(running=True))
            try:
                return await self._guarded(work, self._new_turn(stop, drain), unsaved)
            finally:
                self._emit(events.TurnRunning(running=False))

    async def _new_turn(self, stop: StopFlag, drain: Callable[[], Sequence[Incoming]]) -> Turn:
        parts = self._parts
        session = await parts.store.session(self.session_id)
        frame = await parts.store.root_frame(self.session_id)
        own_limit = self._policy().max_rounds
        return Turn(
            parts=parts,
            session=session,
            frame=frame,
            config=AgentRunConfig(parts.agents.get(frame.agent), parts.tools),
            model=session.model,
            run_rounds=run_turn,
            scratchpad=Scratchpad(parts.store, session.id),
            stop=stop,
            emit=self._emit,
            policy=self._policy,
            drain=drain,
            max_rounds=self._max_rounds if own_limit is None else own_limit,
            max_parallel=self._max_parallel,
        )

    async def _guarded(
        self,
        work: Callable[[Turn], Awaitable[Final | Exhausted | None]],
        new_turn: Awaitable[Turn],
        unsaved: Sequence[str],
    ) -> Outcome | None:
        """The boundary of the engine: whatever goes wrong in a turn becomes an outcome and leaves the session usable.

        `new_turn` is awaited here, so that its errors are caught too. When the program ends, the cancellation passes:
        the rows stay as they are, for a resume to judge.

        `unsaved` holds the text that is not in the store (yet): an error gives it back.
        """
        try:
            turn = await new_turn
            turn.stop.check()
            outcome = await work(turn)
        except TurnStopped:
            return await self._stopped(unsaved)
        except PlacetError as error:
            return self._failed(error, unsaved)
        except Exception as error:
            log.exception("turn of session %s crashed", self.session_id)
            return self._failed(_unexpected(error), unsaved)
        self._tell(outcome)
        if isinstance(outcome, Final):
            await self._make_room_after(turn)
        return outcome

    async def _make_room_after(self, turn: Turn) -> None:
        """Now nobody waits for an answer. What goes wrong with it is no fault of the turn."""
        try:
            request = await build(turn)
            if turn.parts.compactor.is_due(turn.frame, request):
                await make_room(turn, request)
        except (TurnStopped, PlacetError) as error:
            log.info("no room was made after a turn of session %s: %s", self.session_id, error)

    def _tell(self, outcome: Final | Exhausted | None) -> None:
        match outcome:
            case Final():
                if outcome.truncated:
                    self._emit(events.Truncated(message_id=outcome.message_id))
                self._emit(
                    events.Done(
                        message_id=outcome.message_id,
                        content=outcome.text,
                        input_tokens=outcome.input_tokens,
                        output_tokens=outcome.output_tokens,
                        cost=outcome.cost,
                    )
                )
            case Exhausted():
                self._emit(
                    events.Error(
                        code="rounds_exhausted",
                        message=f"The turn used all of its {outcome.rounds} rounds without coming to an end.",
                        hint="Send a message to go on, or raise the limit of rounds.",
                    )
                )

    async def _stopped(self, unsaved: Sequence[str]) -> Cancelled:
        """A person stopped it: what had no answer yet is not sent again by itself."""
        log.info("turn of session %s was stopped", self.session_id)
        frame = await self._parts.store.root_frame(self.session_id)
        if await self._parts.store.fail_unanswered(frame.id):
            self._parts.context.forget(frame)
        self._emit(events.Error(code="interrupted", message="Interrupted by user.", draft="\n\n".join(unsaved)))
        return Cancelled()

    def _failed(self, error: PlacetError, unsaved: Sequence[str]) -> Failed:
        if isinstance(error, ProviderError):
            self._emit(events.LlmFailed(tried=error.tried, last_error=error.message, fault=error.fault.value))
        code = error.fault.value if isinstance(error, ProviderError) else _code(error)
        draft = "\n\n".join(unsaved)
        self._emit(events.Error(code=code, message=error.message, hint=error.hint, detail=error.detail, draft=draft))
        return Failed(error)


def _code(error: PlacetError) -> str:
    name = type(error).__name__
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")


def _unexpected(error: Exception) -> PlacetError:
    return PlacetError(
        f"Something unexpected went wrong in this turn: {type(error).__name__}: {error}",
        hint="The conversation is kept; send the message again. The log has the details.",
    )
