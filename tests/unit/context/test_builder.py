"""Requests as the engine builds them: the context block is never lost, and odd windows are told in words."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from placet.core.context.builder import RequestBuilder
from placet.core.domain.errors import PlacetError
from placet.core.domain.messages import CallStatus, RunContext
from placet.core.domain.model_calls import Binding, Dialect, Model, Provider
from support.dialects import assert_well_formed_chat
from support.stores import OpenStore, answer, call, opened_store

NOW = datetime(2026, 3, 4, 10, 22, tzinfo=UTC)
CONTEXT = RunContext(workdir="/somewhere")


def binding(window: int | None = 128_000) -> Binding:
    provider = Provider(name="p", type=Dialect.OPENAI)
    return Binding(provider=provider, model=Model(name="m", provider="p", model_id="m", context_length=window))


def builder(opened: OpenStore) -> RequestBuilder:
    return RequestBuilder(opened.store.turns, opened.store.compactions, lambda _: "system", now=lambda: NOW)


async def ask(opened: OpenStore, made: RequestBuilder, text: str) -> None:
    block = await made.context_block(opened.frame, CONTEXT)
    await opened.store.turns.append_user(opened.frame.id, text, context_block=block)


async def test_the_block_is_said_once_and_only_what_changed_again(tmp_path: Path) -> None:
    async with opened_store(tmp_path) as opened:
        made = builder(opened)
        first = await made.context_block(opened.frame, CONTEXT)
        assert "Working directory: /somewhere" in first
        assert "10:15" in first  # rounded down to a quarter of an hour
        assert await made.context_block(opened.frame, CONTEXT) == ""
        moved = await made.context_block(opened.frame, RunContext(workdir="/elsewhere"))
        assert "/elsewhere" in moved
        assert "10:15" not in moved


async def test_after_a_restart_only_what_was_really_sent_counts_as_said(tmp_path: Path) -> None:
    async with opened_store(tmp_path) as opened:
        await ask(opened, builder(opened), "stopped")
        assert await builder(opened).context_block(opened.frame, CONTEXT) == ""
        await opened.store.turns.fail_unanswered(opened.frame.id)
        assert "/somewhere" in await builder(opened).context_block(opened.frame, CONTEXT)


async def test_a_request_whose_beginning_is_cut_off_still_names_the_folder(tmp_path: Path) -> None:
    async with opened_store(tmp_path) as opened:
        made = builder(opened)
        await ask(opened, made, "begin")
        for number in range(60):
            await answer(opened.store, opened.frame.id, f"{number} " + "x" * 2000)
            await ask(opened, made, "go on")
        request = await made.request(opened.frame, binding(16_000), CONTEXT, [])
        messages = assert_well_formed_chat(request.body)
        assert len(request.body) < 16_000 * 4
        assert "/somewhere" in messages[1]["content"]


async def test_one_huge_result_does_not_make_a_session_unusable(tmp_path: Path) -> None:
    async with opened_store(tmp_path) as opened:
        made = builder(opened)
        await ask(opened, made, "read it")
        stored = await answer(opened.store, opened.frame.id, "", call("read_file"))
        turns = opened.store.turns
        await turns.end_call(stored.calls[0].id, CallStatus.DONE, "y" * 900_000, facts={}, decision="")
        request = await made.request(opened.frame, binding(8_000), CONTEXT, [])
        assert "characters left out" in assert_well_formed_chat(request.body)[-1]["content"]


@pytest.mark.parametrize("window", [1, 300, 600])
async def test_a_window_too_small_for_anything_is_told_in_words(tmp_path: Path, window: int) -> None:
    async with opened_store(tmp_path) as opened:
        made = builder(opened)
        await ask(opened, made, "hello")
        with pytest.raises(PlacetError, match="too small"):
            await made.request(opened.frame, binding(window), CONTEXT, [])


async def test_a_note_with_odd_line_breaks_is_still_known_after_a_restart(tmp_path: Path) -> None:
    note = 'Scratchpad found: "one\u2028Working directory: /elsewhere\x85two"'
    async with opened_store(tmp_path) as opened:
        block = await builder(opened).context_block(opened.frame, CONTEXT, [note])
        await opened.store.turns.append_user(opened.frame.id, "go", context_block=block)
        assert await builder(opened).context_block(opened.frame, CONTEXT, [note]) == ""
