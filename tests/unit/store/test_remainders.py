"""Whole texts of results that were cut for the model."""

from __future__ import annotations

import time

import pytest

from placet.core.domain.errors import ToolFailure
from placet.core.domain.ids import CallId
from placet.core.domain.ports import Remainders
from placet.core.tools.remainders import MAX_BYTES, RemainderWriter, text_of
from support.stores import OpenStore, new_session


def writer_of(*parts: bytes) -> RemainderWriter:
    writer = RemainderWriter()
    for part in parts:
        writer.add(part)
    return writer


async def test_a_text_is_read_by_the_session_that_got_its_reference_and_by_no_other(opened: OpenStore) -> None:
    remainders: Remainders = opened.store.remainders
    other = await new_session(opened.store)
    reference = await remainders.keep(opened.session.id, CallId(1), writer_of(b"one\n", "zwölf\n".encode()).finish())
    assert text_of(await remainders.read(opened.session.id, reference)) == "one\nzwölf\n"
    with pytest.raises(ToolFailure, match="another conversation"):
        await remainders.read(other.id, reference)
    for unknown in ("ref:output:" + "0" * 64, reference.removeprefix("ref:output:"), ""):
        with pytest.raises(ToolFailure, match="There is no output"):
            await remainders.read(opened.session.id, unknown)


async def test_an_old_text_expires_and_the_same_output_again_is_kept_again(opened: OpenStore) -> None:
    rows, session = opened.store.remainders, opened.session.id
    reference = await rows.keep(session, CallId(1), writer_of(b"x").finish())
    await rows.expire(time.time() + 1)
    with pytest.raises(ToolFailure, match="has expired"):
        await rows.read(session, reference)
    assert await rows.keep(session, CallId(2), writer_of(b"x").finish()) == reference
    await rows.expire(time.time() - 60)
    assert text_of(await rows.read(session, reference)) == "x"


def test_only_the_first_16_mb_are_kept_and_half_a_character_at_the_cut_is_dropped() -> None:
    remainder = writer_of(b"a" * (MAX_BYTES - 1), "ö".encode(), b"more").finish()
    assert (remainder.size, remainder.is_cut) == (MAX_BYTES, True)
    assert text_of(remainder.data) == "a" * (MAX_BYTES - 1)
    assert not writer_of(b"a" * MAX_BYTES).finish().is_cut
