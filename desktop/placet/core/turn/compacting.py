"""Making room before a model call: old results become notices, the oldest rows a summary."""

from __future__ import annotations

import time

from placet.core.domain.compaction import CompactionPlan
from placet.core.domain.errors import PlacetError, ProviderError, ProviderFault, StaleOperation, StoreError
from placet.core.domain.events import CompactionDone, CompactionStarted, PrefixReset
from placet.core.domain.model_calls import Answer, Binding, ModelRequest, TextDelta
from placet.core.domain.stopping import TurnStopped
from placet.core.turn.parts import Turn


async def request_with_room(turn: Turn) -> ModelRequest:
    """Build the next request; one that is nearly full is built again after room was made for it.

    Raises: TurnStopped, PlacetError where it does not fit, or where room was made twice in a row for nothing (`C-6`).
    """
    request = await build(turn)
    if not turn.parts.compactor.is_due(turn.frame, request):
        return request
    return await make_room(turn, request) or request


async def build(turn: Turn) -> ModelRequest:
    return await turn.parts.context.request(turn.frame, turn.binding, turn.policy(), turn.config.all_tools())


async def make_room(turn: Turn, request: ModelRequest, *, focus: str = "", forced: bool = False) -> ModelRequest | None:
    """Shorten the frame's history; returns its next request, None where nothing can be shortened.

    A summary that fails leaves the notices, and is told.

    Raises: TurnStopped, StoreError: nothing was changed then; PlacetError as above.
    """
    compactor = turn.parts.compactor
    summariser = await _summariser(turn)
    plan = await compactor.plan(turn.frame, request, summariser=summariser, forced=forced)
    if plan is None:
        return None
    turn.emit(CompactionStarted(focus=focus))
    content, problem = None, ""
    try:
        if plan.pieces and summariser is not None:
            content = await turn.stop.race(_summarised(turn, plan, summariser, focus))
    except TurnStopped:
        _tell(turn, request, request, problem="It was stopped; nothing was changed.")
        raise
    except StoreError:
        raise
    except PlacetError as error:
        problem = f"No summary could be made: {error.message}"
        plan = await compactor.plan(turn.frame, request, summariser=None)
    await _publish(turn, plan, content)
    after = await build(turn)
    _tell(turn, request, after, problem=problem, summarised=content is not None)
    if not compactor.judge(turn.frame, request, after, failed=bool(problem)) and not forced:
        raise PlacetError(
            f"This conversation stays near the limit of {turn.binding.label}: about {after.tokens:,} of "
            f"{after.budget:,} tokens, after it was shortened twice.",
            hint="Say /compact with what matters most, choose a model with a larger window, or begin a new chat.",
        )
    return after


async def _publish(turn: Turn, plan: CompactionPlan | None, content: str | None) -> None:
    if plan is None:
        return
    try:
        await turn.parts.compactor.publish(turn.frame, plan, content)
    except StaleOperation:  # another one was faster (`C-5`)
        return
    turn.emit(PrefixReset(reason="compaction"))


def _tell(
    turn: Turn, before: ModelRequest, after: ModelRequest, *, problem: str = "", summarised: bool = False
) -> None:
    turn.emit(
        CompactionDone(tokens_before=before.tokens, tokens_after=after.tokens, summarised=summarised, problem=problem)
    )


async def _summariser(turn: Turn) -> Binding | None:
    """Which model writes the summary: one that is strong enough at the provider that has the conversation anyway.

    None for a session that nobody reads again.
    """
    if turn.session.ephemeral:
        return None
    chosen = await turn.parts.models.resolve("", "", turn.parts.summary_strength)
    return chosen if chosen.provider.name == turn.binding.provider.name else turn.binding


async def _summarised(turn: Turn, plan: CompactionPlan, binding: Binding, focus: str) -> str:
    """Bring the summary up to date piece by piece. Raises: ProviderError."""
    summary = plan.previous
    for piece in plan.pieces:
        request = turn.parts.compactor.question(plan, piece, summary, focus, binding)
        summary = await _answer(turn, request)
    return summary


async def _answer(turn: Turn, request: ModelRequest) -> str:
    """The text of the answer. One that is too long is heard no further, and cut."""
    most = turn.parts.compactor.most_characters(request.binding)
    began, text, size = time.monotonic(), list[str](), 0
    stream = turn.parts.client.stream(request)
    answer: Answer | None = None
    try:
        async for piece in stream:
            if isinstance(piece, Answer):
                answer = piece
                break
            if isinstance(piece, TextDelta):
                text.append(piece.text)
                size += len(piece.text)
            if size > most:
                break
    finally:
        await stream.aclose()
    if answer is not None and answer.usage is not None:
        turn.parts.context.learn(request, answer.usage.input_tokens)
        turn.tally.add(answer.usage, request.binding.cost(answer.usage))
    await turn.parts.store.count_call(
        turn.session.id,
        request.binding,
        answer.usage if answer is not None else None,
        request_bytes=len(request.body),
        duration_s=time.monotonic() - began,
    )
    words = (answer.text if answer is not None else "".join(text)).strip()[:most]
    if not words:
        raise ProviderError(ProviderFault.EMPTY, f"{request.binding.label} answered with no summary.")
    return words
