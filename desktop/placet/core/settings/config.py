"""`config.toml`: read as far as it makes sense. What does not is a problem in words; it stops nothing."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from placet.core.domain.model_calls import Dialect, Model, Provider
from placet.core.settings.options import Inbox, Llm, Mcp, McpServer, Review, Tic
from placet.core.settings.toml_file import read_tables

S = TypeVar("S", bound=msgspec.Struct)

_TOP = ("llm", "hub", "review", "tic", "providers", "models", "mcp")
_PLAIN = {
    "int": "a whole number", "float": "a number", "str": "a text", "bool": "true or false", "array": "a list",
    "object": "a table", "null": "nothing",
}  # fmt: skip
_OTHER_TYPES = {
    "ollama": "; Ollama speaks openai at http://127.0.0.1:11434/v1",
    "openai-responses": "; most such models answer as openai too",
}
_NOT_IN_FILE = frozenset({"declared"})


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """What `config.toml` declares, with defaults for the rest. `problems` has one sentence each."""

    providers: tuple[Provider, ...] = ()
    models: tuple[Model, ...] = ()
    llm: Llm = msgspec.field(default_factory=Llm)
    hub: Inbox = msgspec.field(default_factory=Inbox)
    review: Review = msgspec.field(default_factory=Review)
    tic: Tic = msgspec.field(default_factory=Tic)
    mcp: Mcp = msgspec.field(default_factory=Mcp)
    problems: list[str] = msgspec.field(default_factory=list)


def load_config(path: Path) -> Config:
    """Return what the file declares; no file declares nothing. Never raises for what is in it."""
    tables, problems = read_tables(path)
    reader = _Reader(problems)
    reader.unknown("", tables, _TOP)
    mcp = reader.table("mcp", tables.get("mcp"))
    reader.unknown("mcp", mcp, ("servers",))
    return Config(
        llm=reader.section(Llm, "llm", tables.get("llm")),
        hub=reader.section(Inbox, "hub", tables.get("hub")),
        review=reader.section(Review, "review", tables.get("review")),
        tic=reader.section(Tic, "tic", tables.get("tic")),
        providers=reader.entries(Provider, "providers", tables.get("providers")),
        models=reader.entries(Model, "models", tables.get("models")),
        mcp=Mcp(servers=reader.servers(mcp.get("servers"))),
        problems=problems,
    )


class _Reader:
    """Turns tables into structs key by key, so that one wrong value costs that value only."""

    def __init__(self, problems: list[str]) -> None:
        self._problems = problems

    def table(self, path: str, value: Any) -> dict[str, Any]:
        if value is None or isinstance(value, dict):
            return value or {}
        self._say(path, f"a table [{path}] is expected; it is ignored")
        return {}

    def section(self, cls: type[S], path: str, value: Any) -> S:
        """Return the section with the defaults for all that is missing or wrong."""
        found = self._fields(cls, path, self.table(path, value))
        return cls(**found)

    def entries(self, cls: type[S], path: str, value: Any) -> tuple[S, ...]:
        """Return the entries of an array of tables, marked as declared; an unusable one is left out."""
        if value is None:
            return ()
        if not isinstance(value, list):
            self._say(path, f"entries are written as [[{path}]]; it is ignored")
            return ()
        found: dict[str, S] = {}
        for number, item in enumerate(value, 1):
            place = f"{path}[{number}]"
            entry = self._entry(cls, place, self.table(place, item))
            if entry is None:
                continue
            name = str(getattr(entry, "name", ""))
            if name in found:
                self._say(place, f"“{name}” is declared twice; the first one counts")
            found.setdefault(name, entry)
        return tuple(found.values())

    def servers(self, value: Any) -> dict[str, McpServer]:
        table = self.table("mcp.servers", value)
        return {name: self.section(McpServer, f"mcp.servers.{name}", item) for name, item in table.items()}

    def unknown(self, path: str, table: dict[str, Any], names: Sequence[str]) -> None:
        """Report keys that mean nothing, each with the nearest name that would."""
        for key in table:
            if key not in names:
                near = difflib.get_close_matches(key, names, 1, 0.5)
                advice = f"the nearest known name is “{near[0]}”" if near else f"known here: {', '.join(sorted(names))}"
                self._say(f"{path}.{key}" if path else key, f"unknown key; {advice}")

    def _entry(self, cls: type[S], path: str, table: dict[str, Any]) -> S | None:
        found = self._fields(cls, path, table)
        required = [each.name for each in msgspec.structs.fields(cls) if each.required]
        if missing := [name for name in required if table.get(name) in (None, "")]:
            self._say(path, f"{' and '.join(missing)} must be given; the entry is ignored")
        if any(not found.get(name) for name in required):
            return None
        if found.get("api_key_env") and found.get("api_key_keyring"):
            self._say(path, "api_key_env and api_key_keyring exclude each other; api_key_env counts")
            del found["api_key_keyring"]
        return cls(**found, declared=True)

    def _fields(self, cls: type[msgspec.Struct], path: str, table: dict[str, Any]) -> dict[str, Any]:
        """Return the values of `table` that fit the fields of `cls`; report the others."""
        known = {each.name: each for each in msgspec.structs.fields(cls) if each.name not in _NOT_IN_FILE}
        self.unknown(path, table, list(known))
        found: dict[str, Any] = {}
        for name, each in known.items():
            if name not in table:
                continue
            place = f"{path}.{name}"
            if isinstance(each.type, type) and issubclass(each.type, msgspec.Struct):
                found[name] = self.section(each.type, place, table[name])
                continue
            try:
                found[name] = msgspec.convert(table[name], each.type)
            except msgspec.ValidationError as error:
                used = "the entry is ignored" if each.required else f"{_shown(each.default)} is used"
                self._say(place, f"{_in_words(error, each.type, table[name])}; {used}")
        return found

    def _say(self, path: str, what: str) -> None:
        self._problems.append(f"config.toml: {path}: {what}.")


def _in_words(error: msgspec.ValidationError, kind: Any, value: Any) -> str:
    """Return what is expected, in words for someone who writes TOML."""
    if kind is Dialect:
        other = _OTHER_TYPES.get(str(value), "")
        return f"“{value}” is none of {', '.join(each.value for each in Dialect)}{other}"
    words = str(error).partition(" - at ")[0].replace("`", "")
    for name, plain in _PLAIN.items():
        words = re.sub(rf"\b{name}\b", plain, words)
    return words[:1].lower() + words[1:]


def _shown(default: Any) -> str:
    return "the default" if default in (None, "", (), msgspec.NODEFAULT) else f"the default {default}"
