"""One model call: request, stream, and the answer in the store."""

from __future__ import annotations

import json
import secrets
from typing import Any

import msgspec

from placet.core.domain import model_calls as pieces
from placet.core.domain.errors import PlacetError, ProviderError, ProviderFault, StoreError
from placet.core.domain.events import ReasoningDelta, RoundRestarted, TextDelta, ToolArgsDelta
from placet.core.domain.ids import CallId, MessageId
from placet.core.domain.messages import CallStatus, Message, ToolCall
from placet.core.turn.compacting import build, make_room, request_with_room
from placet.core.turn.draft import Draft
from placet.core.turn.failover import Failover, go_on_with, reason_of, tell_of_stand_in
from placet.core.turn.parts import Turn

RAW_LIMIT = 500
MOST_LEVELS = 100
NAME_LIMIT = 200


async def ask_model(turn: Turn) -> tuple[Message, pieces.Finish]:
    """Return the stored answer with its calls, none of them begun, and why it ended.

    A failure that may pass is tried again, with another model where there is one; `turn.binding` is then that one. A
    stop or an error keeps what had arrived as an interrupted row (`S-2`). Where the server says that the conversation
    is too long, it is shortened and sent once more (`P-6`).

    Raises: TurnStopped, ProviderError, PlacetError where the request cannot be built.
    """
    tell_of_stand_in(turn)
    failover = Failover(turn)
    was_too_long = False
    while True:
        draft = Draft(turn)
        try:
            answered = await _ask(turn, draft)
        except StoreError:
            raise
        except PlacetError as error:
            if _is_too_long(error) and not was_too_long and await make_room(turn, await build(turn), forced=True):
                was_too_long, following, reason = True, turn.binding, reason_of(error)
            else:
                following, reason = await failover.after(error), reason_of(error)
        else:
            turn.parts.models.succeeded(turn.binding)
            return answered
        await draft.void()  # only now: a stop during the pause keeps what had arrived
        if draft.is_shown:
            turn.emit(RoundRestarted(reason=reason))
        go_on_with(turn, following, reason)


async def _ask(turn: Turn, draft: Draft) -> tuple[Message, pieces.Finish]:
    parts = turn.parts
    request = await request_with_room(turn)
    began = parts.clock()
    try:
        answer = await turn.stop.race(_receive(turn, request, draft))
    except BaseException:
        await draft.keep()
        raise
    answer = msgspec.structs.replace(answer, request_bytes=len(request.body))
    if answer.usage is not None:
        parts.context.learn(request, answer.usage.input_tokens)
    turn.count(answer.usage)
    cost = turn.binding.cost(answer.usage) if answer.usage else None
    calls = [_new_call(call) for call in answer.calls]
    message = await draft.finish(answer, calls, cost, parts.clock() - began)
    return message, answer.finish


def _is_too_long(error: PlacetError) -> bool:
    return isinstance(error, ProviderError) and error.fault is ProviderFault.CONTEXT_TOO_LONG


async def _receive(turn: Turn, request: pieces.ModelRequest, draft: Draft) -> pieces.Answer:
    stream = turn.parts.client.stream(request)
    try:
        async for piece in stream:
            match piece:
                case pieces.TextDelta(text):
                    draft.add(text=text)
                    turn.emit(TextDelta(text=text))
                case pieces.ReasoningDelta(text):
                    draft.add(reasoning=text)
                    turn.emit(ReasoningDelta(text=text))
                case pieces.ArgumentsDelta(index, name, text):
                    turn.emit(ToolArgsDelta(index=index, name=name, text=text))
                case pieces.Answer():
                    return piece
            draft.is_shown = True
    finally:
        await stream.aclose()
    raise ProviderError(ProviderFault.BROKEN_STREAM, "The model's answer ended without its end mark.")


def _new_call(requested: pieces.RequestedCall) -> ToolCall:
    """Return the row of a call. One whose arguments are no JSON object has failed already (`P-2`)."""
    try:
        arguments = parse_arguments(requested.arguments)
        status, result = CallStatus.RUNNING, ""
    except ValueError as error:
        arguments = {}
        status, result = CallStatus.FAILED, f"Error: {error}"
    return ToolCall(
        id=CallId(0),
        message_id=MessageId(0),
        provider_id=requested.provider_id or f"call_{secrets.token_hex(8)}",
        name=requested.name[:NAME_LIMIT],  # no tool's is longer, and it is shown
        arguments=msgspec.json.encode(arguments).decode(),
        status=status,
        result=result,
    )


def parse_arguments(text: str) -> dict[str, Any]:
    """Return the one JSON object that `text` is; nothing at all counts as an empty one.

    Raises: ValueError with words for the model.
    """
    if not text.strip():
        return {}
    try:
        value = _decoded(text)
    except (ValueError, RecursionError) as error:  # of either decoder
        raise ValueError(
            f"The arguments are not valid JSON ({error}); one JSON object is expected. "
            f"Nothing was run. The arguments began: {text[:RAW_LIMIT]}"
        ) from None
    if _is_too_deep(value):
        raise ValueError(f"The arguments are nested more than {MOST_LEVELS} levels deep. Nothing was run.")
    if not isinstance(value, dict):
        raise ValueError(  # noqa: TRY004 - a fault of the text, like the one above
            f"One JSON object is expected as arguments, got: {text[:RAW_LIMIT]}. Nothing was run."
        )
    return value


def _decoded(text: str) -> Any:
    """Decode JSON; escapes of lone surrogates, which the strict decoder refuses, become U+FFFD."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        if "\\ud" not in text.lower():
            raise
    return msgspec.json.decode(json.dumps(json.loads(text), ensure_ascii=False).translate(_REPLACED))


def _is_too_deep(value: Any) -> bool:
    """Whether a decoder that is called from deeper within the program could fail on it, in every later request."""
    level = [value]
    for _ in range(MOST_LEVELS):
        level = [each for each in level if isinstance(each, (dict, list))]
        if not level:
            return False
        level = [inner for each in level for inner in (each.values() if isinstance(each, dict) else each)]
    return True


_REPLACED = dict.fromkeys(range(0xD800, 0xE000), "\N{REPLACEMENT CHARACTER}")
