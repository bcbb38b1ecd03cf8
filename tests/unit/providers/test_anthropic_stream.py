"""Messages streams: blocks in order, signatures to the byte, the end mark."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placet.core.domain.errors import ProviderError, ProviderFault
from placet.core.domain.messages import Usage
from placet.core.domain.model_calls import Answer, Dialect, Finish, RequestedCall
from support.replay import answer_of, recordings, replay


def stream(*events: dict[str, Any]) -> Answer:
    data = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
    return answer_of(replay(Dialect.ANTHROPIC, [data.encode()]))


def start(index: int, **block: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: int, kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **fields}}


def end(reason: str = "end_turn", **usage: Any) -> dict[str, Any]:
    return {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}


STOP = {"type": "message_stop"}


def test_p4_thinking_keeps_its_order_and_its_signatures() -> None:
    answer = stream(
        start(0, type="thinking", thinking=""),
        delta(0, "thinking_delta", thinking="plan"),
        delta(0, "signature_delta", signature="U0lHLUEr/w=="),
        start(1, type="redacted_thinking", data="UkVE"),
        start(2, type="thinking", thinking=""),
        delta(2, "signature_delta", signature="U0lHLUI="),
        start(3, type="thinking", thinking=""),  # neither text nor signature: would be refused
        start(4, type="tool_use", id="toolu_1", name="list_dir", input={}),
        end("tool_use"),
        STOP,
    )
    assert json.loads(answer.parts) == [
        {"type": "thinking", "thinking": "plan", "signature": "U0lHLUEr/w=="},
        {"type": "redacted_thinking", "data": "UkVE"},
        {"type": "thinking", "thinking": "", "signature": "U0lHLUI="},
        {"type": "tool_use", "id": "toolu_1", "name": "list_dir", "input": {}},
    ]
    assert answer.calls == (RequestedCall(provider_id="toolu_1", name="list_dir", arguments="{}"),)
    assert (answer.reasoning, answer.finish) == ("plan", Finish.TOOL_CALLS)


def test_an_answer_of_text_and_calls_only_needs_no_parts() -> None:
    answer = stream(
        start(0, type="text", text="Hi"), start(1, type="tool_use", id="t", name="f", input={}), end(), STOP
    )
    assert (answer.text, answer.parts, answer.finish) == ("Hi", "", Finish.TOOL_CALLS)


def test_p4_unknown_blocks_go_back_as_they_came() -> None:
    block = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}
    found = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"encrypted_content": "X"}]}
    answer = stream(
        start(0, **block), delta(0, "input_json_delta", partial_json='{"query":"x"}'), start(1, **found), end(), STOP
    )
    assert json.loads(answer.parts) == [block | {"input": {"query": "x"}}, found]
    assert answer.calls == ()


def test_p1_input_with_the_start_counts_unless_it_is_streamed() -> None:
    answer = stream(
        start(0, type="tool_use", id="a", name="f", input={"x": 1}),
        start(1, type="tool_use", id="b", name="f", input={"x": 1}),
        delta(1, "input_json_delta", partial_json='{"x":'),
        delta(1, "input_json_delta", partial_json="2}"),
        end("tool_use"),
        STOP,
    )
    assert [call.arguments for call in answer.calls] == ['{"x": 1}', '{"x":2}']


def test_p2_arguments_that_are_no_json_are_kept_as_the_model_wrote_them() -> None:
    answer = stream(
        start(0, type="tool_use", id="a", name="f", input={}),
        delta(0, "input_json_delta", partial_json='{"x": "cut'),
        end("tool_use"),
        STOP,
    )
    assert answer.calls[0].arguments == '{"x": "cut'


def test_usage_is_the_sum_of_fresh_and_cached_input_and_the_last_output() -> None:
    begin = {"input_tokens": 3, "cache_creation_input_tokens": 5, "cache_read_input_tokens": 7, "output_tokens": 1}
    answer = stream(
        {"type": "message_start", "message": {"usage": begin}},
        start(0, type="text", text=""),
        delta(0, "text_delta", text="Hi"),
        end(output_tokens=20, input_tokens=None),
        STOP,
    )
    assert answer.usage == Usage(input_tokens=15, output_tokens=20, cached_tokens=7)


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("end_turn", Finish.STOP),
        ("stop_sequence", Finish.STOP),
        ("max_tokens", Finish.LENGTH),
        ("model_context_window_exceeded", Finish.LENGTH),
        ("refusal", Finish.FILTER),
        ("something_new", Finish.UNKNOWN),
    ],
)
def test_reasons(reason: str, finish: Finish) -> None:
    assert stream(start(0, type="text", text="Hi"), end(reason), STOP).finish is finish


def test_p1_deltas_without_a_start_and_unknown_events_are_taken_as_they_are_meant() -> None:
    answer = stream(
        {"type": "ping"}, {"type": "brand_new", "x": 1}, delta(0, "text_delta", text="Hi"), delta(0, "new_delta"), STOP
    )
    assert answer.text == "Hi"


def test_p1_half_an_emoji_in_each_of_two_deltas_is_one_emoji() -> None:
    answer = stream(delta(0, "text_delta", text="ok \ud83d"), delta(0, "text_delta", text="\ude00!"), end())
    assert answer.text == "ok \U0001f600!"


def test_a_whole_message_in_place_of_a_stream_is_an_answer() -> None:
    answer = stream(
        {"type": "message", "content": [{"type": "text", "text": "Hi"}], "stop_reason": "end_turn", "usage": {}}
    )
    assert (answer.text, answer.finish) == ("Hi", Finish.STOP)


def test_p6_a_stream_without_an_end_mark_is_broken() -> None:
    with pytest.raises(ProviderError) as raised:
        stream(start(0, type="text", text="Hi"))
    assert raised.value.fault is ProviderFault.BROKEN_STREAM


def test_p6_nothing_but_pings_is_an_empty_stream() -> None:
    with pytest.raises(ProviderError) as raised:
        stream({"type": "ping"})
    assert raised.value.fault is ProviderFault.EMPTY


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        ({"type": "overloaded_error", "message": "Overloaded"}, ProviderFault.OVERLOADED),
        ({"type": "rate_limit_error", "message": "slow down"}, ProviderFault.RATE_LIMITED),
        ({"type": "api_error", "message": "Internal server error"}, ProviderFault.SERVER),
        ({"type": "invalid_request_error", "message": "prompt is too long: 9 > 8"}, ProviderFault.CONTEXT_TOO_LONG),
        ({"type": "authentication_error", "message": "invalid x-api-key"}, ProviderFault.AUTH),
    ],
)
def test_p1_an_error_event_is_that_error(error: dict[str, Any], fault: ProviderFault) -> None:
    with pytest.raises(ProviderError) as raised:
        stream(start(0, type="text", text="Hi"), {"type": "error", "error": error})
    assert raised.value.fault is fault


@pytest.mark.parametrize("path", recordings(Dialect.ANTHROPIC), ids=lambda path: path.stem)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_p1_a_recording_gives_the_same_answer_however_it_is_cut(path: Any, data: st.DataObject) -> None:
    whole = path.read_bytes()
    cuts = [0, *sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=20))), len(whole)]
    reads = [whole[begin:stop] for begin, stop in pairwise(cuts)]
    assert replay(Dialect.ANTHROPIC, reads) == replay(Dialect.ANTHROPIC, [whole])


@pytest.mark.parametrize("path", recordings(Dialect.ANTHROPIC, faulty=True), ids=lambda path: path.stem)
def test_p6_a_faulty_recording_gives_no_answer(path: Any) -> None:
    with pytest.raises(ProviderError) as raised:
        replay(Dialect.ANTHROPIC, [path.read_bytes()])
    assert raised.value.fault is ProviderFault.BROKEN_STREAM
