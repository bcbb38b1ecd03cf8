"""How paths are written for a person."""

from __future__ import annotations

from pathlib import Path

import pytest

from placet.ui.paths import from_home, paths_from_home, short_path


@pytest.fixture(autouse=True)
def at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: Path("/home/me"))


@pytest.mark.parametrize(
    ("path", "told"),
    [("/home/me", "~"), ("/home/me/a b", "~/a b"), ("/home/meadow/a", "/home/meadow/a"), ("/srv/a", "/srv/a")],
)
def test_home_is_a_tilde(path: str, told: str) -> None:
    assert from_home(path) == told


@pytest.mark.parametrize(
    ("path", "folder", "told"),
    [
        ("/srv/p/src/a.py", "/srv/p", "src/a.py"),
        ("/srv/p/a.py", "/srv/p/", "a.py"),
        ("/srv/pool/a.py", "/srv/p", "/srv/pool/a.py"),
        ("/home/me/a.py", "/srv/p", "~/a.py"),
        ("/a.py", "", "/a.py"),
    ],
)
def test_a_file_in_the_folder_is_named_from_there(path: str, folder: str, told: str) -> None:
    assert short_path(path, folder) == told


def test_paths_inside_a_sentence() -> None:
    assert paths_from_home("Kept in /home/me/x, and /home/meadow/y.") == "Kept in ~/x, and /home/meadow/y."
