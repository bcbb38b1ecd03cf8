"""Planning a write: what cannot be done fails before anybody is asked."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from placet.core.domain.errors import ToolFailure
from placet.core.domain.tools import PlannedWrite
from placet.core.review.files import ABSENT, MAX_BYTES, digest_of
from placet.core.review.preview import propose
from support.review_fakes import edit_of, write_of


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path.resolve() / "file.txt"


def test_a_proposal_is_the_tools_own_result_on_the_current_bytes(place: Path) -> None:
    place.write_bytes(b"a\r\nb\nc")
    proposal = propose(edit_of(place, b"b", b"B"))
    assert (proposal.old, proposal.new) == (b"a\r\nb\nc", b"a\r\nB\nc")
    assert proposal.old_digest == digest_of(b"a\r\nb\nc")
    assert (proposal.added, proposal.removed, proposal.result) == (1, 1, "Wrote file.txt.")


def test_a_new_file_has_no_old_side(place: Path) -> None:
    proposal = propose(write_of(place.parent / "deep" / "new", b"x\n"))
    assert (proposal.old, proposal.old_digest, proposal.added) == (None, ABSENT, 1)
    assert not (place.parent / "deep").exists()


def test_a_plan_that_fails_says_so_in_the_tools_words(place: Path) -> None:
    with pytest.raises(ToolFailure, match="does not exist"):
        propose(edit_of(place, b"a", b"b"))


def test_other_names_of_a_file_are_told(place: Path) -> None:
    place.write_bytes(b"a")
    assert propose(write_of(place, b"b")).notice == ""
    (place.parent / "second").hardlink_to(place)
    assert propose(write_of(place, b"b")).notice == "The file has 1 other name (hard links) and changes under each"
    (place.parent / "third").hardlink_to(place)
    noted = msgspec.structs.replace(
        write_of(place, b""), plan=lambda _old: PlannedWrite(new=b"b", result="", notice="The match was inexact.")
    )
    assert propose(noted).notice == (
        "The match was inexact. The file has 2 other names (hard links) and changes under each"
    )


def test_a_write_that_changes_nothing_is_not_asked_about(place: Path) -> None:
    place.write_bytes(b"same")
    with pytest.raises(ToolFailure, match="already has exactly"):
        propose(write_of(place, b"same"))


def test_special_files_are_refused_at_once(place: Path) -> None:
    os.mkfifo(place)
    for path, word in ((place, "pipe"), (place.parent, "folder"), (Path("/dev/null"), "device")):
        with pytest.raises(ToolFailure, match=word):
            propose(write_of(path, b"x"))


def test_a_file_is_no_folder(place: Path) -> None:
    place.write_bytes(b"x")
    with pytest.raises(ToolFailure, match="is a file, not a folder"):
        propose(write_of(place / "below", b"x"))


def test_a_path_that_is_a_link_by_now_is_refused(place: Path) -> None:
    target = place.parent / "target"
    target.write_bytes(b"x")
    place.symlink_to(target)
    with pytest.raises(ToolFailure, match="symbolic link"):
        propose(write_of(place, b"y"))


def test_what_is_too_large_to_review_is_refused(place: Path) -> None:
    with place.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(ToolFailure, match="cannot be reviewed"):
        propose(write_of(place, b"x"))
    with pytest.raises(ToolFailure, match="cannot be reviewed"):
        propose(write_of(place.parent / "new", bytes(MAX_BYTES + 1)))
