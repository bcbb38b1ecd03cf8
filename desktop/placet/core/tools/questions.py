"""`ask_user_clarification`: something only the person can answer."""

from __future__ import annotations

from typing import Any

from placet.core.domain.errors import ToolFailure
from placet.core.domain.text import first_line
from placet.core.domain.tools import QUESTION_TOOL, Category, Question, Replay, ToolSpec
from placet.core.tools.arguments import Kind, Param
from placet.core.tools.places import Place
from placet.core.tools.tool import make_tool

MOST_ANSWERS = 8
_PARAMS = (
    Param(name="title", required=True, description="What it is about, in a few words."),
    Param(name="question", required=True, description="The question, with what is needed to answer it. Markdown."),
    Param(
        name="suggested_answers",
        kind=Kind.LIST,
        items={"type": "string"},
        description=f"Up to {MOST_ANSWERS} likely answers to choose from; the person may always write another.",
    ),
)


def _prepare(args: dict[str, Any], place: Place) -> Question:
    answers = args["suggested_answers"] or []
    if not all(isinstance(answer, str) for answer in answers) or len(answers) > MOST_ANSWERS:
        raise ToolFailure(f"'suggested_answers' is a list of up to {MOST_ANSWERS} texts. Nothing was asked.")
    title, question = first_line(args["title"], 120), args["question"].strip()
    if not question:
        raise ToolFailure("The question is empty. Nothing was asked.")
    return Question(
        tool=QUESTION_TOOL,
        category=Category.OTHER,
        label=title or first_line(question, 120),
        detail=question,
        replay=Replay.SAFE,  # asked again after a restart
        title=title or first_line(question, 120),
        question=question,
        suggested_answers=tuple(dict.fromkeys(text.strip() for text in answers if text.strip())),
    )


ASK_USER_CLARIFICATION = make_tool(
    ToolSpec(
        name=QUESTION_TOOL,
        description=(
            "Ask the person one question and wait for the answer. Only where the work depends on it and neither files "
            "nor commands can tell; otherwise decide, and say what you decided."
        ),
        parameters={},
        replay=Replay.SAFE,
    ),
    _PARAMS,
    _prepare,
)
