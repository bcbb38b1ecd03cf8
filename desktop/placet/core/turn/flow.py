"""Calls that the engine carries out itself: notes, plans, questions; and what it does about a call made again and again."""

from __future__ import annotations

import msgspec

from placet.core.domain import events
from placet.core.domain.errors import ToolFailure
from placet.core.domain.messages import CallStatus, ToolCall
from placet.core.domain.review import Action, Answered
from placet.core.domain.tools import Question, ScratchpadUpdate, TodoList, ToolResult
from placet.core.turn.call_record import CallRecord
from placet.core.turn.parts import Turn
from placet.core.turn.repeats import GO_ON, MOST_SAME, STOP, asked_of_person, told_to_model


async def update_scratchpad(turn: Turn, note: ScratchpadUpdate) -> ToolResult:
    line = await turn.scratchpad.write(note.key, note.value)
    await turn.parts.context.knows(turn.frame, line)  # it stands in the call itself
    return ToolResult(text="Noted." if note.value else "Removed.")


def show_todos(turn: Turn, plan: TodoList) -> ToolResult:
    """The plan is in the call's arguments; nothing else keeps it."""
    turn.emit(events.Todos(items=tuple(msgspec.to_builtins(todo) for todo in plan.todos)))
    return ToolResult(text=plan.label, facts={"todos": len(plan.todos)})


async def ask_person(turn: Turn, call: ToolCall, question: Question, record: CallRecord) -> ToolResult:
    """Wait for the answer, however long. Raises: TurnStopped, ToolFailure where nobody can be asked, or answers."""
    answered = await _asked(turn, call, question, record)
    if answered.verdict.action is Action.DENY:
        raise ToolFailure(f"The person did not answer. {answered.text}".strip())
    return ToolResult(text=answered.text, facts={"answer": answered.text})


async def _asked(turn: Turn, call: ToolCall, question: Question, record: CallRecord) -> Answered:
    answered = await turn.stop.race(turn.parts.review.ask(turn.reference(call), question, turn.policy()))
    record.answered(answered.verdict)
    return answered


async def check_repeats(turn: Turn, call: ToolCall, record: CallRecord) -> None:
    """The same call ten times in a row is told to the model; when it goes on with it, the person is asked.

    An answer in their own words is for the model.

    Raises: ToolFailure in place of the call, TurnStopped where the person has had enough.
    """
    if call.status is CallStatus.PENDING:  # left by an earlier run of the program: perhaps by this very question
        turn.repeats.begin_with(await _calls_before(turn, call))
    times = turn.repeats.count(call)
    if times < MOST_SAME:
        return
    if times == MOST_SAME or turn.policy().auto_deny:
        raise ToolFailure(told_to_model(call))
    question = asked_of_person(call)
    answered = await _asked(turn, call, question, record)
    if answered.verdict.action is Action.DENY:
        raise ToolFailure(f"This call was not run again: the person did not answer. {answered.text}".strip())
    answer = answered.text
    match answer.strip().casefold():
        case word if word == STOP.casefold():
            turn.stop.set()
            turn.stop.check()
        case word if word == GO_ON.casefold():
            turn.repeats.forgive()
        case _:
            raise ToolFailure(f"This call was not run again. The person was asked about it and says: {answer}")


async def _calls_before(turn: Turn, call: ToolCall) -> list[ToolCall]:
    rows = await turn.parts.store.newest_messages(turn.frame.id, None, 2 * MOST_SAME)
    return [earlier for row in rows for earlier in row.calls if earlier.id < call.id]
