"""The markers of a prompt."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placet.core.agents.faults import AgentFault
from placet.core.agents.template import MOST_CHARS, MOST_DEEP, MOST_INCLUDES, fill

KEYS = {"OS": "Linux", "A_B": "both"}


def filled(text: str, includes: Mapping[str, str] | None = None, listed: str = "- `one`: does it") -> str:
    def include(name: str) -> str:
        if name not in (includes or {}):
            raise AgentFault("x/AGENT.md", f"there is no include “{name}”")
        return (includes or {})[name]

    return fill(text, place="x/AGENT.md", include=include, lists={"task-agents": lambda: listed}, keys=KEYS)


# Texts made of pieces that mean something, so that markers, halves of them and nonsense meet often.
PIECES = st.sampled_from([
    "{{", "}}", "{", "}", "include", "list", " ", "\t", "\n", "a", "b", "../a", "/etc/passwd", "a/b", "task-agents", "__", "_",
    "OS", "A_B", "NONE", "__OS__", "{{include a}}", "{{include b}}", "{{ list task-agents }}", "\x00", "é", "\u202e", "\ud800",
])  # fmt: skip
TEXTS = st.one_of(st.text(), st.lists(PIECES, max_size=30).map("".join))


@given(TEXTS, TEXTS, TEXTS)
def test_any_text_is_filled_or_refused_by_the_declared_error(text: str, a: str, b: str) -> None:
    try:
        result = filled(text, {"a": a, "b": b})
    except AgentFault as fault:
        assert fault.message and "\n" not in fault.message.removesuffix(".")
    else:
        assert len(result) <= MOST_CHARS


@given(st.text())
def test_text_without_markers_stays_as_it_is(text: str) -> None:
    plain = text.replace("{{", "{").replace("__", "_")
    assert filled(plain) == plain


def test_each_marker_is_replaced_where_it_stands() -> None:
    text = "On __OS__:\n{{include a}}\n{{list task-agents}}\nend __A_B__"
    assert filled(text, {"a": "inner __OS__\n\n"}) == "On Linux:\ninner Linux\n- `one`: does it\nend both"


def test_what_looks_like_a_marker_and_is_none_stays() -> None:
    text = "__init__ __FILE__ __os__ {{ name }} {{includes a}} {include a} {{ # }}"
    assert filled(text) == text


def test_what_a_list_or_a_key_gives_is_put_in_as_it_is() -> None:
    assert filled("{{list task-agents}}", listed="__OS__ {{include a}}") == "__OS__ {{include a}}"


@pytest.mark.parametrize(
    ("text", "includes", "words"),
    [
        ("{{include a}}", {"a": "{{include b}}", "b": "{{include a}}"}, "in a circle: a → b → a"),
        ("{{include a}}", {"a": "{{include a}}"}, "in a circle: a → a"),
        ("{{include none}}", {}, "no include “none”"),
        ("{{include}}", {}, "“” is no name of an include"),
        ("{{include ../../secrets}}", {}, "“../../secrets” is no name of an include"),
        ("{{include /etc/passwd}}", {}, "is no name of an include"),
        ("{{list models}}", {}, "no list “models”; there are: task-agents"),
        ("{{include a}}" * (MOST_INCLUDES + 1), {"a": ""}, "are followed"),
        ("{{include n0}}", {f"n{i}": f"{{{{include n{i + 1}}}}}" for i in range(MOST_DEEP + 1)}, f"{MOST_DEEP} deep"),
        ("x" * (MOST_CHARS + 1), {}, "128 KB"),
        ("{{include a}}" * 3, {"a": "y" * (MOST_CHARS // 2)}, "128 KB"),
    ],
)
def test_what_cannot_be_filled_is_told_in_words(text: str, includes: dict[str, str], words: str) -> None:
    with pytest.raises(AgentFault, match=r"AGENT\.md|_includes") as caught:
        filled(text, includes)
    assert words in caught.value.message


def test_includes_that_double_each_other_end_soon() -> None:
    deep = {f"n{i}": f"{{{{include n{i + 1}}}}}" * 8 for i in range(7)} | {"n7": "x"}
    with pytest.raises(AgentFault, match="are followed"):
        filled("{{include n0}}", deep)
