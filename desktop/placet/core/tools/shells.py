"""The shell that commands run in, and the environment they get."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path

_LIKE_SH = frozenset({"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash"})


def shell_argv(command: str) -> list[str] | str:
    """Return the arguments that run `command` in the user's shell, or in `sh` where theirs has another grammar."""
    if sys.platform == "win32":
        return f'"{os.environ.get("COMSPEC", "cmd.exe")}" /d /s /c "{command}"'  # one string: cmd has its own quoting
    else:
        shell = os.environ.get("SHELL", "")
        is_usable = Path(shell).name in _LIKE_SH and os.access(shell, os.X_OK)
        return [shell if is_usable else "/bin/sh", "-c", command]


def clean_environment(secret_names: Iterable[str]) -> dict[str, str]:
    """Return our environment without our secrets, and without the library paths of a packaged program."""
    hidden = {name.upper() for name in secret_names}
    kept = {name: value for name, value in os.environ.items() if name.upper() not in hidden}
    if "LD_LIBRARY_PATH_ORIG" in kept:
        kept["LD_LIBRARY_PATH"] = kept.pop("LD_LIBRARY_PATH_ORIG")
    elif getattr(sys, "frozen", False):
        kept.pop("LD_LIBRARY_PATH", None)
    return kept
