"""`R-1`: paths are compared the way the file system sees them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from placet.core.review.paths import Ground, Look


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    root = tmp_path.resolve()
    (root / "placet").mkdir()
    (root / "home").mkdir()
    return Ground(root / "placet", root / "home", ignores_case=False)


@pytest.mark.parametrize(
    ("path", "fits"),
    [("memory", True), ("memory/a", True), ("memory/a/b", True), ("memory-secrets/x", False), ("memor", False)],
)
def test_a_folder_pattern_ends_at_a_slash(ground: Ground, path: str, fits: bool) -> None:
    assert ground.matches("memory/*", ground.resolve(path)) is fits


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        (".env", "/any/where/.env", True),
        (".env", "/any/where/.env.example", False),
        (".env", "/any/.env/file", False),
        ("*.pem", "/k/server.pem", True),
        ("id_rsa*", "/k/id_rsa.pub", True),
        ("/srv/a.txt", "/srv/a.txt", True),
        ("/srv/a.txt", "/srv/a.txt.bak", False),
        ("/srv/*.txt", "/srv/a.txt", True),
        ("/srv/*.txt", "/srv/deep/a.txt", False),
        ("/*", "/anything/at/all", True),
        ("/srv/", "/srv/a/b", True),
        ("/srv/**", "/srv/a/b", True),
        ("/srv/[ab].txt", "/srv/b.txt", True),
        ("/srv/[ab].txt", "/srv/c.txt", False),
    ],
)
def test_the_other_forms_of_a_pattern(ground: Ground, pattern: str, path: str, fits: bool) -> None:
    assert ground.matches(pattern, Path(path)) is fits


def test_the_home_folder_is_meant_by_a_tilde(ground: Ground) -> None:
    assert ground.matches("~/.ssh/*", ground.user_home / ".ssh" / "config")
    assert not ground.matches("~/.ssh/*", Path("/etc/.ssh/config"))


def test_dots_and_links_are_resolved_before_comparing(ground: Ground) -> None:
    secret = ground.user_home / ".ssh"
    secret.mkdir()
    (ground.placet_home / "memory").mkdir()
    (ground.placet_home / "memory" / "door").symlink_to(secret)

    through_link = ground.resolve("memory/door/new/file")
    through_dots = ground.resolve("memory/../../home/.ssh/x")

    assert through_link == secret / "new" / "file"
    for path in (through_link, through_dots):
        assert ground.matches("~/.ssh/*", path)
        assert not ground.matches("memory/*", path)


def test_a_pattern_whose_folder_is_a_link_means_what_it_leads_to(ground: Ground) -> None:
    real = ground.user_home / "elsewhere"
    real.mkdir()
    (ground.user_home / ".ssh").symlink_to(real)
    assert ground.matches("~/.ssh/*", ground.resolve("~/.ssh/id"))


def test_unicode_forms_of_one_name_are_equal_for_denials(ground: Ground) -> None:
    assert ground.matches("/srv/caf\u00e9/*", Path("/srv/cafe\u0301/x"), denial=True)


def test_case_counts_only_where_the_file_system_says_so(ground: Ground) -> None:
    folding = Ground(ground.placet_home, ground.user_home, ignores_case=True)
    assert folding.matches(".env", Path("/w/.ENV"))
    assert not ground.matches(".env", Path("/w/.ENV"))


@pytest.mark.parametrize(("folder", "broad"), [("/", True), ("~", True), ("~/..", True), ("~/work", False)])
def test_home_and_what_is_above_it_are_too_broad(ground: Ground, folder: str, broad: bool) -> None:
    assert ground.is_too_broad(folder) is broad


def test_what_is_looked_at_once_is_what_the_system_says(ground: Ground, tmp_path: Path) -> None:
    """Following links part by part, remembered, agrees with the system's own answer."""
    root = tmp_path.resolve()
    (root / "real" / "deep").mkdir(parents=True)
    (root / "one").symlink_to("real/deep")
    (root / "real" / "up").symlink_to("..")
    (root / "loop").symlink_to("loop")
    (root / "file").write_bytes(b"")
    look = Look()
    for tail in (
        "one", "one/x/y", "one/../up/one", "real/up/one/../..", "real/./deep/.", "none/../one", "file/..", "loop/x",
        "real/up/real/up/file", "", "../..", "one//x",
    ):  # fmt: skip
        path = f"{root}/{tail}"
        assert str(ground.resolve(path, look)) == os.path.realpath(path), tail
