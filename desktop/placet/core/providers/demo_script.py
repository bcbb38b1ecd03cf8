"""What the built-in demo says and proposes, by where the conversation stands. Pure and deterministic.

It follows one path through a real read, a real proposed edit, and its undo; any history has an answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from placet.core.domain.review import REJECTED
from placet.core.providers.accumulating import list_of, table_of, text_of

SAMPLE_FILE = "notes/todo.py"


class DemoStep(msgspec.Struct, frozen=True):
    """One answer: text, and at most one call."""

    text: str
    tool: str = ""
    arguments: dict[str, Any] | None = None


class _Edit(msgspec.Struct, frozen=True):
    """One improvement of the sample; `old` stands in it exactly once while it is open."""

    old: str
    new: str
    because: str


EDITS = (
    _Edit(
        '    if line[0] == "x":',
        '    if line.startswith("x "):',
        "`line[0]` fails on an **empty line**, and a task such as *xylophone lesson* counts as done. "
        "`startswith` is right in both cases.",
    ),
    _Edit(
        "    return [parse(line) for line in lines]",
        "    return [parse(line) for line in lines if line.strip()]",
        "Blank lines are counted as open tasks; they should be skipped.",
    ),
    _Edit(
        '    return str(done) + " of " + str(len(tasks)) + " done"',
        '    return f"{done} of {len(tasks)} done"',
        "An f-string says the same with less noise.",
    ),
    _Edit(
        "    lines = path.read_text().splitlines()",
        '    lines = path.read_text(encoding="utf-8").splitlines()',
        "Without an encoding the file reads differently on some machines.",
    ),
)

_WELCOME = f"""\
Hello! I am the **built-in demo**: no model, no network, always the same words. The tools are real, though, and so is \
the review.

Here is what happens next:

1. I read `{SAMPLE_FILE}` in this folder. Reading needs no question.
2. I propose a change. *Nothing is written* until you have seen the difference and approved it.
3. You undo it, if you like.

The function I want to look at is this one:

```python
def parse(line):
    if line[0] == "x":
        return True, line[1:].strip()
    return False, line.strip()
```

Let me read the whole file first."""

_UNDO = """\
Every change is kept with what was there before:

- the **Undo** button on the change, here or on the *Changes* page, puts the old content back;
- in a terminal, `placet changes` lists them and `placet revert <change>` undoes one.

An undo is refused where the file was changed by someone else meanwhile, so nothing of theirs is lost."""

_AFTER_APPROVAL = (
    "Done: the file now has exactly the content that you saw.\n\n"
    + _UNDO
    + "\n\nWrite *another* and I propose the next improvement."
)

_NO_TOOLS = """\
I would read a file now and propose a change, but no tools are offered to me in this conversation. \
Choose the assistant agent, or connect a real model in **Settings > Providers and models**."""

_NO_SUCH_FILE = ("does not exist", "not found", "no such", "there is no")
_NEW_FILE = '''\
"""A to-do list: one task a line, finished ones begin with an x."""


def summary(lines):
    tasks = [line for line in lines if line.strip()]
    done = sum(1 for line in tasks if line.startswith("x "))
    return f"{done} of {len(tasks)} done"
'''


def next_step(request: dict[str, Any]) -> DemoStep:
    """Return the answer to a Chat Completions request body."""
    messages = [message for message in list_of(request.get("messages")) if isinstance(message, dict)]
    tools = {text_of(table_of(table_of(tool).get("function")).get("name")) for tool in list_of(request.get("tools"))}
    since = _since_last_user(messages)
    if not {"read_file", "edit_file"} <= tools:
        return DemoStep(_NO_TOOLS)
    called, result = _last_call(since)
    if called == "read_file":
        return _after_read(result, can_write="write_file" in tools)
    if called:
        return _after_write(result)
    return _after_user(messages)


def _after_user(messages: Sequence[dict[str, Any]]) -> DemoStep:
    read = {"path": SAMPLE_FILE}
    said = next((_text(message) for message in reversed(messages) if message.get("role") == "user"), "")
    words = set(said.partition("\n\n")[0].lower().replace("?", " ").replace(".", " ").split())
    if not any(message.get("tool_calls") for message in messages):
        return DemoStep(_WELCOME, "read_file", read)
    if words & {"undo", "revert", "back"}:
        return DemoStep(_UNDO)
    if words & {"model", "models", "provider", "key", "real"}:
        return DemoStep(
            "For real work, connect a model: **Settings > Providers and models** finds servers on this machine and keys in your "
            "environment, and asks before it uses any of them. Everything that you saw here stays the same then."
        )
    return DemoStep("I look at the file once more and choose what to improve next.", "read_file", read)


def _after_read(content: str, *, can_write: bool) -> DemoStep:
    open_edits = [edit for edit in EDITS if edit.old.strip() in content and edit.new.strip() not in content]
    if open_edits:
        edit = open_edits[0]
        arguments = {"path": SAMPLE_FILE, "old_string": edit.old, "new_string": edit.new}
        return DemoStep(f"{edit.because}\n\nThis is the change I propose:", "edit_file", arguments)
    if "def parse" in content or "def summary" in content:
        return DemoStep("I have nothing left to improve in this file: every change I know is in it.\n\n" + _UNDO)
    if content.startswith(REJECTED) or not any(words in content.lower() for words in _NO_SUCH_FILE):
        return _after_write(content)
    if not can_write:
        return DemoStep(f"I cannot find my sample `{SAMPLE_FILE}` in this folder, and so I have nothing to propose.")
    return DemoStep(
        f"My sample `{SAMPLE_FILE}` is not in this folder. I propose to create a small one; it is written only if you "
        "approve it.",
        "write_file",
        {"path": SAMPLE_FILE, "content": _NEW_FILE},
    )


def _after_write(result: str) -> DemoStep:
    if result.startswith(REJECTED):
        reason = result.removeprefix(REJECTED).strip().removeprefix("Reason:").strip()
        heard = (
            f"You said: “{reason}”. A model would take that into account in its next proposal.\n\n" if reason else ""
        )
        return DemoStep(
            f"Understood, I leave the file as it is; nothing was written. {heard}"
            "Write *another* if you want to see a different proposal."
        )
    if result.lower().startswith(("error", "cancelled", "not run", "outcome unknown")) or not result:
        return DemoStep(
            "That did not work, and nothing was written. This is what I was told:\n\n"
            f"```text\n{result[:400]}\n```\n\nWrite *again* and I read the file anew."
        )
    return DemoStep(_AFTER_APPROVAL)


def _since_last_user(messages: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    for at in range(len(messages) - 1, -1, -1):
        if messages[at].get("role") == "user":
            return messages[at + 1 :]
    return messages


def _last_call(messages: Sequence[dict[str, Any]]) -> tuple[str, str]:
    """Return the name and the result of the last answered call, empty if there is none."""
    names = {
        text_of(call.get("id")): text_of(table_of(call.get("function")).get("name"))
        for message in messages
        for call in list_of(message.get("tool_calls"))
        if isinstance(call, dict)
    }
    for message in reversed(messages):
        if message.get("role") == "tool":
            return names.get(text_of(message.get("tool_call_id")), "unknown") or "unknown", _text(message)
    return "", ""


def _text(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "\n\n".join(text_of(table_of(part).get("text")) for part in list_of(content))
