"""What a window remembers between runs: geometry, theme, drafts. Small, and never needed to work."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QByteArray, QSettings


class Preferences(Protocol):
    """A few texts by name. Reading what was never written gives ""."""

    def read(self, name: str) -> str: ...

    def write(self, name: str, value: str) -> None: ...


class FilePreferences:
    """Preferences in one ini file; a file that cannot be written only loses what it would remember."""

    def __init__(self, file: Path) -> None:
        self._settings = QSettings(str(file), QSettings.Format.IniFormat)

    def read(self, name: str) -> str:
        value = self._settings.value(name, "")
        return value if isinstance(value, str) else ""

    def write(self, name: str, value: str) -> None:
        self._settings.setValue(name, value)
        self._settings.sync()


def preferences_in(home: Path) -> FilePreferences:
    return FilePreferences(home / "window.ini")


def read_bytes(preferences: Preferences, name: str) -> QByteArray:
    return QByteArray.fromBase64(preferences.read(name).encode("ascii", "ignore"))


def write_bytes(preferences: Preferences, name: str, value: QByteArray) -> None:
    preferences.write(name, bytes(value.toBase64().data()).decode("ascii"))


def read_drafts(preferences: Preferences) -> dict[str, str]:
    """Unsent texts by session id. A damaged entry is no drafts."""
    try:
        drafts = json.loads(preferences.read("drafts") or "{}")
    except ValueError:
        return {}
    return {str(k): str(v) for k, v in drafts.items()} if isinstance(drafts, dict) else {}


def write_drafts(preferences: Preferences, drafts: dict[str, str]) -> None:
    preferences.write("drafts", json.dumps({name: text for name, text in drafts.items() if text.strip()}))
