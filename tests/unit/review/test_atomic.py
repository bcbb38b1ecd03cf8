"""Writes are whole, go where they were checked to go, and lose nobody's bytes (`R-5`, `R-6`, `R-18`)."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from placet.core.domain.errors import StalePreview, ToolFailure
from placet.core.review import atomic
from placet.core.review.atomic import leftovers, put
from placet.core.review.files import ABSENT, digest_of
from placet.core.review.folder import Folder
from support.disks import small_disk

PortableFolder = partial(Folder, use_descriptors=False)


@pytest.fixture(params=["descriptors", "portable"])
def folder_at(request: pytest.FixtureRequest) -> object:
    """Both ways of reaching a folder keep the same promises."""
    return Folder if request.param == "descriptors" else PortableFolder


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path.resolve() / "file.txt"


def below(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def names(place: Path) -> list[str]:
    return below(place.parent)


def test_a_new_file_has_the_bytes_and_the_usual_mode(place: Path, folder_at: type[Folder]) -> None:
    put(place, ABSENT, b"new", "1", folder_at=folder_at)
    umask = os.umask(0)
    os.umask(umask)
    assert place.read_bytes() == b"new"
    assert stat.S_IMODE(place.stat().st_mode) == 0o666 & ~umask
    assert names(place) == ["file.txt"]


def test_missing_folders_are_made(place: Path, folder_at: type[Folder]) -> None:
    deep = place.parent / "a" / "b" / "c.txt"
    put(deep, ABSENT, b"x", "1", folder_at=folder_at)
    assert deep.read_bytes() == b"x"


def test_folders_made_for_a_write_that_failed_are_taken_away(place: Path, folder_at: type[Folder]) -> None:
    for expected in (digest_of(b"was there"), ABSENT):
        with pytest.raises((StalePreview, ToolFailure)):
            put(
                place.parent / "a" / "b" / ("c" * (1 if expected != ABSENT else 300)),
                expected,
                b"x",
                "1",
                folder_at=folder_at,
            )
    assert names(place) == []


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o664])
def test_mode_and_extended_attributes_are_kept(place: Path, folder_at: type[Folder], mode: int) -> None:
    place.write_bytes(b"old")
    place.chmod(mode)
    os.setxattr(place, "user.mark", b"kept")
    put(place, digest_of(b"old"), b"new", "1", folder_at=folder_at)
    assert place.read_bytes() == b"new"
    assert stat.S_IMODE(place.stat().st_mode) == mode
    assert os.getxattr(place, "user.mark") == b"kept"
    assert names(place) == ["file.txt"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_the_owner_is_kept(place: Path) -> None:
    place.write_bytes(b"old")
    os.chown(place, 1234, 1235)
    put(place, digest_of(b"old"), b"new", "1")
    assert (place.stat().st_uid, place.stat().st_gid) == (1234, 1235)


@pytest.mark.parametrize("now", [b"changed", None])
def test_another_content_than_shown_is_never_replaced(place: Path, folder_at: type[Folder], now: bytes | None) -> None:
    if now is not None:
        place.write_bytes(now)
    with pytest.raises(StalePreview):
        put(place, digest_of(b"old"), b"new", "1", folder_at=folder_at)
    assert (place.read_bytes() if place.exists() else None) == now


def test_a_file_that_appeared_is_not_replaced(place: Path, folder_at: type[Folder]) -> None:
    place.write_bytes(b"somebody's")
    with pytest.raises(StalePreview):
        put(place, ABSENT, b"new", "1", folder_at=folder_at)
    assert place.read_bytes() == b"somebody's"


def test_a_link_that_appeared_is_not_followed(place: Path, folder_at: type[Folder]) -> None:
    """`R-18`, also when what it leads to has the very bytes that were shown."""
    target = place.parent / "target"
    target.write_bytes(b"old")
    place.symlink_to(target)
    with pytest.raises(ToolFailure, match="symbolic link"):
        put(place, digest_of(b"old"), b"new", "1", folder_at=folder_at)
    assert target.read_bytes() == b"old"
    assert place.is_symlink()


def test_opening_a_name_never_follows_a_link(place: Path, folder_at: type[Folder]) -> None:
    """Also where the link appeared after the name was looked at."""
    (place.parent / "target").write_bytes(b"old")
    place.symlink_to("target")
    with folder_at(place.parent) as folder:
        for flags in (os.O_RDONLY, os.O_RDWR, os.O_WRONLY | os.O_CREAT | os.O_EXCL):
            with pytest.raises(OSError, match=r"symbolic link|exists"):
                folder.open(place.name, flags)


def test_a_folder_that_became_a_link_is_not_followed(place: Path) -> None:
    elsewhere = place.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "f").write_bytes(b"old")
    (place.parent / "sub").symlink_to(elsewhere)
    with pytest.raises(ToolFailure, match=r"folder|link"):
        put(place.parent / "sub" / "f", digest_of(b"old"), b"new", "1")
    with pytest.raises(ToolFailure, match=r"folder|link"):
        put(place.parent / "sub" / "g", ABSENT, b"new", "1")
    assert below(elsewhere) == ["f"]
    assert (elsewhere / "f").read_bytes() == b"old"


@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_what_is_no_file_is_refused(place: Path, kind: str) -> None:
    place.mkdir() if kind == "folder" else os.mkfifo(place)
    with pytest.raises(ToolFailure, match=kind):
        put(place, ABSENT, b"new", "1")


@pytest.mark.parametrize("new", [b"short", b"much longer than before", b""])
def test_a_hard_linked_file_keeps_its_names(place: Path, folder_at: type[Folder], new: bytes) -> None:
    place.write_bytes(b"old content")
    other = place.parent / "other"
    other.hardlink_to(place)
    put(place, digest_of(b"old content"), new, "1", folder_at=folder_at)
    assert (place.read_bytes(), other.read_bytes()) == (new, new)
    assert place.samefile(other)


def test_deleting_takes_only_what_was_shown(place: Path, folder_at: type[Folder]) -> None:
    place.write_bytes(b"old")
    with pytest.raises(StalePreview):
        put(place, digest_of(b"other"), None, "1", folder_at=folder_at)
    assert place.read_bytes() == b"old"
    put(place, digest_of(b"old"), None, "1", folder_at=folder_at)
    assert names(place) == []


class InterferingFolder(Folder):
    """Another program saves the file between the last check and the swap."""

    theirs = b"theirs"
    by_rename = False

    def _interfere(self, name: str) -> None:
        if self.by_rename:
            (self.path / "saved").write_bytes(self.theirs)
            (self.path / "saved").replace(self.path / name)
        else:
            (self.path / name).write_bytes(self.theirs)

    def exchange(self, one: str, other: str) -> bool:
        self._interfere(other)
        return super().exchange(one, other)

    def place_new(self, old: str, new: str) -> None:
        self._interfere(new)
        super().place_new(old, new)


class LinkingFolder(Folder):
    """A link takes the file's place between the last check and the swap."""

    def exchange(self, one: str, other: str) -> bool:
        if not (self.path / "moved").exists():
            (self.path / other).rename(self.path / "moved")
            (self.path / other).symlink_to("moved")
        return super().exchange(one, other)


class RenamingFolder(InterferingFolder):
    by_rename = True


class WithoutExchange(Folder):
    """A file system that cannot swap names."""

    def exchange(self, one: str, other: str) -> bool:
        return False

    def keep(self, name: str, under: str) -> bool:
        (self.path / name).write_bytes(b"theirs")
        return super().keep(name, under)


@pytest.mark.parametrize("folder", [InterferingFolder, RenamingFolder, WithoutExchange])
def test_a_change_in_the_moment_of_the_swap_is_found_and_handed_back(place: Path, folder: type[Folder]) -> None:
    """`R-6`: it cannot be prevented, but it is not lost."""
    place.write_bytes(b"old")
    assert put(place, digest_of(b"old"), b"new", "1", folder_at=folder) == b"theirs"
    assert place.read_bytes() == b"new"
    assert names(place) == ["file.txt"]


def test_a_link_put_there_in_the_moment_of_the_swap_goes_back(place: Path) -> None:
    """`R-18`: neither is it followed, nor is it lost."""
    place.write_bytes(b"old")
    with pytest.raises(ToolFailure, match="symbolic link"):
        put(place, digest_of(b"old"), b"new", "1", folder_at=LinkingFolder)
    assert place.is_symlink()
    assert place.read_bytes() == b"old"
    assert names(place) == ["file.txt", "moved"]


class WithoutLinks(Folder):
    """A file system without hard links and exchange, such as FAT."""

    def exchange(self, one: str, other: str) -> bool:
        return False

    def keep(self, name: str, under: str) -> bool:
        return False


def test_a_file_system_without_links_is_enough(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_link(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_link)
    assert put(place, ABSENT, b"first", "1", folder_at=WithoutLinks) is None
    assert put(place, digest_of(b"first"), b"second", "1", folder_at=WithoutLinks) is None
    assert place.read_bytes() == b"second"
    with pytest.raises(StalePreview):
        put(place, ABSENT, b"third", "1", folder_at=InterferingFolder)
    assert names(place) == ["file.txt"]


def test_a_file_that_appears_in_the_moment_of_creation_stays(place: Path) -> None:
    with pytest.raises(StalePreview):
        put(place, ABSENT, b"new", "1", folder_at=InterferingFolder)
    assert place.read_bytes() == b"theirs"
    assert names(place) == ["file.txt"]


def test_swapping_works_where_the_system_cannot_exchange(place: Path) -> None:
    class Plain(Folder):
        def exchange(self, one: str, other: str) -> bool:
            return False

    place.write_bytes(b"old")
    assert put(place, digest_of(b"old"), b"new", "1", folder_at=Plain) is None
    assert place.read_bytes() == b"new"
    assert names(place) == ["file.txt"]


def test_what_a_crash_left_is_found_by_its_mark_and_removed(place: Path) -> None:
    place.write_bytes(b"x")
    theirs = [".placet-77-0123abcd", ".placet-7-abcd", ".placet-7-0123abcd.txt", ".placet-7-0123ABCD", ".placet-7-"]
    for name in theirs:
        (place.parent / name).write_bytes(b"of another")
    (place.parent / ".placet-7-0123abcd").write_bytes(b"left")
    (place.parent / ".placet-7-0123abce-old").write_bytes(b"kept")
    (place.parent / ".placet-7-0123abcf").symlink_to(place)
    (place.parent / ".placet-7-0123abc0").mkdir()
    assert sorted(leftovers(place, "7")) == [b"kept", b"left"]
    assert names(place) == sorted([*theirs, ".placet-7-0123abcf", ".placet-7-0123abc0", "file.txt"])
    assert place.read_bytes() == b"x"


class SwappingFolder(Folder):
    """Something else takes the file's place between the last check and the deletion."""

    what = "link"

    def rename(self, old: str, new: str) -> None:
        here = self.path / old
        if old == "file.txt":
            here.unlink()
            if self.what == "link":
                here.symlink_to("target")
            else:
                here.mkdir()
                (here / "inside").write_bytes(b"theirs")
        super().rename(old, new)


@pytest.mark.parametrize("what", ["link", "folder"])
@pytest.mark.parametrize("portable", [False, True])
def test_what_took_the_place_of_a_file_to_be_deleted_is_put_back(place: Path, what: str, portable: bool) -> None:
    """`R-9`: a creation is undone by deleting only the very file that was created."""
    (place.parent / "target").write_bytes(b"new")
    place.write_bytes(b"new")
    kind = type("Swapping", (SwappingFolder,), {"what": what})
    folder_at = partial(kind, use_descriptors=False) if portable else kind
    with pytest.raises(ToolFailure, match="put back"):
        put(place, digest_of(b"new"), None, "1", folder_at=folder_at)  # type: ignore[arg-type]
    assert names(place) == ["file.txt", "target"]
    assert place.is_symlink() is (what == "link")
    assert what == "link" or (place / "inside").read_bytes() == b"theirs"
    assert (place.parent / "target").stat().st_nlink == 1


@pytest.mark.parametrize("linked", [False, True], ids=["replaced", "in place"])
@pytest.mark.parametrize("bits", [0o4000, 0o2000, 0o6000])
def test_a_file_with_another_content_no_longer_runs_with_others_rights(place: Path, bits: int, linked: bool) -> None:
    place.write_bytes(b"old")
    if linked:
        (place.parent / "other").hardlink_to(place)
    place.chmod(0o755 | bits)
    put(place, digest_of(b"old"), b"new", "1")
    assert stat.S_IMODE(place.stat().st_mode) == 0o755


def test_a_full_disk_changes_nothing(tmp_path: Path) -> None:
    """A real one: a small file system in memory, where this process may mount it."""
    with small_disk(tmp_path / "disk") as disk:
        place = disk / "f"
        place.write_bytes(b"old")
        other = disk / "g"
        other.write_bytes(b"linked")
        (disk / "h").hardlink_to(other)
        for path, old in ((place, b"old"), (other, b"linked")):
            with pytest.raises(ToolFailure, match="disk is full"):
                put(path, digest_of(old), b"x" * 2_000_000, "1")
            assert path.read_bytes() == old
        with pytest.raises(ToolFailure, match="disk is full"):
            put(disk / "fresh" / "deep" / "new", ABSENT, b"x" * 2_000_000, "1")
        assert below(disk) == ["f", "g", "h"]


SCRIPT = """
import os, sys
from pathlib import Path
from placet.core.domain.errors import ToolFailure
from placet.core.review.atomic import put
from placet.core.review.files import ABSENT, digest_of
from placet.core.review.preview import propose
from support.review_fakes import write_of

# What root may read, this project among it, is closed to the one who writes: everything is imported before.
propose(write_of(Path(sys.argv[1]), b"new"))
os.setgroups([])
os.setresgid(65534, 65534, 65534)
os.setresuid(65534, 65534, 65534)
for name in sys.argv[1:]:
    path = Path(name)
    old = path.read_bytes() if path.exists() else None
    for attempt in (lambda: put(path, digest_of(old), b"new", "1"), lambda: propose(write_of(path, b"new"))):
        try:
            attempt()
            print("written")
        except ToolFailure as failure:
            print(failure.message)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to become somebody whom modes concern")
def test_what_is_not_writable_is_refused_and_untouched(tmp_path: Path) -> None:
    for folder in (tmp_path, *tmp_path.parents[:3]):
        folder.chmod(folder.stat().st_mode | 0o055)
    root = tmp_path.resolve()
    (root / "open").mkdir()
    (root / "closed").mkdir()
    read_only, inside = root / "open" / "read-only", root / "closed" / "inside"
    for path in (read_only, inside):
        path.write_bytes(b"old")
    read_only.chmod(0o444)
    inside.chmod(0o666)
    (root / "open").chmod(0o777)
    (root / "closed").chmod(0o555)
    targets = [read_only, inside, root / "closed" / "new", root / "closed" / "deep" / "new"]

    done = subprocess.run(
        [
            sys.executable,
            "-c",
            SCRIPT,
            *map(str, targets),
        ],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONDONTWRITEBYTECODE": "1"},
    )

    assert done.stderr == ""
    said = done.stdout.splitlines()
    assert len(said) == 2 * len(targets)
    assert all(line.startswith("Cannot write") and "Nothing was changed." in line for line in said), said
    assert "read-only" in said[0]
    assert [path.read_bytes() for path in (read_only, inside)] == [b"old", b"old"]
    assert (below(root / "open"), below(root / "closed")) == (["read-only"], ["inside"])


def test_the_temporary_name_never_outlives_a_failure(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    place.write_bytes(b"old")
    monkeypatch.setattr(atomic, "_overwrite", fail)
    with pytest.raises(ToolFailure, match="disk is full"):
        put(place, digest_of(b"old"), b"new", "1")
    assert names(place) == ["file.txt"]
    assert place.read_bytes() == b"old"
