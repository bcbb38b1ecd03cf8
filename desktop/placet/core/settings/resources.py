"""Where the data files are: inside the installed package, or beside `desktop/` in a checkout."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[2]


@cache
def resources_folder() -> Path:
    """Return the folder with prompts, icons, fonts, agents and translations."""
    inside = _PACKAGE / "resources"
    return inside if inside.is_dir() else _PACKAGE.parents[1] / "resources"


def read_resource(name: str) -> str:
    """Return the text of the resource `name`, a path with slashes below the folder."""
    return (resources_folder() / name).read_text("utf-8")
