"""Any stream of events, read at any pace: nothing is lost without a word, and deltas add up."""

from __future__ import annotations

from collections import defaultdict

from hypothesis import given, settings
from hypothesis import strategies as st

from placet.core.domain import events
from placet.core.domain.events import AnyEvent, Envelope
from placet.core.domain.ids import CallId, SessionId
from placet.core.hub.bus import DELTAS, EventBus

SESSIONS = st.sampled_from(["a", "b"])
FRAMES = st.sampled_from([None, CallId(1), CallId(2)])
TEXTS = st.text(alphabet="xyz", min_size=1, max_size=3)


def an_event() -> st.SearchStrategy[AnyEvent]:
    delta = st.builds(events.TextDelta, text=TEXTS, agent_call_id=FRAMES)
    thought = st.builds(events.ReasoningDelta, text=TEXTS, agent_call_id=FRAMES)
    arguments = st.builds(
        events.ToolArgsDelta, index=st.integers(0, 1), name=st.sampled_from(["", "f"]), text=TEXTS, agent_call_id=FRAMES
    )
    other = st.builds(events.TurnRunning, running=st.booleans(), agent_call_id=FRAMES)
    return delta | delta | thought | arguments | other


Key = tuple[object, ...]


def of_frames(envelopes: list[Envelope]) -> dict[Key, list[tuple[Key, str]]]:
    """What each frame of each session told, in its order, deltas that follow each other joined."""
    told: defaultdict[Key, list[tuple[Key, str]]] = defaultdict(list)
    for envelope in envelopes:
        event = envelope.event
        frame = told[envelope.session_id, event.agent_call_id]
        if not isinstance(event, DELTAS):
            frame.append((("event", repr(event)), ""))
            continue
        key: Key = (type(event), getattr(event, "index", None), getattr(event, "name", None))
        if frame and frame[-1][0] == key:
            frame[-1] = (key, frame[-1][1] + event.text)
        else:
            frame.append((key, event.text))
    return told


def others(envelopes: list[Envelope]) -> list[tuple[str | None, AnyEvent]]:
    return [(envelope.session_id, envelope.event) for envelope in envelopes if not isinstance(envelope.event, DELTAS)]


@given(st.lists(st.tuples(SESSIONS, an_event()), max_size=60), st.integers(2, 12), st.lists(st.booleans(), max_size=60))
@settings(max_examples=300, deadline=None)
async def test_a_slow_reader_gets_everything_or_is_told(
    told: list[tuple[str, AnyEvent]], capacity: int, reads: list[bool]
) -> None:
    bus = EventBus()
    slow, complete = bus.subscribe(capacity), bus.subscribe(None)
    seen: list[Envelope] = []
    for number, (session, event) in enumerate(told):
        bus.publish("desktop", SessionId(session), event)
        if number < len(reads) and reads[number]:
            seen.append(await anext(slow))
    slow.close()
    complete.close()
    seen += [envelope async for envelope in slow]
    all_of_it = [envelope async for envelope in complete]
    assert of_frames(all_of_it) == of_frames(
        [Envelope(source="", session_id=SessionId(s), seq=0, event=e) for s, e in told]
    )
    if not any(isinstance(envelope.event, events.Lagged) for envelope in seen):
        assert of_frames(seen) == of_frames(all_of_it)
        assert others(seen) == others(all_of_it)
    for session in {envelope.session_id for envelope in seen} - {None}:
        numbers = [envelope.seq for envelope in seen if envelope.session_id == session]
        assert numbers == sorted(set(numbers))


async def test_sub_agents_that_stream_at_once_make_no_reader_lag() -> None:
    bus = EventBus()
    reader = bus.subscribe(capacity=8)
    for number in range(1000):
        bus.publish("desktop", SessionId("s"), events.TextDelta(text=f"{number} ", agent_call_id=CallId(number % 3)))
    reader.close()
    seen = [envelope.event async for envelope in reader]
    assert len(seen) <= 8
    texts: dict[int | None, str] = {}
    for event in seen:
        assert isinstance(event, events.TextDelta)
        texts[event.agent_call_id] = texts.get(event.agent_call_id, "") + event.text
    assert {frame: text.split() for frame, text in texts.items()} == {
        frame: [str(number) for number in range(frame, 1000, 3)] for frame in range(3)
    }
