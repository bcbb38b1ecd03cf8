"""The scripted server itself, judged by the vendors' own SDKs."""

from __future__ import annotations

import anthropic
import httpx
import openai
import pytest

from support.wire_server import WireServer, call, cut, error, raw, reasoning, stall, text, usage

ASK = [{"role": "user", "content": "hi"}]


def test_a_script_is_understood_by_the_openai_sdk() -> None:
    with WireServer() as server, openai.OpenAI(base_url=server.url, api_key="k") as client:
        server.script([text("He", "llo"), call("read_file", {"path": "ä.txt"}, id="c1"), usage(20, 4, cached=8)])
        with client.chat.completions.stream(model="m", messages=ASK) as stream:  # type: ignore[arg-type]
            message = stream.get_final_completion().choices[0]
        assert message.message.content == "Hello"
        assert [c.function.arguments for c in message.message.tool_calls or []] == ['{"path": "ä.txt"}']
        assert message.finish_reason == "tool_calls"
        assert server.requests[0].json["messages"] == ASK


def test_a_script_is_understood_by_the_anthropic_sdk() -> None:
    with WireServer() as server, anthropic.Anthropic(base_url=server.root, api_key="k") as client:
        server.script([reasoning("hm", signature="U0lH"), text("Hello"), call("read_file", {"path": "a"}, id="t1")])
        with client.messages.stream(model="m", max_tokens=9, messages=ASK) as stream:  # type: ignore[arg-type]
            message = stream.get_final_message()
        assert [block.type for block in message.content] == ["thinking", "text", "tool_use"]
        assert message.content[2].input == {"path": "a"}  # type: ignore[union-attr]
        assert message.stop_reason == "tool_use"


def test_answers_come_in_order_over_one_connection_and_then_a_500_says_what_is_missing() -> None:
    with WireServer() as server, httpx.Client() as client:
        server.script(error(429, retry_after="2"), raw(b"data: {}\n\n"), lambda r: text(r.json["model"]))
        replies = [client.post(f"{server.url}/chat/completions", json={"model": "m"}) for _ in range(4)]
        assert [reply.status_code for reply in replies] == [429, 200, 200, 500]
        assert replies[0].headers["retry-after"] == "2"
        assert replies[1].content == b"data: {}\n\n"
        assert '"content": "m"' in replies[2].text
        assert "no answer is scripted" in replies[3].text
        assert server.connections == 1


def test_a_cut_breaks_the_body_and_a_clean_cut_only_leaves_out_the_end_mark() -> None:
    with WireServer() as server:
        server.script([text("a"), cut()], [text("a"), cut(clean=True)])
        with pytest.raises(httpx.RemoteProtocolError):
            httpx.post(f"{server.url}/chat/completions", json={})
        reply = httpx.post(f"{server.url}/chat/completions", json={})
        assert "[DONE]" not in reply.text and 'finish_reason": null' in reply.text


def test_a_stall_ends_by_release_or_by_the_client_going_away() -> None:
    with WireServer() as server:
        server.script([text("a"), stall(), text("b")], repeat_last=True)
        with httpx.stream("POST", f"{server.url}/chat/completions", json={}) as reply:
            server.wait_stalled(1)
            assert reply.status_code == 200
        server.wait_gone(1)
        with httpx.stream("POST", f"{server.url}/chat/completions", json={}) as reply:
            server.wait_stalled(2)
            server.release()
            assert b"[DONE]" in reply.read()
