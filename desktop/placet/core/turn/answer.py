"""One model call: request, stream, and the answer in the store."""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
from typing import Any

import msgspec

from placet.core.domain import model_calls as pieces
from placet.core.domain.errors import ProviderError, ProviderFault, StoreError
from placet.core.domain.events import ReasoningDelta, TextDelta, ToolArgsDelta
from placet.core.domain.ids import CallId, MessageId
from placet.core.domain.messages import CallStatus, Message, ToolCall
from placet.core.domain.stopping import TaskScope
from placet.core.turn.parts import Turn

log = logging.getLogger(__name__)

SAVE_EVERY_S = 1.0
RAW_LIMIT = 500


async def ask_model(turn: Turn) -> tuple[Message, pieces.Finish]:
    """Return the stored answer with its calls, none of them begun, and why it ended.

    A stop or an error keeps what had arrived as an interrupted row (`S-2`).

    Raises: TurnStopped, ProviderError, PlacetError where the request cannot be built.
    """
    parts = turn.parts
    request = await parts.context.request(turn.frame, turn.binding, turn.policy(), turn.config.all_tools())
    draft = _Draft(turn)
    began = parts.clock()
    try:
        answer = await turn.stop.race(_receive(turn, request, draft))
    except BaseException:
        await draft.keep()
        raise
    turn.count(answer.usage)
    cost = turn.binding.cost(answer.usage) if answer.usage else None
    message = await draft.finish(answer, cost, parts.clock() - began)
    return message, answer.finish


async def _receive(turn: Turn, request: pieces.ModelRequest, draft: _Draft) -> pieces.Answer:
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
    finally:
        await stream.aclose()
    raise ProviderError(ProviderFault.BROKEN_STREAM, "The model's answer ended without its end mark.")


class _Draft:
    """The answer that is arriving. Saved about once a second; one that is shorter is stored at once when it ends."""

    def __init__(self, turn: Turn) -> None:
        self._turn, self._store = turn, turn.parts.store
        self._row: MessageId | None = None
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._is_unsaved = False
        self._due: asyncio.TimerHandle | None = None
        self._one_at_a_time = asyncio.Lock()
        self._saving = TaskScope("partial answers")

    def add(self, *, text: str = "", reasoning: str = "") -> None:
        if text:
            self._text.append(text)
        if reasoning:
            self._reasoning.append(reasoning)
        self._is_unsaved = True
        if self._due is None:
            self._due = asyncio.get_running_loop().call_later(SAVE_EVERY_S, self._save_soon)

    def _save_soon(self) -> None:
        self._due = None
        self._saving.start(self._save_if_possible())

    async def _save_if_possible(self) -> None:
        """A database that is busy or full for a moment costs nothing yet: the end of the answer saves again."""
        try:
            await self._save()
        except StoreError as error:
            log.warning("a partial answer could not be saved yet: %s", error)

    async def _save(self) -> None:
        async with self._one_at_a_time:
            if not self._is_unsaved:
                return
            self._is_unsaved = False
            try:
                if self._row is None:
                    self._row = await self._store.begin_answer(self._turn.frame.id, self._turn.binding)
                await self._store.save_partial(self._row, "".join(self._text), "".join(self._reasoning))
            except StoreError:
                self._is_unsaved = True
                raise

    async def _settle(self) -> None:
        """No more timed saves."""
        if self._due is not None:
            self._due.cancel()
            self._due = None
        await self._saving.finish()

    async def keep(self) -> None:
        """It was cut: store what had arrived. Raises: StoreError."""
        await self._settle()
        await self._save()

    async def finish(self, answer: pieces.Answer, cost: float | None, duration_s: float) -> Message:
        """Store the whole answer with all its calls, in one transaction."""
        await self._settle()
        calls = [_new_call(call) for call in answer.calls]
        ends_turn = not calls
        if self._row is not None:
            return await self._store.finish_answer(
                self._row, answer, calls, cost=cost, duration_s=duration_s, ends_turn=ends_turn
            )
        frame_id, binding = self._turn.frame.id, self._turn.binding
        return await self._store.add_answer(
            frame_id, binding, answer, calls, cost=cost, duration_s=duration_s, ends_turn=ends_turn
        )


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
        name=requested.name,
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


_REPLACED = dict.fromkeys(range(0xD800, 0xE000), "\N{REPLACEMENT CHARACTER}")
