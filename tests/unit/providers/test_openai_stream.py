"""Chat Completions streams: what real servers send, and the one answer that it means."""

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


def stream(*chunks: Any, done: bool = True) -> Answer:
    data = b"".join(b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks)
    return answer_of(replay(Dialect.OPENAI, [data + (b"data: [DONE]\n\n" if done else b"")]))


def delta(finish: str | None = None, **fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": finish}]}


def calls(*fragments: dict[str, Any], finish: str = "tool_calls") -> tuple[RequestedCall, ...]:
    return stream(*(delta(tool_calls=[fragment]) for fragment in fragments), delta(finish)).calls


def call(id: str, name: str, arguments: str) -> RequestedCall:
    return RequestedCall(provider_id=id, name=name, arguments=arguments)


def part(arguments: Any = None, name: str | None = None, **more: Any) -> dict[str, Any]:
    return {"function": {"name": name, "arguments": arguments}, **more}


# ---- calls without, or with odd, indexes -------------------------------------------------------------------------


def test_p1_calls_without_index_are_told_apart_by_their_ids() -> None:
    assert calls(
        part('{"path":', "read_file", id="call_a", type="function"),
        part('"a.txt"}'),
        part('{"path":"b.txt"}', "read_file", id="call_b", type="function"),
    ) == (call("call_a", "read_file", '{"path":"a.txt"}'), call("call_b", "read_file", '{"path":"b.txt"}'))


def test_p1_a_new_id_at_an_index_in_use_opens_a_new_call() -> None:
    assert calls(
        part('{"city":"Rome"}', "get_weather", index=0, id="call_a"),
        part('{"city":"Oslo"}', "get_weather", index=0, id="call_b"),
    ) == (call("call_a", "get_weather", '{"city":"Rome"}'), call("call_b", "get_weather", '{"city":"Oslo"}'))


def test_p1_a_repeated_id_and_an_empty_last_fragment_stay_one_call() -> None:
    assert calls(
        part('{"path":', "read_file", index=0, id="call_a"),
        part('"a.txt"}', "read_file", index=0, id="call_a"),
        part("", None, index=0, id=""),
    ) == (call("call_a", "read_file", '{"path":"a.txt"}'),)


def test_p1_interleaved_fragments_at_one_index_follow_their_ids() -> None:
    assert calls(
        part('{"n":', "f", index=0, id="a"),
        part('{"n":', "f", index=0, id="b"),
        part("1}", None, index=0, id="a"),
        part("2}", None, index=0, id="b"),
    ) == (call("a", "f", '{"n":1}'), call("b", "f", '{"n":2}'))


def test_p1_whole_calls_without_ids_and_indexes_are_separate() -> None:
    assert calls(part('{"n":1}', "f"), part('{"n":2}', "f"), part({}, "g")) == (
        call("", "f", '{"n":1}'), call("", "f", '{"n":2}'), call("", "g", "{}"),
    )  # fmt: skip


def test_p1_a_call_that_comes_whole_once_more_is_one_call() -> None:
    assert calls(
        part('{"n":', "f", index=0, id="a"), part("1}", None, index=0), part('{"n":1}', "f", index=0, id="a")
    ) == (call("a", "f", '{"n":1}'),)


@pytest.mark.parametrize("where", [{}, {"index": 0}])
def test_p1_a_whole_call_that_comes_again_without_its_id_is_no_second_call(where: dict[str, int]) -> None:
    assert calls(part('{"n":1}', "f", id="a", **where), part('{"n":1}', "f", **where)) == (call("a", "f", '{"n":1}'),)


@pytest.mark.parametrize("index", [5, -1, "0", None, 1.0, True])
def test_p1_an_odd_index_harms_nothing(index: Any) -> None:
    assert calls(part('{"a"', "f", index=index, id="x"), part(":1}", None, index=index)) == (call("x", "f", '{"a":1}'),)


def test_p1_a_name_in_pieces_is_joined_and_a_call_without_a_name_is_left_out() -> None:
    assert calls(part("", "read_", index=0, id="a"), part('{"x":1}', "file", index=0), part("{}", None, index=1)) == (
        call("a", "read_file", '{"x":1}'),
    )


@pytest.mark.parametrize("fragment", [None, "x", 3, [], {}, {"function": None}, {"index": 0, "function": "f"}])
def test_p1_garbage_among_the_fragments_is_passed_over(fragment: Any) -> None:
    answer = stream(delta(tool_calls=[fragment, part("{}", "f", index=0, id="a")]), delta("tool_calls"))
    assert answer.calls == (call("a", "f", "{}"),)


# ---- arguments in any form ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given_arguments", "text"),
    [
        ({"command": "ls -la 'my dir'"}, '{"command": "ls -la \'my dir\'"}'),
        ("", "{}"),
        (None, "{}"),
        ('"just text"', '"just text"'),
        ("[1,2]", "[1,2]"),
        ([1, 2], "[1, 2]"),
        ('{"command":"a"}{"command":"b"}', '{"command":"a"}{"command":"b"}'),
        ('{"cut', '{"cut'),
    ],
)
def test_p1_arguments_are_text_whatever_came_and_are_not_judged_here(given_arguments: Any, text: str) -> None:
    assert calls(part(given_arguments, "run", index=0, id="a")) == (call("a", "run", text),)


def test_p1_the_old_function_call_is_a_call() -> None:
    answer = stream(
        delta(function_call={"name": "f", "arguments": '{"a"'}),
        delta(function_call={"arguments": ":1}"}),
        delta("function_call"),
    )
    assert answer.calls == (call("", "f", '{"a":1}'),)
    assert answer.finish is Finish.TOOL_CALLS


# ---- usage, end marks, errors ------------------------------------------------------------------------------------

HI = [
    {"choices": [], "prompt_filter_results": []},
    {"choices": [{"index": 0, "delta": {"content": "Hi"}}], "usage": None},
    {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
]
COUNTS = {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}


@pytest.mark.parametrize("last", [{"choices": [], "usage": COUNTS}, {"usage": COUNTS}])
def test_p1_usage_in_a_chunk_without_choices(last: dict[str, Any]) -> None:
    answer = stream(*HI, last)
    assert (answer.text, answer.finish) == ("Hi", Finish.STOP)
    assert answer.usage == Usage(input_tokens=9, output_tokens=2)


def test_p1_running_totals_are_not_added_up() -> None:
    answer = stream({"usage": {"completion_tokens": 1}}, *HI, {"usage": {"completion_tokens": 2}}, {"usage": None})
    assert answer.usage == Usage(output_tokens=2)


@pytest.mark.parametrize("odd", [float("inf"), float("-inf"), float("nan"), 10**30, 1e300, -5, "9", True])
def test_a_count_that_can_be_none_costs_no_answer(odd: Any) -> None:
    """JSON has no infinity, but `1e999` is one to a reader, and the store has no place for 10**30."""
    answer = stream(*HI, {"usage": {"prompt_tokens": odd, "completion_tokens": 2, "cost": odd}})
    assert (answer.text, answer.usage) == ("Hi", Usage(output_tokens=2))


def test_details_of_usage_are_kept() -> None:
    answer = stream(
        *HI,
        {
            "usage": {
                "prompt_tokens": 100,
                "completion_tokens": 7.0,
                "cost": 0.25,
                "prompt_tokens_details": {"cached_tokens": 64},
                "completion_tokens_details": {"reasoning_tokens": 5},
            }
        },
    )
    assert answer.usage == Usage(input_tokens=100, output_tokens=7, cached_tokens=64, reasoning_tokens=5, cost=0.25)


def test_p1_a_missing_done_mark_after_the_finish_reason_is_fine() -> None:
    assert stream(*HI, done=False).text == "Hi"


def test_p1_a_done_mark_without_finish_reason_is_an_end() -> None:
    assert stream(delta(content="Hi")).finish is Finish.STOP


def test_p6_a_stream_without_an_end_mark_is_broken() -> None:
    with pytest.raises(ProviderError) as raised:
        stream(delta(content="Hi"), done=False)
    assert raised.value.fault is ProviderFault.BROKEN_STREAM


@pytest.mark.parametrize("data", [b"", b": KEEP-ALIVE\r\n\r\n: KEEP-ALIVE\r\n\r\n", b"data: [DONE]\n\n"])
def test_p6_nothing_at_all_is_an_empty_stream_and_no_answer(data: bytes) -> None:
    with pytest.raises(ProviderError) as raised:
        replay(Dialect.OPENAI, [data])
    assert raised.value.fault is ProviderFault.EMPTY


def test_p6_garbage_instead_of_json_is_a_broken_stream() -> None:
    with pytest.raises(ProviderError) as raised:
        replay(Dialect.OPENAI, [b'data: {"choices": [{"ind\n\n'])
    assert raised.value.fault is ProviderFault.BROKEN_STREAM


@pytest.mark.parametrize(
    ("chunk", "fault"),
    [
        ({"error": {"message": "Rate limit", "code": 429}}, ProviderFault.RATE_LIMITED),
        ({"error": {"message": "Provider returned error", "code": 502}, "choices": []}, ProviderFault.SERVER),
        ({"error": "model is overloaded"}, ProviderFault.OVERLOADED),
        ({"object": "error", "message": "maximum context length is 8", "code": 400}, ProviderFault.CONTEXT_TOO_LONG),
        (delta("error"), ProviderFault.SERVER),
    ],
)
def test_p1_an_error_object_inside_the_stream_is_that_error(chunk: dict[str, Any], fault: ProviderFault) -> None:
    with pytest.raises(ProviderError) as raised:
        stream(delta(content="Hi"), chunk)
    assert raised.value.fault is fault


def test_p1_stop_with_tool_calls_means_tool_calls() -> None:
    answer = stream(delta(tool_calls=[part("{}", "f", index=0, id="a")]), delta("stop"))
    assert answer.finish is Finish.TOOL_CALLS


def test_a_cut_by_length_stays_one_even_with_calls() -> None:
    assert stream(delta(tool_calls=[part('{"a', "f", index=0, id="a")]), delta("length")).finish is Finish.LENGTH


def test_a_whole_completion_in_place_of_a_stream_is_an_answer() -> None:
    whole = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}]}
    assert stream(whole | {"usage": COUNTS}, done=False) == Answer(
        text="Hi", usage=Usage(input_tokens=9, output_tokens=2)
    )


# ---- text and reasoning ------------------------------------------------------------------------------------------


def test_p1_null_content_and_lists_of_parts() -> None:
    answer = stream(
        delta(role="assistant", content=None),
        delta(content=[{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]),
        delta(content=[{"type": "text", "text": "Hi"}]),
        delta("stop", content=""),
    )
    assert (answer.text, answer.reasoning) == ("Hi", "hm")


def test_think_tags_are_text() -> None:
    assert stream(delta(content="<think>a</think>b"), delta("stop")).text == "<think>a</think>b"


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning", "thinking", "reasoning_text"])
def test_p1_reasoning_in_any_known_field(field: str) -> None:
    answer = stream(delta(**{field: "so"}), delta(**{field: " on"}), delta(content="Hi"), delta("stop"))
    assert (answer.reasoning, answer.text, answer.parts) == ("so on", "Hi", "")


def test_p1_the_same_reasoning_in_two_fields_counts_once() -> None:
    answer = stream(delta(reasoning="so", reasoning_content="so"), delta(content="Hi"), delta("stop"))
    assert answer.reasoning == "so"


def test_p4_reasoning_details_are_merged_and_kept_to_be_sent_back() -> None:
    def detail(**fields: Any) -> dict[str, Any]:
        return delta(reasoning_details=[{"type": "reasoning.text", "index": 0, **fields}])

    answer = stream(
        detail(text="so", format="f"),
        detail(text=" on", signature=None),
        detail(signature="U0lHLUEr/w=="),
        delta(reasoning_details=[{"type": "reasoning.encrypted", "index": 1, "data": "AAA"}]),
        delta("stop", content="Hi"),
    )
    assert answer.reasoning == "so on"
    assert json.loads(answer.parts) == {
        "reasoning_details": [
            {"type": "reasoning.text", "index": 0, "text": "so on", "format": "f", "signature": "U0lHLUEr/w=="},
            {"type": "reasoning.encrypted", "index": 1, "data": "AAA"},
        ]
    }


def test_p4_reasoning_content_goes_back_beside_calls() -> None:
    answer = stream(delta(reasoning_content="so"), delta(tool_calls=[part("{}", "f", id="a")]), delta("tool_calls"))
    assert json.loads(answer.parts) == {"reasoning_content": "so"}


def test_p1_half_an_emoji_in_each_of_two_deltas_is_one_emoji() -> None:
    answer = stream(delta(content="ok \ud83d"), delta(content="\ude00!"), delta("stop"))
    assert answer.text == "ok \U0001f600!"


def test_p1_a_lone_surrogate_becomes_the_replacement_character() -> None:
    answer = stream(delta(content="done \ud83c"), delta("stop", reasoning="\udc00"))
    assert (answer.text, answer.reasoning) == ("done \ufffd", "\ufffd")


def test_p1_an_escaped_emoji_cut_inside_arguments_survives() -> None:
    (found,) = calls(part('{"text":"\\ud83d', "f", index=0, id="a"), part('\\ude80"}', None, index=0))
    assert json.loads(found.arguments) == {"text": "\U0001f680"}


@pytest.mark.parametrize("path", recordings(Dialect.OPENAI), ids=lambda path: path.stem)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_p1_a_recording_gives_the_same_answer_however_it_is_cut(path: Any, data: st.DataObject) -> None:
    whole = path.read_bytes()
    cuts = [0, *sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=20))), len(whole)]
    reads = [whole[start:end] for start, end in pairwise(cuts)]
    assert replay(Dialect.OPENAI, reads) == replay(Dialect.OPENAI, [whole])


@pytest.mark.parametrize("path", recordings(Dialect.OPENAI, faulty=True), ids=lambda path: path.stem)
def test_p6_a_faulty_recording_gives_no_answer(path: Any) -> None:
    with pytest.raises(ProviderError) as raised:
        replay(Dialect.OPENAI, [path.read_bytes()])
    assert raised.value.fault is ProviderFault.BROKEN_STREAM
