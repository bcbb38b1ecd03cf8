"""A model that makes the same call again and again."""

from __future__ import annotations

from collections.abc import Iterable

from placet.core.domain.messages import ToolCall
from placet.core.domain.tools import Category, Question

MOST_SAME = 10
GO_ON, STOP = "Go on", "Stop"


class Repeats:
    """Counts how often the same call, with the same arguments, was made in a row in one frame."""

    def __init__(self) -> None:
        self._last = ("", "")
        self._count = 0

    def count(self, call: ToolCall) -> int:
        """Return the how many-th time in a row this very call is made."""
        this = (call.name, call.arguments)
        self._count = self._count + 1 if this == self._last else 1
        self._last = this
        return self._count

    def begin_with(self, earlier: Iterable[ToolCall]) -> None:
        """Count those that were made before, in their order."""
        self._last, self._count = ("", ""), 0
        for call in earlier:
            self.count(call)

    def forgive(self) -> None:
        """A person lets it go on: it is counted from the beginning."""
        self._count = 0


def told_to_model(call: ToolCall) -> str:
    return (
        f"You have made this very call of {call.name} {MOST_SAME} times in a row, with the same arguments. It was not run "
        "again; the results are above. Do something else, or say what stands in the way. The next time the person is asked."
    )


def asked_of_person(call: ToolCall) -> Question:
    return Question(
        tool=call.name,
        category=Category.OTHER,
        label="The model repeats itself",
        detail=call.arguments,
        title="The model repeats itself",
        question=(
            f"It has made the same call of `{call.name}` more than {MOST_SAME} times in a row and goes on with it:\n\n"
            f"```json\n{call.arguments[:2000]}\n```\n\nLet it go on?"
        ),
        suggested_answers=(STOP, GO_ON),
    )
