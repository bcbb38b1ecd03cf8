"""Search: what was typed is taken literally, in every row and script."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from placet.core.domain.errors import StoreError
from placet.core.domain.messages import CallStatus, SearchHit
from support.stores import BINDING, OpenStore, answer, call, new_session, opened_store

ROWS = [
    "re-index job failed",
    "C++ and c#",
    "the user said don't",
    "foo NEAR bar",
    "100% done a_b",
    "path/to/file.py:12",
    "AND OR NOT",
    "mail @team",
    "axb",
]

EXPECTED = {
    "re-index": [0],
    "don't": [2],
    '"': [],
    "C++": [1],
    "NEAR": [3],
    "NOT": [6],
    "foo NEAR": [3],
    "*": [],
    "a*": [],
    "path/to/file.py:12": [5],
    "(": [],
    "t:x": [],
    "^mail": [],
    "@team": [7],
    "-index": [0],
    "100%": [4],
    "a_b": [4],
    "%": [4],
    "_": [4],
    "\\": [],
    "": [],
    "   ": [],
    "x\0y": [],
    "job re-index": [0],
    "foo mail": [],
    "#": [1],
    "FAILED": [0],
}


async def _found(opened: OpenStore, text: str) -> list[str]:
    hits, total = await opened.store.search.search(text)
    assert total == len(hits)
    return [hit.snippet for hit in hits]


@pytest.mark.parametrize("is_indexed", [True, False], ids=["indexed", "not yet indexed"])
async def test_what_is_typed_is_taken_literally(opened: OpenStore, is_indexed: bool) -> None:
    for row in [*ROWS, "c"]:
        await opened.store.turns.append_user(opened.frame.id, row)
    if not is_indexed:
        await opened.store.database.run(lambda c: c.execute("DELETE FROM search_waiting"))

    found = {query: await _found(opened, query) for query in EXPECTED}

    assert found == {query: [ROWS[index] for index in indexes] for query, indexes in EXPECTED.items()}


async def test_a_word_is_found_everywhere_it_can_stand(opened: OpenStore) -> None:
    turns = opened.store.turns
    await turns.append_user(opened.frame.id, "about zebras")
    asked = await answer(
        opened.store,
        opened.frame.id,
        "a zebra then",
        call("read_file", '{"path":"src/zebra.py"}', "c1"),
        call("grep_files", '{"pattern":"x"}', "c2"),
        call("list_files", "{}", "c3"),
    )
    await turns.end_call(asked.calls[0].id, CallStatus.DONE, "stripes", facts={}, decision="")
    await turns.end_call(asked.calls[1].id, CallStatus.DONE, "one Zebra ran", facts={}, decision="")
    await turns.end_call(asked.calls[2].id, CallStatus.DONE, "nothing", facts={}, decision="")

    hits, total = await opened.store.search.search("zebra")

    assert total == 4
    assert [hit.kind for hit in hits] == ["tool", "tool", "assistant", "user"]
    assert {hit.message_id for hit in hits[:3]} == {asked.id}
    assert all(hit.session_id == opened.session.id and hit.title == "about zebras" for hit in hits)
    assert all(_marked(hit) == ["zebra"] for hit in hits)


def _marked(hit: SearchHit) -> list[str]:
    return [hit.snippet[start:end].casefold() for start, end in hit.marks]


@pytest.mark.parametrize("typed", ["数据库", "据库", "库", "テスト", "스트", "café", "CAFE", "Straße"])
async def test_every_script_is_found(opened: OpenStore, typed: str) -> None:
    rows = ["请检查数据库的连接", "これはテストです", "이것은 테스트입니다", "in the Café", "Hohe Straße 3"]
    for row in rows:
        await opened.store.turns.append_user(opened.frame.id, row)
    await opened.store.search.index_all()

    assert len(await _found(opened, typed)) == 1


async def test_spaceless_scripts_are_found_beyond_the_newest_rows(tmp_path: Path) -> None:
    async with opened_store(tmp_path) as opened:
        await opened.store.turns.append_user(opened.frame.id, "请检查数据库的连接")
        await opened.store.search.index_all()
        await opened.store.database.run(
            lambda c: c.execute("UPDATE sqlite_sequence SET seq = seq + 100000 WHERE name = 'messages'")
        )
        await opened.store.turns.append_user(opened.frame.id, "much later")

        assert await _found(opened, "据库的") == ["请检查数据库的连接"]


async def test_a_word_is_found_while_it_is_typed_and_inside_of_others(opened: OpenStore) -> None:
    await opened.store.turns.append_user(opened.frame.id, "the reconfiguration")

    assert [len(await _found(opened, typed)) for typed in ("r", "re", "recon", "figur", "the recon")] == [1] * 5


async def test_hits_are_newest_first_in_pages(opened: OpenStore) -> None:
    ids = [(await opened.store.turns.append_user(opened.frame.id, f"owl {n}")).id for n in range(45)]

    pages = [await opened.store.search.search("owl", page=page, per_page=20) for page in (1, 2, 3, 4)]

    assert [hit.message_id for hits, _ in pages for hit in hits] == ids[::-1]
    assert [len(hits) for hits, _ in pages] == [20, 20, 5, 0]
    assert {total for _, total in pages} == {45}


async def test_marks_are_offsets_in_a_snippet_on_one_line(opened: OpenStore) -> None:
    await opened.store.turns.append_user(opened.frame.id, "filler\n" * 100 + "the owl\nand the OWL" + " tail" * 100)

    (hit,), _ = await opened.store.search.search("owl")

    assert "\n" not in hit.snippet
    assert len(hit.snippet) <= 200
    assert _marked(hit) == ["owl", "owl"]


async def test_an_answer_that_was_cut_is_found(opened: OpenStore) -> None:
    message_id = await opened.store.turns.begin_answer(opened.frame.id, BINDING)
    await opened.store.turns.save_partial(message_id, "half a pangolin", "")
    found_at_once = await _found(opened, "pangolin")
    await opened.store.turns.append_user(opened.frame.id, "go on")
    await opened.store.search.index_all()

    waiting = await opened.store.database.look(lambda c: c.all("SELECT rowid FROM search_index('pangolin')"))
    assert found_at_once == ["half a pangolin"]
    assert len(waiting) == 1


async def test_a_row_that_is_finished_twice_is_indexed_once(opened: OpenStore) -> None:
    stored = await answer(opened.store, opened.frame.id, "", call())
    for result in ("first ibis", "second ibis"):
        await opened.store.turns.end_call(stored.calls[0].id, CallStatus.DONE, result, facts={}, decision="")
        await opened.store.search.index_all()

    assert len(await _found(opened, "ibis")) == 1


async def test_indexing_happens_by_itself_when_nothing_else_is_asked(opened: OpenStore) -> None:
    await opened.store.turns.append_user(opened.frame.id, "kingfisher")

    async def indexed() -> None:
        # Only the other thread is asked: the writer has nothing to do but its chores.
        while not await opened.store.database.look(lambda c: c.all("SELECT rowid FROM search_index('kingfisher')")):
            continue

    await asyncio.wait_for(indexed(), 5)


async def test_a_search_that_fails_says_so(opened: OpenStore) -> None:
    await opened.store.turns.append_user(opened.frame.id, "x")
    await opened.store.database.run(lambda c: c.execute("DROP TABLE search_index"))

    with pytest.raises(StoreError):
        await opened.store.search.search("owl")


async def test_sessions_are_searched_together(opened: OpenStore) -> None:
    other = await new_session(opened.store, title="Other")
    await opened.store.turns.append_user(opened.frame.id, "an owl here")
    await opened.store.turns.append_user((await opened.store.turns.root_frame(other.id)).id, "an owl there")

    hits, _ = await opened.store.search.search("owl")

    assert [(hit.session_id, hit.title) for hit in hits] == [(other.id, "Other"), (opened.session.id, "an owl here")]
