"""How paths are written for a person."""

from __future__ import annotations

from pathlib import Path


def from_home(path: str) -> str:
    """`path` with a tilde for the home folder."""
    home = str(Path.home())
    return "~" + path[len(home) :] if path == home or path.startswith(home + "/") else path


def paths_from_home(words: str) -> str:
    """`words` with a tilde wherever a path in the home folder begins."""
    return words.replace(f" {Path.home()}/", " ~/")


def short_path(path: str, folder: str) -> str:
    """`path` from `folder` on where it lies in it, else from the home folder on where it lies there."""
    base = folder.rstrip("/") + "/"
    return path[len(base) :] if folder and path.startswith(base) else from_home(path)
