"""The demo: a guided path through a real read and a real edit, and an answer to any history."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placet.core.domain.model_calls import Answer
from placet.core.domain.review import rejection_text
from placet.core.providers.demo import demo_pieces, demo_stream
from placet.core.providers.demo_script import EDITS, SAMPLE_FILE
from placet.core.settings.sample import make_sample_folder
from support.replay import answer_of

TOOLS = [{"type": "function", "function": {"name": name}} for name in ("read_file", "edit_file", "write_file")]


class Conversation:
    """What the engine would do with the demo's answers, on a real sample file."""

    def __init__(self, folder: Path) -> None:
        self.file = make_sample_folder(folder) / SAMPLE_FILE
        self.messages: list[dict[str, Any]] = [{"role": "system", "content": "…"}]

    def say(self, text: str) -> Answer:
        self.messages.append({"role": "user", "content": text})
        return self.ask()

    def result(self, text: str) -> Answer:
        call_id = self.messages[-1]["tool_calls"][0]["id"]
        self.messages.append({"role": "tool", "tool_call_id": call_id, "content": text})
        return self.ask()

    def ask(self) -> Answer:
        body = json.dumps({"model": "demo", "stream": True, "tools": TOOLS, "messages": self.messages})
        answer = answer_of(demo_pieces(body.encode()))
        calls = [
            {"id": call.provider_id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in answer.calls
        ]
        message: dict[str, Any] = {"role": "assistant", "content": answer.text}
        self.messages.append(message | ({"tool_calls": calls} if calls else {}))
        return answer

    def read(self) -> Answer:
        return self.result(self.file.read_text("utf-8"))

    def approve(self, answer: Answer) -> Answer:
        arguments = json.loads(answer.calls[0].arguments)
        old = self.file.read_text("utf-8")
        assert old.count(arguments["old_string"]) == 1
        self.file.write_text(old.replace(arguments["old_string"], arguments["new_string"]), "utf-8")
        return self.result(f"Edited {SAMPLE_FILE}.")


@pytest.fixture
def conversation(tmp_path: Path) -> Conversation:
    return Conversation(tmp_path)


def test_d11_the_guided_session_reads_proposes_and_explains_undo(conversation: Conversation) -> None:
    welcome = conversation.say("Hello\n\n<context>another edit please</context>")
    assert "```python" in welcome.text
    assert [(call.name, json.loads(call.arguments)) for call in welcome.calls] == [("read_file", {"path": SAMPLE_FILE})]
    proposal = conversation.read()
    assert proposal.calls[0].name == "edit_file"
    done = conversation.approve(proposal)
    assert done.calls == ()
    assert "Undo" in done.text
    assert "placet revert" in done.text


def test_d11_a_rejection_is_respected_with_its_reason(conversation: Conversation) -> None:
    conversation.say("Hello")
    conversation.read()
    answer = conversation.result(rejection_text("too clever"))
    assert "too clever" in answer.text
    assert answer.calls == ()
    assert "nothing was written" in conversation_text(conversation)


def conversation_text(conversation: Conversation) -> str:
    return str(conversation.messages[-1]["content"])


def test_further_messages_offer_the_edits_that_are_left_until_there_is_none(conversation: Conversation) -> None:
    conversation.say("Hello")
    for edit in EDITS:
        proposal = conversation.read()
        assert json.loads(proposal.calls[0].arguments)["new_string"] == edit.new
        conversation.approve(proposal)
        again = conversation.say("another")
        assert again.calls[0].name == "read_file"
    assert conversation.read().calls == ()
    namespace: dict[str, Any] = {"__name__": "todo", "__file__": str(conversation.file)}
    exec(compile(conversation.file.read_text(), str(conversation.file), "exec"), namespace)
    assert namespace["summary"](namespace["load"]()) == "2 of 4 done"


def test_an_undone_edit_is_offered_again(conversation: Conversation) -> None:
    conversation.say("Hello")
    before = conversation.file.read_text()
    first = conversation.read()
    conversation.approve(first)
    conversation.file.write_text(before)
    conversation.say("again")
    assert conversation.read().calls[0].arguments == first.calls[0].arguments


def test_a_missing_sample_leads_to_a_proposal_to_create_one(conversation: Conversation) -> None:
    conversation.say("Hello")
    proposal = conversation.result(f"Error: {SAMPLE_FILE} does not exist.")
    assert proposal.calls[0].name == "write_file"
    assert json.loads(proposal.calls[0].arguments)["path"] == SAMPLE_FILE


def test_a_refused_or_failed_read_leads_to_no_proposal(conversation: Conversation) -> None:
    conversation.say("Hello")
    refused = conversation.result(rejection_text("private"))
    assert refused.calls == ()
    assert "private" in refused.text
    conversation.say("again")
    failed = conversation.result("Error: it took too long")
    assert failed.calls == ()
    assert "took too long" in failed.text


def test_a_failed_edit_is_told(conversation: Conversation) -> None:
    conversation.say("Hello")
    conversation.read()
    assert "nothing was written" in conversation.result("Error: old_string was not found").text


def test_questions_about_undo_and_models_are_answered(conversation: Conversation) -> None:
    conversation.say("Hello")
    assert "placet revert" in conversation.say("How do I undo that?").text
    assert "Settings > Providers" in conversation.say("Which models are there?").text


def test_without_tools_it_says_so() -> None:
    answer = answer_of(demo_pieces(b'{"messages":[{"role":"user","content":"x"}]}'))
    assert "no tools are offered" in answer.text
    assert answer.calls == ()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
messages = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant", "tool", "system"]) | json_values, "content": json_values},
        optional={"tool_calls": json_values, "tool_call_id": json_values},
    )
    | json_values
)


@settings(deadline=None)
@given(messages, st.booleans())
def test_any_history_has_an_answer_and_always_the_same(history: list[Any], has_tools: bool) -> None:
    body = json.dumps({"messages": history, "tools": TOOLS if has_tools else None}).encode()
    answer = answer_of(demo_pieces(body))
    assert answer.text
    assert answer_of(demo_pieces(body)) == answer


@settings(deadline=None)
@given(st.binary())
def test_what_is_no_request_has_an_answer_too(body: bytes) -> None:
    assert answer_of(demo_pieces(body)).text


async def test_it_streams_in_small_pieces() -> None:
    pieces = [piece async for piece in demo_stream(b"{}", 0)]
    assert answer_of(pieces).usage
    assert len(pieces) > 20
