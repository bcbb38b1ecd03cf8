"""The one function that makes any stored history well-formed (`T-6`). Pure.

Stored rows become strictly alternating turns: what the user's side says (results of calls first, then texts) and
what the assistant said. Nobody else touches the pairing of calls and results.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from placet.core.context.notices import shortened_result
from placet.core.domain.messages import CallStatus, Message, MessageStatus, Role, ToolCall
from placet.core.domain.text import clean_text

INTERRUPTED_NOTE = "[This answer was interrupted here.]"
CONTINUE_NOTE = "[Go on.]"
START_NOTE = "[The conversation starts here.]"
UNKNOWN_OUTCOME = "Error: interrupted, outcome unknown. It may or may not have taken effect; check before trying again."
FRAME_NOTE = "[From the program, not from the user. This is what {} returned:]"
NOT_BEGUN = "Error: interrupted before it began. Nothing happened; call it again if it is still needed."

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NAME_CHARACTER = re.compile(r"[^A-Za-z0-9_-]")


class SentCall(msgspec.Struct, frozen=True):
    id: str
    name: str
    arguments: str


class SentResult(msgspec.Struct, frozen=True):
    id: str
    text: str
    is_error: bool


class UserTurn(msgspec.Struct):
    """Results of the assistant turn before, then texts. `last_row` is the newest row it holds."""

    results: list[SentResult] = msgspec.field(default_factory=list)
    texts: list[str] = msgspec.field(default_factory=list)
    last_row: int = 0


class AssistantTurn(msgspec.Struct):
    """`parts` are the provider's own blocks, valid for `provider` only and only if this turn is one row.

    `has_reasoning` says that the model thought before it: its provider may demand the same of whatever is called.
    """

    text: str = ""
    calls: list[SentCall] = msgspec.field(default_factory=list)
    parts: str = ""
    provider: str = ""
    has_reasoning: bool = False
    last_row: int = 0


Turn = UserTurn | AssistantTurn


class CallIds:
    """Call ids in use: of turns that are sealed, and of those being made."""

    def __init__(self) -> None:
        self._sealed: set[str] = set()
        self._fresh: set[str] = set()

    def begin(self) -> None:
        """Forget the ids that were claimed and not sealed: their turns are made again."""
        self._fresh = set()

    def claim(self, call: ToolCall) -> str:
        """Return an id for `call` that is unique and of the form that every dialect takes."""
        wanted = call.provider_id
        if not _ID.fullmatch(wanted) or self._is_taken(wanted):
            wanted = f"call_{call.id}"
            while self._is_taken(wanted):
                wanted += "_"
        self._fresh.add(wanted)
        return wanted

    def _is_taken(self, wanted: str) -> bool:
        return wanted in self._sealed or wanted in self._fresh

    def seal(self, ids: Iterable[str]) -> None:
        self._sealed.update(ids)


def well_formed(
    rows: Iterable[Message],
    ids: CallIds,
    *,
    at_start: bool = True,
    result_limit: int = 1_000_000,
    signs_calls: bool = False,
    short_to: int = 0,
) -> list[Turn]:
    """Return `rows` as alternating turns; every call has exactly one result, and ids are unique.

    `at_start` says that nothing precedes the rows, so that they must begin with the user's side. A result over
    `result_limit` characters keeps its head and tail, so that no single one can make a session unusable.
    `signs_calls`: the dialect may demand the model's signed reasoning before each call. Rows up to `short_to` come
    with notices in the place of long results, and without their reasoning.
    """
    ids.begin()
    turns: list[Turn] = []
    for row in rows:
        if row.unreadable or row.status is MessageStatus.FAILED:
            continue
        if row.role is Role.ASSISTANT and row.synthetic and (signs_calls or _answer_has_reasoning(turns)):
            _add_framed(turns, row, result_limit)
        elif row.role is Role.ASSISTANT:
            _add_answer(turns, row, ids, at_start=at_start, result_limit=result_limit, is_short=row.id <= short_to)
        else:
            _add_text(turns, row)
    return turns


def ending_with_user(turns: Sequence[Turn]) -> list[Turn]:
    """Return `turns` in the form that a model can answer: the last word is the user's side."""
    if turns and isinstance(turns[-1], UserTurn):
        return list(turns)
    last_row = turns[-1].last_row if turns else 0
    return [*turns, UserTurn(texts=[CONTINUE_NOTE], last_row=last_row)]


def sent_text(row: Message) -> str:
    """Return what the model gets for a user row: its text, what is attached, and its context block."""
    parts = [clean_text(row.content).strip()]
    attachments = row.metadata.get("attachments") or ()
    if attachments:
        parts.append("Attached:\n" + "\n".join(f"- {clean_text(str(path))}" for path in attachments))
    parts.append(clean_text(row.context_block).strip())
    return "\n\n".join(part for part in parts if part)


def _answer_has_reasoning(turns: Sequence[Turn]) -> bool:
    """Whether the model thought before its newest answer."""
    newest = next((turn for turn in reversed(turns) if isinstance(turn, AssistantTurn)), None)
    return newest is not None and newest.has_reasoning


def _add_framed(turns: list[Turn], row: Message, limit: int) -> None:
    """A call that the model did not make, and cannot have reasoned about, as text of the user's side (`H-9`)."""
    told = [(FRAME_NOTE.format(call.name), _shortened(clean_text(call.result), limit).strip()) for call in row.calls]
    texts = [clean_text(row.content).strip(), *(f"{note}\n{result}" for note, result in told)]
    _add_words(turns, "\n\n".join(text for text in texts if text), row)


def _add_text(turns: list[Turn], row: Message) -> None:
    _add_words(turns, sent_text(row), row)


def _add_words(turns: list[Turn], text: str, row: Message) -> None:
    if not text:
        return
    if not turns or isinstance(turns[-1], AssistantTurn):
        turns.append(UserTurn())
    turn = turns[-1]
    assert isinstance(turn, UserTurn)
    turn.texts.append(text)
    turn.last_row = row.id


def _add_answer(
    turns: list[Turn], row: Message, ids: CallIds, *, at_start: bool, result_limit: int, is_short: bool
) -> None:
    interrupted = row.status is MessageStatus.INTERRUPTED
    text = clean_text(row.content).strip()
    calls = [] if interrupted else [(call, _sent_call(call, ids)) for call in row.calls]
    if interrupted and text:
        text = f"{text}\n\n{INTERRUPTED_NOTE}"
    if not text and not calls:
        return
    if not turns and at_start:
        turns.append(UserTurn(texts=[START_NOTE]))
    if turns and isinstance(turns[-1], AssistantTurn):  # no result between: two rows, one answer
        turn = turns[-1]
        turn.text = "\n\n".join(part for part in (turn.text, text) if part)
        turn.parts = ""
        turn.has_reasoning = turn.has_reasoning or bool(row.reasoning or row.parts)
    else:
        turn = AssistantTurn(
            text=text,
            parts="" if interrupted or is_short else row.parts,
            provider=row.provider,
            has_reasoning=bool(row.reasoning or row.parts),
        )
        turns.append(turn)
    turn.calls.extend(sent for _, sent in calls)
    turn.last_row = row.id
    if calls:
        results = [_result(call, sent.id, result_limit, is_short=is_short) for call, sent in calls]
        turns.append(UserTurn(results=results, last_row=row.id))


def _sent_call(call: ToolCall, ids: CallIds) -> SentCall:
    name = _NAME_CHARACTER.sub("_", call.name)[:64] or "unnamed"
    return SentCall(ids.claim(call), name, _one_object(call.arguments))


def _one_object(arguments: str) -> str:
    """Return `arguments` if they are the JSON text of one object, which every dialect demands; else `{}`."""
    try:
        return arguments if isinstance(msgspec.json.decode(clean_text(arguments)), dict) else "{}"
    except msgspec.DecodeError:
        return "{}"


def _result(call: ToolCall, sent_id: str, limit: int, *, is_short: bool) -> SentResult:
    text = _shortened(clean_text(shortened_result(call) if is_short else call.result), limit)
    match call.status:
        case CallStatus.DONE:
            return SentResult(sent_id, text or "(no output)", False)
        case CallStatus.FAILED:
            return SentResult(sent_id, text if text.startswith("Error") else f"Error: {text or 'it failed'}", True)
        case CallStatus.REJECTED:
            return SentResult(sent_id, text or "Not allowed.", True)
        case CallStatus.CANCELLED:
            return SentResult(sent_id, text or "Stopped by the user.", True)
        case CallStatus.RUNNING | CallStatus.PENDING:
            begun = call.started_at is not None
            return SentResult(sent_id, UNKNOWN_OUTCOME if begun else NOT_BEGUN, True)


def _shortened(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    head, tail = limit * 2 // 3, limit // 3
    left_out = len(text) - head - tail
    return (
        f"{text[:head]}\n[… {left_out:,} characters left out here: call it again for a smaller part …]\n{text[-tail:]}"
    )
