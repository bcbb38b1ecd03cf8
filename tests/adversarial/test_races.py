"""Another program that works on the same file (`R-5`, `R-6`, `R-18`). The long form is `tests/perf/race_writes.py`."""

from __future__ import annotations

import contextlib
import os
import stat
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from placet.core.domain.errors import StalePreview, StoreError, ToolFailure
from placet.core.domain.messages import Mode
from placet.core.review.atomic import put
from placet.core.review.files import digest_of
from placet.core.review.folder import Folder
from support.arena import Arena, fingerprint
from support.race_campaign import campaign
from support.race_writer import KINDS


async def test_r_5_no_moment_of_a_write_lets_another_program_be_lost_or_misused(tmp_path: Path) -> None:
    races = await campaign(tmp_path.resolve(), seed=5, count=20 * len(KINDS))
    assert [race for race in races if race.fault] == []
    assert set(Counter(race.kind for race in races).values()) == {20}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    path = tmp_path.resolve() / "file.txt"
    path.write_bytes(b"old")
    return path


class Meddling(Folder):
    """A folder in which another program acts just before, or just after, the swap."""

    before: Callable[[Path], object] = staticmethod(lambda path: None)
    after: Callable[[Path], object] = staticmethod(lambda path: None)

    def exchange(self, one: str, other: str) -> bool:
        type(self).before(self.path / other)
        done = super().exchange(one, other)
        type(self).after(self.path / other)
        return done


def meddling(
    before: Callable[[Path], object] = lambda _: None, after: Callable[[Path], object] = lambda _: None
) -> type[Folder]:
    return type("Meddling", (Meddling,), {"before": staticmethod(before), "after": staticmethod(after)})


linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs a swap in one step, and leases")


@linux
@pytest.mark.parametrize("mode", [0o600, 0o400, 0o755])
def test_a_file_that_was_closed_to_others_in_the_moment_of_the_write_stays_closed(place: Path, mode: int) -> None:
    place.chmod(0o644)
    put(place, digest_of(b"old"), b"new", "1", folder_at=meddling(lambda path: path.chmod(mode)))
    assert place.read_bytes() == b"new"
    assert stat.S_IMODE(place.stat().st_mode) == mode


@linux
def test_an_editor_that_is_in_the_middle_of_saving_is_waited_for(place: Path) -> None:
    """It opened the file before the swap, and writes to it afterwards: both parts are found."""
    file = place.open("r+b", buffering=0)
    writer = threading.Timer(0.03, lambda: (file.write(b"theirs, all of it"), file.close()))
    found = put(place, digest_of(b"old"), b"new", "1", folder_at=meddling(after=lambda _: writer.start()))
    writer.join()
    assert place.read_bytes() == b"new"
    assert found == b"theirs, all of it"


@linux
def test_a_service_that_keeps_the_file_open_does_not_hold_the_write_up_for_ever(place: Path) -> None:
    with place.open("ab"):
        assert put(place, digest_of(b"old"), b"new", "1") is None
    assert place.read_bytes() == b"new"


def by_a_link(path: Path, evil: Path) -> None:
    path.unlink()
    path.symlink_to(evil)


@pytest.mark.parametrize(
    "meddle",
    [lambda path, evil: evil.replace(path), lambda path, _: path.write_bytes(b"evil"), by_a_link, lambda path, _: path.unlink()],
    ids=["replaced", "written to", "a link", "removed"],
)  # fmt: skip
@pytest.mark.parametrize("old", [b"old", None], ids=["changed file", "new file"])
def test_r_5_what_another_program_puts_under_the_name_of_the_new_content_is_not_put_in_place(
    tmp_path: Path, meddle: Callable[[Path, Path], object], old: bytes | None
) -> None:
    place, evil = tmp_path.resolve() / "file.txt", tmp_path.resolve() / "evil"
    evil.write_bytes(b"evil")
    if old is not None:
        place.write_bytes(old)

    class Meddler(Folder):
        def open(self, name: str, flags: int, mode: int = 0o600) -> int:
            fd = super().open(name, flags, mode)
            if flags & os.O_CREAT:
                type(self).made = self.path / name
            return fd

        def status(self, name: str) -> os.stat_result | None:
            made, type(self).made = getattr(type(self), "made", None), None
            if made is not None:
                meddle(made, evil)
            return super().status(name)

    with pytest.raises(ToolFailure, match="Nothing was changed"):
        put(place, digest_of(old), b"new", "1", folder_at=Meddler)
    assert (place.read_bytes() if place.exists() else None) == old
    assert not [path for path in place.parent.iterdir() if path.name.startswith(".placet-")]


async def test_r_8_what_cannot_be_journalled_is_not_written(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    async def full(**_: object) -> None:
        raise StoreError("The disk is full.")

    monkeypatch.setattr(arena.journal, "intend", full)
    before = arena.fingerprint()
    with pytest.raises(StoreError):
        await arena.attempt("edit_file", path="a.txt", old_string="two", new_string="TWO", approve=True)
    assert arena.fingerprint() == before


def test_a_file_deleted_in_the_moment_of_the_write_is_not_made_again(place: Path) -> None:
    class Deleting(Folder):
        looked = False

        def status(self, name: str) -> os.stat_result | None:
            if name == "file.txt":
                if type(self).looked:
                    with contextlib.suppress(FileNotFoundError):
                        (self.path / name).unlink()
                type(self).looked = True
            return super().status(name)

    with pytest.raises(StalePreview):
        put(place, digest_of(b"old"), b"new", "1", folder_at=Deleting)
    assert list(place.parent.iterdir()) == []


def test_a_folder_that_went_is_not_made_again_for_a_file_that_was_in_it(place: Path) -> None:
    gone = place.parent / "gone" / "file.txt"
    made: list[str] = []

    class Watching(Folder):
        def __init__(self, path: Path, *, make_missing: bool = False, made_: object = None, **rest: object) -> None:
            made.append(str(make_missing))
            super().__init__(path, make_missing=make_missing, **rest)  # type: ignore[arg-type]

    with pytest.raises(ToolFailure):
        put(gone, digest_of(b"old"), b"new", "1", folder_at=Watching)
    assert made == ["False"]
    assert not gone.parent.exists()


@pytest.mark.parametrize("shown", [0, 1])
def test_a_name_that_was_not_shown_is_not_written_to(place: Path, shown: int) -> None:
    for number in range(shown + 1):
        (place.parent / f"other{number}").hardlink_to(place)
    with pytest.raises(StalePreview):
        put(place, digest_of(b"old"), b"new", "1", other_names=shown)
    assert place.read_bytes() == b"old"
    put(place, digest_of(b"old"), b"new", "1", other_names=shown + 1)
    assert {path.read_bytes() for path in place.parent.iterdir()} == {b"new"}


async def test_a_hard_link_made_after_the_question_is_asked_about(arena: Arena) -> None:
    """A denied file under an innocent name, with the very bytes that were shown."""
    (arena.work / "a.txt").write_bytes((arena.work / ".env").read_bytes())

    def between() -> None:
        (arena.work / "a.txt").unlink()
        (arena.work / "a.txt").hardlink_to(arena.work / ".env")

    secret = (arena.work / ".env").read_bytes()
    attempt = await arena.attempt(
        "edit_file", path="a.txt", old_string="TOKEN", new_string="EVIL", approve=True, before_write=between
    )
    assert attempt.ending == "stale"
    assert (arena.work / ".env").read_bytes() == secret


AS_ANOTHER = """
import os, sys
from pathlib import Path
from placet.core.domain.errors import PlacetError
from placet.core.review.atomic import put
from placet.core.review.files import digest_of
from placet.core.review.preview import propose
from support.review_fakes import write_of
folder = Path(sys.argv[1])
propose(write_of(folder / "warm", b"x"))
os.setgroups([]); os.setresgid(65534, 65534, 65534); os.setresuid(65534, 65534, 65534)
for name in sys.argv[2:]:
    path = folder / name
    try:
        proposal = propose(write_of(path, b"new"))
        put(path, proposal.old_digest, b"new", "1", other_names=proposal.other_names)
        print("written")
    except PlacetError as error:
        print(error.message)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to become somebody else")
def test_r_6_a_file_of_somebody_else_keeps_its_owner(tmp_path: Path) -> None:
    """Whoever may write to it: another file in its place would be another's."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made).resolve()
        folder.chmod(0o777)
        for name, uid, gid, mode in (
            ("theirs", 1234, 1235, 0o666), ("group", 65534, 1235, 0o664), ("mine", 65534, 65534, 0o640), ("closed", 1234, 1235, 0o644), ("runs as them", 1234, 1235, 0o4777),
        ):  # fmt: skip
            (folder / name).write_bytes(b"old")
            os.chown(folder / name, uid, gid)
            (folder / name).chmod(mode)
        before = {path.name: path.stat() for path in folder.iterdir()}
        done = subprocess.run(
            [sys.executable, "-B", "-c", AS_ANOTHER, str(folder), "theirs", "group", "mine", "closed", "runs as them"],
            capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )  # fmt: skip
        assert done.stderr == ""
        assert done.stdout.splitlines()[:3] == ["written"] * 3
        assert "read-only" in done.stdout.splitlines()[3]
        after = {path.name: path.stat() for path in folder.iterdir()}
        contents = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert contents == {"theirs": b"new", "group": b"new", "mine": b"new", "closed": b"old", "runs as them": b"new"}
    assert stat.S_IMODE(after.pop("runs as them").st_mode) == 0o777
    for name, status in before.items():
        if name not in after:
            continue
        assert (status.st_uid, status.st_gid, status.st_mode) == (after[name].st_uid, after[name].st_gid, after[name].st_mode)  # fmt: skip


def test_a_limit_on_the_size_of_files_changes_nothing(tmp_path: Path) -> None:
    """As a full disk does, where no file system can be mounted."""
    script = (
        "import resource, signal, sys; from pathlib import Path\n"
        "from placet.core.review.atomic import put; from placet.core.review.files import digest_of\n"
        "from placet.core.domain.errors import ToolFailure\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "for name in sys.argv[1:]:\n"
        "    path = Path(name)\n"
        "    try: put(path, digest_of(path.read_bytes()), b'x' * 200_000, '1')\n"
        "    except ToolFailure as failure: print(failure.message)\n"
    )
    plain, linked = tmp_path.resolve() / "plain", tmp_path.resolve() / "linked"
    for path in (plain, linked):
        path.write_bytes(b"old")
    (tmp_path / "second").hardlink_to(linked)
    before = fingerprint(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", script, str(plain), str(linked)],
        capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout.count("too large for the file system. Nothing was changed.") == 2
    assert fingerprint(tmp_path) == before


async def test_b10_two_writes_of_one_file_and_a_person_in_between(arena: Arena) -> None:
    """The second of two edits does not bring back what the person took out."""
    arena.mode(Mode.ASK)
    path = arena.work / "a.txt"
    first = await arena.attempt("edit_file", path="a.txt", old_string="two", new_string="TWO", approve=True)
    assert first.ending == "done"

    def person() -> None:
        path.write_bytes(b"one\nthree\n")

    second = await arena.attempt(
        "edit_file", path="a.txt", old_string="three", new_string="THREE", approve=True, before_write=person
    )
    assert second.ending == "stale"
    assert path.read_bytes() == b"one\nthree\n"
