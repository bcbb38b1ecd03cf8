"""One `COMMAND.md`: settings in TOML between two lines `+++`, then the text that the model gets."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any

import msgspec

from placet.core.domain.text import clean_text, first_line

FILE = "COMMAND.md"
ARGUMENTS = "{{args}}"

_FENCE = "+++"
_LARGEST = 256 * 1024
_KEYS = ("description", "arguments", "tools")


class UserCommand(msgspec.Struct, frozen=True, kw_only=True):
    """A command that sends a text. `tools` narrows what its turn may use; None leaves all."""

    name: str
    text: str
    description: str = ""
    arguments_hint: str = ""
    tools: tuple[str, ...] | None = None
    is_own: bool = False

    def expand(self, arguments: str) -> str:
        """Return the text for the model: `{{args}}` is replaced; without it the arguments are appended."""
        if ARGUMENTS in self.text:
            return self.text.replace(ARGUMENTS, arguments)
        return f"{self.text}\n\n{arguments}" if arguments else self.text


class Unusable(Exception):
    """Why a file gives no command, in the words of a problem."""


def read_command(folder: Path, *, is_own: bool) -> tuple[UserCommand, list[str]]:
    """Return the command in `folder`, and what in its settings had to be left out. Raises: Unusable."""
    settings, text = _parts(_content(folder / FILE))
    problems: list[str] = []
    values = _values(settings, problems)
    text = text.strip()
    if not text:
        raise Unusable("it has no text to send")
    command = UserCommand(
        name=folder.name,
        text=text,
        description=values.get("description") or first_line(text),
        arguments_hint=values.get("arguments") or ("[text]" if ARGUMENTS in text else ""),
        tools=values.get("tools"),
        is_own=is_own,
    )
    return command, problems


def _content(path: Path) -> str:
    try:
        if not path.is_file():
            raise Unusable(f"there is no file {FILE} in it")
        if path.stat().st_size > _LARGEST:
            raise Unusable(f"{FILE} is larger than {_LARGEST // 1024} KB")
        return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise Unusable(f"byte {error.start + 1} of {FILE} is not UTF-8") from None
    except OSError as error:
        raise Unusable(f"{FILE} cannot be read ({error.strerror})") from None


def _parts(content: str) -> tuple[dict[str, Any], str]:
    """Return the settings and the text below them."""
    lines = content.split("\n")
    if lines[0].rstrip() != _FENCE:
        return {}, content
    end = next((at for at, line in enumerate(lines[1:], 1) if line.rstrip() == _FENCE), None)
    if end is None:
        raise Unusable(f"its settings begin with {_FENCE} and no line {_FENCE} ends them")
    import tomllib

    try:
        return tomllib.loads("\n".join(lines[1:end])), "\n".join(lines[end + 1 :])
    except tomllib.TOMLDecodeError as error:
        raise Unusable(f"its settings are no TOML: {error}, counted from the line below {_FENCE}") from None


def _values(settings: dict[str, Any], problems: list[str]) -> dict[str, Any]:
    """Return the settings that can be used. Tools that cannot be read make the command unusable: all would be more."""
    for key in settings:
        if key not in _KEYS:
            near = difflib.get_close_matches(key, _KEYS, 1, 0.5)
            meant = f"the nearest known name is “{near[0]}”" if near else f"known here: {', '.join(_KEYS)}"
            problems.append(f"unknown setting “{key}”; {meant}")
    values: dict[str, Any] = {}
    for key in ("description", "arguments"):
        value = settings.get(key, "")
        if isinstance(value, str):
            values[key] = clean_text(" ".join(value.split()))
        else:
            problems.append(f"{key} is no text; it is left out")
    if (tools := settings.get("tools")) is not None:
        if not isinstance(tools, list) or not all(isinstance(name, str) for name in tools):
            raise Unusable("tools is no list of names")
        values["tools"] = tuple(tools)
    return values
