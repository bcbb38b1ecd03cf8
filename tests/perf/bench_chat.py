"""The chat view against its budgets. Run by hand: `python tests/perf/bench_chat.py`; ends with 1 if one is missed.

Judged is the processor time of the interface thread, which is the wall time of a machine with nothing else to do;
the wall time stands beside it. Names of parts as arguments run only these.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).parents[2] / "desktop"))
sys.setswitchinterval(0.001)  # as the program does

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QTimer
from PySide6.QtWidgets import QApplication

from placet.core.domain import events
from placet.core.domain.events import AnyEvent, Envelope
from placet.core.domain.ids import CallId, FrameId, MessageId, SessionId
from placet.core.domain.messages import CallStatus, HistoryPage, Message, Role, Session, ToolCall
from placet.ui.models.transcript import TranscriptModel
from placet.ui.theme.theme import Theme
from placet.ui.widgets.transcript.view import TranscriptView

SESSION = Session(id=SessionId("bench"))
WORDS = [
    "the",
    "parser",
    "reads",
    "each",
    "line",
    "before",
    "any",
    "length",
    "check",
    "and",
    "keeps",
    "what",
    "callers",
    "rely",
    "on",
    "as",
    "it",
    "was",
]
STREAM = """\
The slice reads **at most one** character, so an empty text gives `""` and the comparison is false. \
See [the grammar](https://example.org/grammar#empty), section 2.

```python
def peek(self) -> str:
    \"\"\"The current line, or "" past the end.\"\"\"
    if self.pos < len(self.lines):
        return self.lines[self.pos]
    return ""
```

What changes for callers:

1. `parse("")` returns a document without blocks.
2. `Cursor.peek()` never raises; *None* is not used.

2 files with only a BOM behave as empty ones.

"""

_missed: list[str] = []


class Watch:
    """Processor and wall time since it was made, in milliseconds."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.thread_time()

    def read(self) -> tuple[float, float]:
        return (time.thread_time() - self._cpu) * 1e3, (time.perf_counter() - self._wall) * 1e3


def report(what: str, measured: tuple[float, float], budget: float) -> None:
    cpu, wall = measured
    verdict = "" if cpu <= budget else "  OVER"
    if verdict:
        _missed.append(what)
    print(f"{what:58} {cpu:8.2f} ms (<= {budget:g}; wall {wall:.1f}){verdict}", flush=True)


def worst(samples: list[tuple[float, float]], share: float = 1.0) -> tuple[float, float]:
    """The sample at that share of each of the two orders."""
    at = min(len(samples) - 1, int(len(samples) * share))
    return sorted(cpu for cpu, _ in samples)[at], sorted(wall for _, wall in samples)[at]


def prose(rng: random.Random, low: int = 8, high: int = 160) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(rng.randint(low, high)))


def history(count: int) -> list[Message]:
    """Messages of mixed kinds, as a long working session has them."""
    rng = random.Random(7)
    made = []
    for number in range(1, count + 1):
        identity, frame = MessageId(number), FrameId(1)
        if number % 4 == 1:
            made.append(Message(id=identity, frame_id=frame, role=Role.USER, content=prose(rng)[:300]))
            continue
        text = f"**{prose(rng, 2, 5)}** {prose(rng)} `code` and [a link](https://example.org/{number})."
        if number % 4 == 3:
            body = "\n".join(
                f"    value_{i} = parse(text[{i}:], strict=True)  # keep" for i in range(rng.randint(2, 30))
            )
            text += f"\n\n```python\ndef f(text):\n{body}\n```\n\n- one\n- two\n"
        calls = ()
        if number % 4 == 2:
            calls = tuple(
                ToolCall(id=CallId(number * 10 + i), message_id=identity, provider_id=f"c{number}{i}", name="read_file",
                         label=f"src/module_{i}.py", status=CallStatus.DONE, result="x\n" * 40, facts={"lines": 40},
                         started_at=1.0, ended_at=1.003)
                for i in range(rng.randint(1, 9))
            )  # fmt: skip
        made.append(Message(id=identity, frame_id=frame, role=Role.ASSISTANT, content=text, calls=calls))
    return made


def page(messages: list[Message], *, has_older: bool = False) -> HistoryPage:
    return HistoryPage(session=SESSION, messages=tuple(messages), has_older=has_older)


def wait_until(is_over: Callable[[], bool]) -> None:
    """Run the event loop until a timer finds it is over."""
    loop = QEventLoop()
    poll = QTimer()
    poll.setInterval(5)
    poll.timeout.connect(lambda: loop.quit() if is_over() else None)
    poll.start()
    loop.exec()


class Stalls:
    """The gaps of a 5 ms timer: what a click would have had to wait."""

    def __init__(self) -> None:
        self.gaps: list[tuple[float, float]] = []
        self._last = Watch()
        self._timer = QTimer()
        self._timer.setTimerType(self._timer.timerType().PreciseTimer)
        self._timer.setInterval(5)
        self._timer.timeout.connect(self._tick)
        self._timer.start()

    def _tick(self) -> None:
        self.gaps.append(self._last.read())
        self._last = Watch()

    def longest(self) -> tuple[float, float]:
        self._timer.stop()
        return worst(self.gaps)


def new_view(theme: Theme) -> tuple[TranscriptModel, TranscriptView]:
    model = TranscriptModel()
    view = TranscriptView(model, theme)
    view.resize(656, 800)
    view.show()
    view.grab()
    return model, view


def close(view: TranscriptView) -> None:
    view.hide()
    view.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def envelope(event: AnyEvent) -> Envelope:
    return Envelope(source="desktop", session_id=SESSION.id, seq=0, event=event)


def open_session(theme: Theme, messages: list[Message]) -> None:
    """Any window has painted text and calls before it opens a long session; the first painting loads fonts."""
    model, view = new_view(theme)
    start = time.perf_counter()
    model.load(page(messages[:8]))
    view.viewport().repaint()
    print(f"  (the very first rows of a process: {(time.perf_counter() - start) * 1e3:.0f} ms)")
    newest = page(messages[-60:], has_older=True)
    watch = Watch()
    model.load(newest)
    view.viewport().repaint()
    report("open a session of 10,000 messages: first page painted", watch.read(), 40)
    close(view)


def scroll(theme: Theme, messages: list[Message]) -> None:
    model, view = new_view(theme)
    start = time.perf_counter()
    model.load(page(messages))
    view.viewport().repaint()
    print(f"  ({len(model.rows)} rows loaded in {(time.perf_counter() - start) * 1e3:.0f} ms)")
    rng, bar, samples = random.Random(1), view.verticalScrollBar(), []
    for jump in range(42):
        bar.setValue(rng.randint(0, bar.maximum()))
        view.viewport().repaint()
        for _ in range(25):
            watch = Watch()
            bar.setValue(bar.value() - 90)
            view.viewport().repaint()
            if jump > 1:  # the first two warm fonts and lexers
                samples.append(watch.read())
    report("scroll by 90 px through 10,000 rows: p99", worst(samples, 0.99), 10)
    watch = Watch()
    found = view.search("length check")
    report(f"find in 10,000 rows ({found} hits)", watch.read(), 200)
    close(view)


def stream(theme: Theme, messages: list[Message]) -> None:
    model, view = new_view(theme)
    model.load(page(messages[-60:]))
    chunks = [STREAM[i : i + 11] for i in range(0, len(STREAM), 11)]
    fed = 0
    began, cpu = time.perf_counter(), time.process_time()

    def feed() -> None:
        nonlocal fed
        due = int((time.perf_counter() - began) * 500)
        while fed < due:
            model.apply(envelope(events.TextDelta(text=chunks[fed % len(chunks)])))
            fed += 1

    timer = QTimer()
    timer.setInterval(2)
    timer.timeout.connect(feed)
    stalls = Stalls()
    timer.start()
    wait_until(lambda: time.perf_counter() - began > 4)
    timer.stop()
    report("500 chunks a second for 4 s: longest stall", stalls.longest(), 16)
    print(f"  ({fed} chunks, {time.process_time() - cpu:.2f} s of processor)")
    close(view)


def agents(theme: Theme, *, is_open: bool) -> None:
    """Eight sub-agents that have worked for 40 rounds each and go on, 500 chunks a second together."""
    model, view = new_view(theme)
    numbers = range(1, 9)
    begin = [
        events.ToolStart(tool_call_id=CallId(n), message_id=MessageId(1), name="execute_task",
                         arguments={"agent": f"agent{n}", "task": "Read"}, label="", detail="")
        for n in numbers
    ]  # fmt: skip
    for n, event in zip(numbers, begin, strict=True):
        model.apply(envelope(event))
        model.apply(envelope(events.AgentStart(tool_call_id=CallId(n), agent_id=f"agent{n}", depth=1, prompt="")))
    for n in numbers:
        for number in range(40):
            message, call = MessageId(n * 1000 + number), CallId(n * 1000 + number)
            inside = {"agent_call_id": CallId(n)}
            model.apply(envelope(events.Thinking(message_id=message, content=f"Round {number}.", **inside)))
            model.apply(envelope(events.ToolStart(tool_call_id=call, message_id=message, name="read_file", arguments={},
                                                  label="a.py", detail="", **inside)))  # fmt: skip
            model.apply(envelope(events.ToolDone(tool_call_id=call, name="read_file", result="x", **inside)))
        if is_open:
            model.toggle_agent(n)
    view.to_bottom()
    view.viewport().repaint()
    chunks = [STREAM[i : i + 11] for i in range(0, len(STREAM), 11)]
    fed = 0
    began, cpu = time.perf_counter(), time.process_time()

    def feed() -> None:
        nonlocal fed
        due = int((time.perf_counter() - began) * 500)
        while fed < due:
            text = chunks[fed // 8 % len(chunks)]
            model.apply(envelope(events.TextDelta(text=text, agent_call_id=CallId(1 + fed % 8))))
            fed += 1

    timer = QTimer()
    timer.setInterval(2)
    timer.timeout.connect(feed)
    stalls = Stalls()
    timer.start()
    wait_until(lambda: time.perf_counter() - began > 4)
    timer.stop()
    state = "open" if is_open else "folded"
    report(f"eight {state} sub-agents, 500 chunks a second: longest stall", stalls.longest(), 16)
    print(f"  ({fed} chunks, {len(model.rows)} rows, {time.process_time() - cpu:.2f} s of processor)")
    close(view)


def tokens(theme: Theme) -> None:
    model, view = new_view(theme)
    pieces = [STREAM[i : i + 4] for i in range(0, len(STREAM), 4)]
    total, rate, fed = 20_000, 4_000, 0
    began, watch = time.perf_counter(), Watch()

    def feed() -> None:
        nonlocal fed
        due = min(total, int((time.perf_counter() - began) * rate))
        while fed < due:
            model.apply(envelope(events.TextDelta(text=pieces[fed % len(pieces)])))
            fed += 1

    timer = QTimer()
    timer.setInterval(5)
    timer.timeout.connect(feed)
    timer.start()
    wait_until(lambda: fed >= total)
    timer.stop()
    model.flush()
    view.viewport().repaint()
    report("20,000 streamed tokens", watch.read(), 1000)
    close(view)


def monsters() -> Iterator[tuple[str, str]]:
    yield "1 MB in one paragraph, one line", "lorem ipsum dolor " * 58_000
    yield "1 MB in one paragraph, many lines", ("lorem ipsum dolor sit amet " * 3 + "\n") * 12_500
    yield (
        "a table of 10,000 rows",
        "| a | b | c |\n|---|---|---|\n" + "".join(f"| {i} | value {i} | `x` |\n" for i in range(10_000)),
    )
    yield "one word of 100,000 characters", "x" * 100_000
    yield "lists nested 50 deep", "\n".join("  " * i + f"- level {i}" for i in range(50)) + "\n"
    yield "4,000 opening brackets", "[" * 4000
    yield "code of 50,000 lines", "```python\n" + "value = parse(text)  # keep\n" * 50_000 + "```\n"
    yield "one code line of 100,000 emoji", "```\n" + "👩‍👩‍👧" * 20_000 + "\n```\n"


def survive(theme: Theme) -> None:
    for what, text in monsters():
        model, view = new_view(theme)
        message = Message(id=MessageId(1), frame_id=FrameId(1), role=Role.ASSISTANT, content=text)
        steps = []
        for step in (
            partial(model.load, page([message])),
            view.viewport().repaint,
            partial(view.verticalScrollBar().setValue, 0),
            view.viewport().repaint,
        ):
            watch = Watch()
            step()
            steps.append(watch.read())
        bar = view.verticalScrollBar()
        for _ in range(30):
            watch = Watch()
            bar.setValue(bar.value() + 400)
            view.viewport().repaint()
            steps.append(watch.read())
        view.select_all()
        assert view.selection.text(markdown=True) == text.strip("\n"), what
        report(f"stored: {what}", worst(steps), 200)
        close(view)
        report(f"streamed: {what}", _streamed(theme, text), 200)


def _streamed(theme: Theme, text: str) -> tuple[float, float]:
    """In pieces of 4,000 characters, the longest step; drawn after each."""
    model, view = new_view(theme)
    steps = []
    for at in range(0, len(text), 4000):
        watch = Watch()
        model.apply(envelope(events.TextDelta(text=text[at : at + 4000])))
        model.flush()
        view.viewport().repaint()
        steps.append(watch.read())
    close(view)
    return worst(steps)


def main() -> int:
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    theme = Theme(app)
    theme.use("light")
    messages = history(10_000)
    parts: dict[str, Callable[[], object]] = {
        "open": lambda: open_session(theme, messages),
        "scroll": lambda: scroll(theme, messages),
        "stream": lambda: stream(theme, messages),
        "agents": lambda: [agents(theme, is_open=is_open) for is_open in (False, True)],
        "tokens": lambda: tokens(theme),
        "monsters": lambda: survive(theme),
    }
    for name in sys.argv[1:] or parts:
        parts[name]()
    return 1 if _missed else 0


if __name__ == "__main__":
    sys.exit(main())
