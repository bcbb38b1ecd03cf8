"""Requests as items of three lines, in their order, and where one is after some of them went."""

from __future__ import annotations

from typing import Any

import pytest

from placet.core.domain.ids import CallId, SessionId
from placet.core.domain.review import PendingRequest, RequestKind
from placet.ui.models.inbox_items import (
    Shown,
    announcement,
    counts,
    detail,
    items_of,
    origin,
    place_after,
    spoken,
    what,
)
from support.review_samples import command_request, question_request, write_request


def numbered(number: int, path: str = "/w/a.py", **fields: Any) -> PendingRequest:
    return write_request(number, path=path, label=path.removeprefix("/w/"), **fields)


def test_r_10_the_writes_of_one_turn_are_one_item_and_all_else_is_alone() -> None:
    other = SessionId("other")
    requests = [numbered(1), command_request("ls", 2), numbered(3, "/w/b.py"), numbered(4, session_id=other)]
    items = items_of([*requests, question_request(5)])
    assert [[request.call_id for request in item.requests] for item in items] == [[5], [4], [1, 3], [2]]
    assert [item.is_batch for item in items] == [False, False, True, False]


def test_items_are_newest_first_and_the_edits_of_a_file_stand_together_oldest_first() -> None:
    requests = [numbered(1, "/w/b.py"), numbered(2), numbered(3, "/w/b.py"), numbered(4), command_request("ls", 0)]
    in_order = [request.call_id for item in items_of(reversed(requests)) for request in item.requests]
    assert in_order == [2, 4, 1, 3, 0]


def test_of_the_same_moment_the_one_asked_last_is_first() -> None:
    requests = [command_request("a", 1, created_at=9.0), command_request("b", 2, created_at=9.0)]
    assert [item.first.call_id for item in items_of(requests)] == [2, 1]


@pytest.mark.parametrize(
    ("request_", "lines"),
    [
        (numbered(1), ("Edit a.py", "a.py", "Parser")),
        (numbered(1, is_new_file=True), ("Write a.py", "a.py", "Parser")),
        (command_request("rm -r dist\n&& make", 1), ("Run a command", "rm -r dist && make", "Parser")),
        (question_request(1), ("Question: Which encoding, 1?", "The files have **no** mark.", "Parser")),
        (
            command_request('{"title": "x"}', 1, kind=RequestKind.OTHER, tool="tracker/create"),
            ("Call tracker/create", '{"title": "x"}', "Parser"),
        ),
    ],
)
def test_an_item_says_what_with_what_and_from_where(request_: PendingRequest, lines: tuple[str, ...]) -> None:
    (item,) = items_of([write_request_with_title(request_)])
    assert (what(item), detail(item), origin(item.first)) == lines


def write_request_with_title(request: PendingRequest, title: str = "Parser", **fields: Any) -> PendingRequest:
    from msgspec.structs import replace

    return replace(request, session_title=title, **fields)


@pytest.mark.parametrize(
    ("source", "agent", "words"),
    [
        ("desktop", "", "Parser"),
        ("cli", "", "Command line: Parser"),
        ("task:7", "", "Task: Parser"),
        ("mail", "", "mail: Parser"),
        ("desktop", "writer", "Parser, sub-agent writer"),
    ],
)
def test_the_origin_names_source_session_and_sub_agent(source: str, agent: str, words: str) -> None:
    assert origin(write_request_with_title(numbered(1), source=source, agent=agent)) == words


def test_a_batch_names_its_files_its_sub_agents_and_its_sums() -> None:
    requests = [
        numbered(n, f"/w/{name}.po", added=n, removed=1, agent="writer", agent_call_id=CallId(90 + n % 2))
        for n, name in enumerate(("de", "fr", "nl", "es", "it", "de"), 1)
    ]
    (item,) = items_of(requests)
    assert what(item) == "6 edits from 2 sub-agents"
    assert detail(item) == "de.po, es.po, fr.po, 2 more"
    assert counts(item) == (21, 6)


def test_d_8_what_is_read_out_is_the_whole_command() -> None:
    command = "echo " + "x" * 2000
    (item,) = items_of([command_request(command)])
    assert command in spoken(item)


def test_one_thing_is_announced_by_name_and_several_by_their_number() -> None:
    assert announcement([command_request("ls -l")]) == "Run a command: ls -l"
    assert announcement([numbered(1), command_request("ls", 2)]) == "2 things wait for you"


@pytest.mark.parametrize(
    ("shown", "kept"), [(Shown.ALL, 4), (Shown.WRITES, 1), (Shown.QUESTIONS, 1), (Shown.OTHERS, 1)]
)
def test_a_kind_can_be_shown_alone(shown: Shown, kept: int) -> None:
    other = command_request("{}", 4, kind=RequestKind.OTHER)
    requests = [numbered(1), command_request("ls", 2), question_request(3), other]
    assert sum(map(shown.takes, requests)) == kept


def place(before: list[PendingRequest], at: int, now: list[PendingRequest]) -> int | None:
    found = place_after(before, at, now)
    return now[found].call_id if now else None


A, B, C = (numbered(n, f"/w/{n}.py") for n in (1, 2, 3))
X, Y = command_request("x", 8), command_request("y", 9)


@pytest.mark.parametrize(
    ("before", "at", "now", "call"),
    [
        ([X, A, B, Y], 1, [Y, B, A, X], 1),  # itself, wherever it is now
        ([X, A, B, Y], 1, [X, B, Y], 2),  # the next of its batch
        ([X, A, B, Y], 2, [X, A, Y], 1),  # the last of its batch: what is left of it
        ([X, A, B, Y], 1, [X, Y], 9),  # the next item
        ([X, A, B, Y], 3, [X, A, B], 2),  # the last item: the one before
        ([X, A], 1, [X, C], 3),  # another write of the same turn is the same item
        ([X, A], 0, [C], 3),  # nothing of what was there
        ([X, A, Y], 0, [Y, C], 3),  # the next item, all of which is new
        ([Y, A, X], 2, [Y, C], 3),  # the item before, all of which is new
        ([], 0, [X, Y], 8),
        ([X], 0, [], None),
    ],
)
def test_one_stays_on_the_same_item_or_goes_to_what_followed_it(
    before: list[PendingRequest], at: int, now: list[PendingRequest], call: int | None
) -> None:
    assert place(before, at, now) == call


def test_a_request_made_anew_is_the_same_item() -> None:
    anew = write_request_with_title(numbered(77, "/w/1.py"), call_id=CallId(1), stale=True)
    assert place([X, A, Y], 1, [X, anew, Y]) == 1
