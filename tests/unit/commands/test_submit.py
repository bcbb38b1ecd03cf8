"""Whatever is typed comes to exactly one thing: a message, an answer, or a refusal in words."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from placet.core.domain.commands import TypedText, read_typed
from placet.core.domain.errors import PlacetError
from placet.core.domain.model_calls import Model
from support.window_hub import WindowHub

NAMES = [
    "help",
    "new",
    "clear",
    "stop",
    "resume",
    "model",
    "models",
    "mode",
    "steps",
    "context",
    "cost",
    "title",
    "nope",
]
TYPED = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["/", "//", "///", " /", ""]),
    st.sampled_from(NAMES),
    st.sampled_from(["", " ", "\n", ","]),
    st.text(max_size=8) | st.sampled_from(["edits", "3", "small", "default"]),
)


async def _came_to(typed: str) -> tuple[WindowHub, list[str]]:
    hub = WindowHub()
    hub.catalogue.by_model["small"] = Model(name="small", provider="local", model_id="small-1", default=True)
    active = await hub.register("desktop")
    came: list[str] = []
    try:
        if await hub.commands.submit("desktop", typed) is not None:
            came.append("answer")
    except PlacetError:
        came.append("refusal")
    came += ["message"] * len(hub.asked("send_message"))
    assert active in hub.rows
    return hub, came


@given(st.text() | TYPED)
@example("/usr/bin is full")
@example("//help")
def test_any_text_comes_to_one_thing(typed: str) -> None:
    hub, came = asyncio.run(_came_to(typed))  # noqa: TID251 - the entry point of this test
    assert len(came) == 1
    read = read_typed(typed)
    if isinstance(read, TypedText):
        assert hub.asked("send_message") == [read.text]
    else:
        assert came[0] in ("answer", "refusal")


@pytest.mark.parametrize("typed", ["/nope", "/nope x", "/help x", "/steps many", "/mode loud"])
async def test_a_refusal_changes_nothing(typed: str) -> None:
    hub, came = await _came_to(typed)
    assert came == ["refusal"]
    assert hub.calls == []
