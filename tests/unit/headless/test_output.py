"""What a turn prints when a model fails on the way."""

from __future__ import annotations

import json

import pytest

from placet.core.domain import events
from placet.core.domain.events import AnyEvent, Envelope
from placet.core.domain.ids import MessageId, SessionId
from placet.headless.output import Output, output_for

SESSION = SessionId("s")
HALF = [events.TextDelta(text="half an ans"), events.RoundRestarted(reason="overloaded")]
SWITCH = events.ModelFallback(from_model="a", to_model="b", reason="overloaded")


def write(output: Output, *told: AnyEvent) -> None:
    for number, event in enumerate(told):
        output.write(Envelope(source="cli", session_id=SESSION, seq=number, event=event))
    output.finish()


def test_readable_text_says_what_is_void_and_who_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    done = events.Done(message_id=MessageId(2), content="The whole.")
    write(output_for("text", SESSION), *HALF, SWITCH, events.TextDelta(text="The whole."), done)
    printed = capsys.readouterr()
    assert printed.out == "half an ans\nThe whole.\n"
    assert printed.err == "· the text above is void, it begins anew: overloaded\n· switched from a to b: overloaded\n"


def test_the_json_content_of_a_failed_turn_has_no_voided_text(capsys: pytest.CaptureFixture[str]) -> None:
    failed = events.Error(code="overloaded", message="It is overloaded.")
    write(output_for("json", SESSION), *HALF, events.TextDelta(text="The beg"), failed)
    assert json.loads(capsys.readouterr().out)["content"] == "The beg"
