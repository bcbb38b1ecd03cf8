"""A TOML file read as far as possible: one faulty section does not take the others with it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_FAULTS = (ValueError, RecursionError)  # also of numbers with thousands of digits, and of a thousand brackets
_HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)
_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def read_tables(path: Path) -> tuple[dict[str, Any], list[str]]:
    """Return the file's tables and what is wrong with it. No file is an empty one. Never raises."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return {}, []
    except UnicodeDecodeError as error:
        return {}, [f"{path.name}: byte {error.start + 1} is not UTF-8; the whole file is ignored."]
    except OSError as error:
        return {}, [f"{path.name} cannot be read ({error.strerror}); it is ignored."]
    try:
        return tomllib.loads(text), []
    except _FAULTS as error:
        return _salvaged(text), [_problem(path.name, text, error)]


def _problem(name: str, text: str, error: Exception) -> str:
    words = str(error)
    found = _PLACE.search(words)
    if found is None or found[1] is None:
        line, column = text.count("\n") + 1, len(text) - text.rfind("\n")
    else:
        line, column = int(found[1]), int(found[2])
    said = _PLACE.sub("", words)
    return f"{name}: line {line}, column {column}: {said}. The section there is ignored; the others hold."


def _salvaged(text: str) -> dict[str, Any]:
    """Return what the sections give that parse by themselves."""
    tables: dict[str, Any] = {}
    for section in _sections(text):
        try:
            _merge(tables, tomllib.loads(section))
        except _FAULTS:
            continue
    return tables


def _sections(text: str) -> Iterator[str]:
    starts = [0, *(found.start() for found in _HEADER.finditer(text))]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        yield text[start:end]


def _merge(into: dict[str, Any], new: dict[str, Any]) -> None:
    for name, value in new.items():
        have = into.get(name)
        if isinstance(have, dict) and isinstance(value, dict):
            _merge(have, value)
        elif isinstance(have, list) and isinstance(value, list):
            have.extend(value)
        else:
            into[name] = value
