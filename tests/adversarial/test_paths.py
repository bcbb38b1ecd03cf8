"""Reaching a file by another name, another kind of file, or a name that changes its meaning (`R-1`, `R-2`, `R-18`)."""

from __future__ import annotations

import os
import socket
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from placet.core.domain.messages import Mode
from placet.core.domain.review import Action, Rule
from placet.core.review.diffing import diff_contents, unified_text
from placet.core.review.paths import Ground
from support.arena import SECRET, Arena


def link(arena: Arena, name: str, target: str | Path) -> str:
    (arena.work / name).symlink_to(target)
    return name


def chained(arena: Arena) -> str:
    link(arena, "first", "second")
    link(arena, "second", "../project/third")
    return link(arena, "third", arena.me / ".ssh" / "id_rsa") and "first"


def through_a_file_descriptor(arena: Arena) -> str:
    arena.descriptor = os.open(arena.me / ".ssh", os.O_RDONLY)  # type: ignore[attr-defined]
    return f"/proc/self/fd/{arena.descriptor}/id_rsa"  # type: ignore[attr-defined]


# Each is one more way of naming ~/.ssh/id_rsa, .env of the project, or Placet's own keys.
SPELLINGS: dict[str, Callable[[Arena], str]] = {
    "absolute": lambda a: str(a.me / ".ssh" / "id_rsa"),
    "parent folders": lambda _: "../.ssh/id_rsa",
    "through a folder that is not there": lambda _: "none/../.env",
    "two slashes at the start": lambda a: "/" + str(a.me / ".ssh" / "id_rsa"),
    "empty parts": lambda _: "..//.ssh////id_rsa",
    "dots between": lambda _: "./.././.ssh/./id_rsa",
    "up to the root and down": lambda a: "../" * 40 + str(a.me / ".ssh" / "id_rsa").lstrip("/"),
    "a link to the file": lambda a: link(a, "notes.txt", a.me / ".ssh" / "id_rsa"),
    "a link to its folder": lambda a: link(a, "docs", a.me / ".ssh") + "/id_rsa",
    "a link to the home": lambda a: link(a, "docs", a.me) + "/.ssh/id_rsa",
    "a link to the root": lambda a: link(a, "docs", "/") + str(a.me / ".ssh" / "id_rsa"),
    "a relative link": lambda a: link(a, "notes.txt", "../.ssh/id_rsa"),
    "a chain of links": chained,
    "a link, then its real parent": lambda a: link(a, "docs", a.me / ".ssh" / ".." / ".ssh") + "/../.ssh/id_rsa",
    "the root of the process": lambda a: "/proc/self/root" + str(a.me / ".ssh" / "id_rsa"),
    "the root of the thread": lambda a: "/proc/thread-self/root" + str(a.me / ".ssh" / "id_rsa"),
    "the root of another process": lambda a: f"/proc/{os.getppid()}/root" + str(a.me / ".ssh" / "id_rsa"),
    "an open folder of the process": through_a_file_descriptor,
    "a file below a denied name": lambda _: ".env/x",
    "a dot after it": lambda _: ".env/.",
    "its own name once more": lambda _: ".env/../.env",
    "Placet's keys": lambda _: "../placet/keys.json",
    "Placet's configuration": lambda a: str(a.placet / "config.toml"),
    "Placet's secrets from its memory": lambda a: str(a.placet / "memory" / ".." / "secrets" / "k"),
    "a secret not yet there": lambda a: str(a.placet / "secrets" / "new" / "deep"),
    "a link that leads nowhere yet": lambda a: link(a, "fresh.txt", a.placet / "secrets" / "fresh"),
}  # fmt: skip


@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS)
@pytest.mark.parametrize("tool", ["read_file", "write_file"])
async def test_r_2_a_denied_file_is_denied_by_every_name(
    arena: Arena, tool: str, spelling: Callable[[Arena], str]
) -> None:
    """Also in the mode that lets everything else pass."""
    arena.mode(Mode.AUTO)
    path = spelling(arena)
    before = arena.fingerprint()
    arguments = {"content": "mine"} if tool == "write_file" else {}
    attempt = await arena.attempt(tool, path=path, **arguments)
    if descriptor := getattr(arena, "descriptor", None):
        os.close(descriptor)
    assert attempt.ending == "denied"
    assert SECRET.decode().strip() not in attempt.told
    assert arena.fingerprint() == before


@pytest.mark.parametrize(
    "path",
    ["~/.ssh/id_rsa", "~//.ssh/id_rsa", "~/project/../.ssh/id_rsa", "~/.ssh/../.ssh/id_rsa"],
)
async def test_r_2_the_home_is_meant_however_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    arena = Arena(tmp_path)
    monkeypatch.setenv("HOME", str(arena.me))
    arena.mode(Mode.AUTO)
    assert (await arena.attempt("read_file", path=path)).ending == "denied"
    await arena.aclose()


@pytest.mark.parametrize("path", ["$HOME/.ssh/id_rsa", "${HOME}/.env", "%HOME%\\.env", "file:///{me}/.ssh/id_rsa", ".env ", " .env", ".e\\nv", "'.env'", ".env\n", "*.env", ".en?"])  # fmt: skip
@pytest.mark.parametrize("tool", ["read_file", "edit_file"])
async def test_what_only_looks_like_the_name_reaches_nothing(arena: Arena, tool: str, path: str) -> None:
    """No shell, address or pattern is read into a path: each is a name, of a file that is not there."""
    arena.mode(Mode.AUTO)
    before = arena.fingerprint()
    arguments = {"old_string": "TOKEN", "new_string": "x"} if tool == "edit_file" else {}
    attempt = await arena.attempt(tool, path=path.replace("{me}", str(arena.me)), **arguments)
    assert attempt.ending in ("failed", "denied")
    assert "the-secret" not in attempt.told
    assert arena.fingerprint() == before


# ---- what takes the place of the file between the yes and the write ----------------------------------------------


def by_link(arena: Arena, path: Path) -> None:
    path.unlink()
    path.symlink_to(arena.outside / "theirs.txt")


def by_dangling_link(arena: Arena, path: Path) -> None:
    path.unlink()
    path.symlink_to(arena.outside / "fresh.txt")


def by_hard_link(arena: Arena, path: Path) -> None:
    path.unlink()
    path.hardlink_to(arena.outside / "theirs.txt")


def by_folder_link(arena: Arena, path: Path) -> None:
    (arena.outside / path.name).write_bytes(path.read_bytes())
    path.parent.rename(arena.work / "moved")
    path.parent.symlink_to(arena.outside)


def by_link_above(arena: Arena, path: Path) -> None:
    copy = arena.outside / path.parent.name
    copy.mkdir()
    (copy / path.name).write_bytes(path.read_bytes())
    arena.work.rename(arena.root / "moved")
    arena.work.symlink_to(arena.outside)


def by_pipe(_arena: Arena, path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def by_socket(_arena: Arena, path: Path) -> None:
    path.unlink()
    here = Path.cwd()
    os.chdir(path.parent)  # the name of a socket may not be long
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path.name)
    os.chdir(here)


def by_folder(_arena: Arena, path: Path) -> None:
    path.unlink()
    path.mkdir()


def by_nothing(_arena: Arena, path: Path) -> None:
    path.unlink()


def by_no_folder(_arena: Arena, path: Path) -> None:
    path.unlink()
    path.parent.rmdir()


def by_a_file_above(_arena: Arena, path: Path) -> None:
    path.unlink()
    path.parent.rmdir()
    path.parent.write_bytes(b"a file")


def by_other_bytes(_arena: Arena, path: Path) -> None:
    path.write_bytes(b"one\ntwo\nthree\nand mine\n")


def by_other_bytes_of_the_same_size(_arena: Arena, path: Path) -> None:
    status = path.stat()
    path.write_bytes(b"one\ntwo\nTHREE\n")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def by_another_name(arena: Arena, path: Path) -> None:
    (arena.outside / "second").hardlink_to(path)


TAKES_THE_PLACE = [
    by_link, by_dangling_link, by_hard_link, by_folder_link, by_link_above, by_pipe, by_socket, by_folder, by_nothing,
    by_no_folder, by_a_file_above, by_other_bytes, by_other_bytes_of_the_same_size, by_another_name,
]  # fmt: skip


@pytest.mark.parametrize("swap", TAKES_THE_PLACE, ids=lambda swap: swap.__name__)
async def test_r_18_what_took_the_place_of_the_file_is_not_written_to(
    arena: Arena, swap: Callable[[Arena, Path], None]
) -> None:
    path = arena.work / "sub" / "file.txt"
    path.parent.mkdir()
    path.write_bytes(b"one\ntwo\nthree\n")
    seen = {}

    def between() -> None:
        swap(arena, path)
        seen.update(arena.fingerprint())

    attempt = await arena.attempt(
        "edit_file", path="sub/file.txt", old_string="two", new_string="TWO", approve=True, before_write=between
    )
    assert attempt.ending in ("stale", "failed")
    assert arena.fingerprint() == seen


@pytest.mark.parametrize("swap", [by_dangling_link, by_link, by_pipe, by_folder, by_other_bytes, by_hard_link], ids=lambda swap: swap.__name__)  # fmt: skip
async def test_r_18_what_appears_where_a_file_was_to_be_made_stays(
    arena: Arena, swap: Callable[[Arena, Path], None]
) -> None:
    path = arena.work / "new.txt"
    seen = {}

    def between() -> None:
        path.touch()
        swap(arena, path)
        seen.update(arena.fingerprint())

    attempt = await arena.attempt("write_file", path="new.txt", content="mine", approve=True, before_write=between)
    assert attempt.ending in ("stale", "failed")
    assert arena.fingerprint() == seen


async def test_r_18_a_missing_folder_that_becomes_a_link_is_not_written_through(arena: Arena) -> None:
    seen = {}

    def between() -> None:
        (arena.work / "deep").symlink_to(arena.outside)
        seen.update(arena.fingerprint())

    attempt = await arena.attempt(
        "write_file", path="deep/er/new.txt", content="mine", approve=True, before_write=between
    )
    assert attempt.ending == "failed"
    assert arena.fingerprint() == seen


@pytest.mark.parametrize("tool", ["read_file", "list_files", "grep_files"])
async def test_r_18_a_read_is_not_led_elsewhere_after_its_check(arena: Arena, tool: str) -> None:
    (arena.work / "sub").mkdir()
    (arena.work / "sub" / "notes").write_bytes(b"TOKEN of nothing\n")
    name = "sub/notes" if tool == "read_file" else "sub"

    def between() -> None:
        (arena.work / "sub").rename(arena.work / "moved")
        (arena.work / "sub").symlink_to(arena.me / ".ssh")
        (arena.me / ".ssh" / "notes").write_bytes(SECRET)

    arguments = {"pattern": "TOKEN"} if tool == "grep_files" else {}
    attempt = await arena.attempt(tool, path=name, before_write=between, **arguments)
    assert attempt.ending == "failed"
    assert "secret" not in attempt.told
    assert "id_rsa" not in attempt.told


# ---- what is no file, and names that are no names ----------------------------------------------------------------


def make_special(arena: Arena, kind: str) -> str:
    path = arena.work / "special"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        path.touch()
        by_socket(arena, path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "loop":
        path.symlink_to(path)
    elif kind == "link to a device":
        path.symlink_to("/dev/zero")
    else:
        return kind
    return "special"


@pytest.mark.parametrize("kind", ["pipe", "socket", "folder", "loop", "link to a device", "/dev/null", "/dev/full", "/dev/tty", "/proc/self/mem", "/proc/self/environ", "/sys/power/state"])  # fmt: skip
@pytest.mark.parametrize("tool", ["write_file", "edit_file", "insert_at_line"])
async def test_what_is_no_file_is_never_opened_for_writing(arena: Arena, tool: str, kind: str) -> None:
    arena.mode(Mode.AUTO)
    path = make_special(arena, kind)
    before = arena.fingerprint()
    arguments = {
        "write_file": {"content": "x"},
        "edit_file": {"old_string": "a", "new_string": "b"},
        "insert_at_line": {"line": 1, "content": "x"},
    }[tool]
    attempt = await arena.attempt(tool, path=path, **arguments)
    assert attempt.ending in ("failed", "denied")
    assert arena.fingerprint() == before
    assert arena.journal.changes == {} or all(c.state.value == "abandoned" for c in arena.journal.changes.values())


HOSTILE_NAMES = {
    "a newline": "a\n+nothing of the kind",
    "a tab": "a\tb",
    "a carriage return": "safe.txt\revil.sh",
    "an escape code": "a\x1b[2K\x1b[1Gsafe.txt",
    "reversed text": "report\u202egpj.exe",
    "an isolate": "a\u2066b\u2069.txt",
    "nothing to be seen": "con\u200bfig.txt",
    "a tag": "a\U000e0041.txt",
    "an empty letter": "\u3164",
    "a C1 control": "a\x9b31m.txt",
    "a line separator": "a\u2028b",
    "a selector on a letter": "a\ufe0f.txt",
}


@pytest.mark.parametrize("name", HOSTILE_NAMES.values(), ids=HOSTILE_NAMES)
async def test_c02_a_name_that_hides_something_is_pointed_out_and_shown_as_it_is(arena: Arena, name: str) -> None:
    attempt = await arena.attempt("write_file", path=name, content="x\n")
    assert attempt.ending == "asked"
    assert not (arena.work / name).exists()
    diff = diff_contents(str(arena.work / name), None, b"x\n")
    shown = unified_text(diff, colour=False)
    assert name not in shown
    assert any("The path contains" in notice.text for notice in diff.notices)
    plain = unified_text(diff_contents("plain", None, b"x\n"), colour=False)
    assert len(shown.splitlines()) == len(plain.splitlines()) + len(diff.notices)


@pytest.mark.parametrize("path", ["x" * 256, "d/" * 3000 + "f", "é" * 200, "x\0y", "", "   ", ".", "..", "sub/", "a/..", "/"])  # fmt: skip
async def test_a_name_that_no_file_can_have_changes_nothing(arena: Arena, path: str) -> None:
    arena.mode(Mode.AUTO)
    before = arena.fingerprint()
    attempt = await arena.attempt("write_file", path=path, content="x")
    assert attempt.ending == "failed"
    assert arena.fingerprint() == before


# ---- comparing names where the file system is not this one -------------------------------------------------------


MAC = Ground(Path("/Users/me/Library/placet"), Path("/Users/me"), ignores_case=True)
LINUX = Ground(Path("/home/me/placet"), Path("/home/me"), ignores_case=False)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("~/.ssh/*", "/Users/me/.SSH/id_rsa"), (".env", "/Users/me/p/.ENV"), ("*.pem", "/Users/me/p/KEY.PEM"),
        ("straße", "/Users/me/STRASSE"), ("ﬁle", "/Users/me/FILE"), ("café", "/Users/me/CAFE\u0301"),
        ("~/Fotos/*", "/USERS/ME/fotos/x"), ("ς", "/Users/me/Σ"), ("K.pem", "/Users/me/\u212a.pem"),
        ("*.PEM", "/Users/me/k.pem"),
    ],
)  # fmt: skip
def test_r_1_where_case_does_not_count_no_case_escapes_a_denial(pattern: str, path: str) -> None:
    assert MAC.matches(pattern, path, denial=True)


@pytest.mark.parametrize("form", ["NFD", "NFC", "NFKD"])
def test_r_1_no_unicode_form_escapes_a_denial(form: str) -> None:
    name = unicodedata.normalize(form, "/home/me/Schlüssel/é")  # type: ignore[arg-type]
    assert LINUX.matches("~/Schlüssel/*", name, denial=True)
    assert LINUX.matches(unicodedata.normalize("NFD", "~/Schlüssel/é"), name, denial=True)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("data/*", "/home/me/placet/data-of-others/x"), ("data/*", "/home/me/placet/DATA/x"), ("data/*", "/home/me/data/x"),
        ("data/*", "/home/me/placet/data/../x"), ("/srv/app/*", "/srv/app2/x"), ("/srv/app/*", "/srv/ap"),
        ("/srv/caf\u00e9/*", "/srv/cafe\u0301/x"), ("*.md", "/srv/x.md/secret"), ("/srv/*.md", "/srv/sub/x.md"),
        ("/srv/[ab]/x", "/srv/a/x"), ("/srv/a?", "/srv/a/"), ("notes", "/srv/notes/x"), ("~", "/home/me/x"),
        ("/srv/x", "/srv/x/y"), ("[!a].md", "/srv/a.md"),
    ],
)  # fmt: skip
def test_r_1_a_permission_reaches_no_further_than_it_says(pattern: str, path: str) -> None:
    assert not LINUX.matches(pattern, path)


@pytest.mark.parametrize("name", ["a*b", "a[1]", "a?b", "[!x]", "{a,b}", "a\nb"])
async def test_a_pattern_in_the_name_of_a_file_is_only_its_name(tmp_path: Path, name: str) -> None:
    """A file that is named like a pattern is let pass by it alone, and lets no other pass."""
    rule = Rule(tool="write_file", path=f"{tmp_path.resolve()}/me/project/only", action=Action.ALLOW, priority=1)
    arena = Arena(tmp_path, rule)
    assert (await arena.attempt("write_file", path=name, content="x")).ending == "asked"
    assert not (arena.work / name).exists()
    await arena.aclose()
