"""Random histories, cut anywhere, in every dialect: well-formed requests that only grow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from placet.core.context.history import SentHistory
from placet.core.context.wire import body as join
from placet.core.context.wire import wire_for
from placet.core.domain.ids import FrameId, MessageId
from placet.core.domain.messages import CallStatus, Message, MessageStatus
from placet.core.domain.model_calls import Binding, Dialect, Model, Provider
from support.dialects import assert_well_formed_chat, assert_well_formed_messages
from support.rows import FRAME, answer, call, user

TEXTS = st.text(max_size=20) | st.just("word") | st.just("\ud83d")
IDS = st.sampled_from(["a", "b", "c", "", "has space", "call_3", "x" * 80])
ARGUMENTS = st.sampled_from(["{}", '{"path":"a"}', "[1]", "", "{"])
FINAL = [s for s in CallStatus if s.is_final]


@st.composite
def rows(draw: st.DrawFn) -> list[Message]:
    made: list[Message] = []
    call_row = 0
    for number in range(1, draw(st.integers(1, 14)) + 1):
        if draw(st.booleans()):
            status = draw(st.sampled_from([MessageStatus.OK, MessageStatus.OK, MessageStatus.FAILED]))
            made.append(user(number, draw(TEXTS), status=status))
            continue
        if draw(st.integers(0, 4)) == 0:  # told by the program: never interrupted, always a finished call
            call_row += 1
            told = call(call_row, f"notification_{number}", "read_notification", result=draw(TEXTS))
            made.append(answer(number, "", told, synthetic=True))
            continue
        calls = []
        for _ in range(draw(st.integers(0, 3))):
            call_row += 1
            status = draw(st.sampled_from(list(CallStatus)))
            calls.append(
                call(call_row, draw(IDS), draw(st.sampled_from(["read_file", "od.d", ""])), status=status,
                     result=draw(TEXTS), arguments=draw(ARGUMENTS))
            )  # fmt: skip
        state = draw(st.sampled_from([MessageStatus.OK, MessageStatus.OK, MessageStatus.INTERRUPTED]))
        parts = draw(st.sampled_from(["", "", '{"reasoning_content":"hm"}', '[{"type":"thinking"}]']))
        made.append(answer(number, draw(TEXTS), *calls, status=state, parts=parts, provider="p"))
    return made


class Rows:
    """The part of `TurnStore` that a history reads, over a list."""

    def __init__(self) -> None:
        self.rows: list[Message] = []

    async def messages_after(self, frame_id: FrameId, after: MessageId | None) -> Sequence[Message]:
        return [row for row in self.rows if after is None or row.id > after]

    async def newest_messages(self, frame_id: FrameId, before: MessageId | None, limit: int) -> Sequence[Message]:
        return [row for row in self.rows if before is None or row.id < before][-limit:]


def binding(dialect: Dialect) -> Binding:
    provider = Provider(name="p", type=dialect)
    return Binding(provider=provider, model=Model(name="m", provider="p", model_id="m"))


async def body(history: SentHistory, dialect: Dialect, budget: int = 10**9) -> bytes:
    return join(wire_for(dialect).head(binding(dialect), "system", []), await history.messages(budget))


def sent(store: Any, dialect: Dialect) -> SentHistory:
    return SentHistory(store, FRAME, wire_for(dialect), "p")


CHECKS = {Dialect.OPENAI: assert_well_formed_chat, Dialect.ANTHROPIC: assert_well_formed_messages}


@given(rows())
@settings(max_examples=300, deadline=None)
async def test_t6_any_history_gives_a_request_that_every_dialect_accepts(history: list[Message]) -> None:
    for dialect, check in CHECKS.items():
        store = Rows()
        store.rows = history
        check(await body(sent(store, dialect), dialect))


@given(rows())
@settings(max_examples=200, deadline=None)
async def test_h9_what_the_program_told_is_in_every_request(history: list[Message]) -> None:
    told = [row for row in history if row.synthetic]
    for dialect in CHECKS:
        store = Rows()
        store.rows = history
        request = await body(sent(store, dialect), dialect)
        assert request.count(b"read_notification") == len(told)


@given(rows(), st.integers(200, 3000))
@settings(max_examples=200, deadline=None)
async def test_t6_a_cut_never_splits_a_pair(history: list[Message], budget: int) -> None:
    for dialect, check in CHECKS.items():
        store = Rows()
        store.rows = history
        request = await body(sent(store, dialect), dialect, budget=max(budget, 2500))
        check(request)


@given(rows())
@settings(max_examples=200, deadline=None)
async def test_c1_growing_row_by_row_gives_the_same_bytes_as_reading_all_at_once(history: list[Message]) -> None:
    settled = [row for row in history if all(call.status.is_final for call in row.calls)]
    for dialect, check in CHECKS.items():
        store = Rows()
        growing = sent(store, dialect)
        for row in settled:
            store.rows.append(row)
            check(await body(growing, dialect))
        assert await body(growing, dialect) == await body(sent(store, dialect), dialect)


async def test_c1_each_round_of_a_turn_extends_the_request_before() -> None:
    for dialect in CHECKS:
        store = Rows()
        history = sent(store, dialect)
        store.rows.append(user(1, "go"))
        before = await body(history, dialect)
        for number in range(2, 30):
            store.rows.append(answer(number, f"step {number}", call(number, f"id{number}", result=f"r{number}")))
            after = await body(history, dialect)
            assert after.startswith(_unmarked(before)[:-2]) or _unmarked(after).startswith(_unmarked(before)[:-2])
            before = after


def _unmarked(request: bytes) -> bytes:
    return request.replace(b',"cache_control":{"type":"ephemeral"}', b"")


async def test_a_history_beyond_the_window_keeps_the_newest_part_and_names_the_request_before_it() -> None:
    store = Rows()
    for number in range(1, 2000, 2):
        store.rows += [user(number, f"question {number} " + "x" * 400), answer(number + 1, "y" * 400)]
    store.rows.append(user(2001, "the newest question"))
    history = sent(store, Dialect.OPENAI)
    messages = assert_well_formed_chat(await body(history, Dialect.OPENAI, budget=40_000))
    assert messages[-1]["content"].endswith("the newest question")
    assert "left out" in messages[1]["content"]
    assert "The last request before this point was:\nquestion" in messages[1]["content"]
