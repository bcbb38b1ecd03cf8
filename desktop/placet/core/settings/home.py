"""PLACET_HOME: where a person's data lies, and what is in it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from placet.core.domain.errors import UsageError

FOLDERS = ("memory", "data", "work", "agents", "commands", "backups", "logs")


@dataclass(frozen=True, slots=True)
class Home:
    """The places below one root. Nothing exists before `ensure`."""

    root: Path

    @property
    def database(self) -> Path:
        return self.root / "placet.db"

    @property
    def config(self) -> Path:
        return self.root / "config.toml"

    @property
    def notifications(self) -> Path:
        return self.root / "notifications.md"

    def folder(self, name: str) -> Path:
        """Return one of `FOLDERS`."""
        if name not in FOLDERS:
            raise ValueError(name)
        return self.root / name

    def ensure(self) -> Home:
        """Make the root, readable by its owner only, and its folders. Raises: UsageError."""
        try:
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            for name in FOLDERS:
                (self.root / name).mkdir(exist_ok=True)
        except OSError as error:
            raise UsageError(
                f"The data folder {self.root} cannot be made: {error.strerror}.",
                hint="Set PLACET_HOME to a folder that you may write to.",
            ) from None
        return self


def find_home(environ: Mapping[str, str] | None = None) -> Home:
    """Return the home named by PLACET_HOME, else the platform's user data folder. Makes nothing."""
    named = (os.environ if environ is None else environ).get("PLACET_HOME", "").strip()
    if named:
        return Home(Path(named).expanduser().resolve())
    from platformdirs import user_data_path

    return Home(user_data_path("placet", appauthor=False))
