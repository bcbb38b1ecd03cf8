"""The shipped approval rules, read from `resources/review.toml`. Stored once; a person edits them afterwards."""

from __future__ import annotations

from typing import Any

import msgspec

from placet.core.domain.review import Action, Rule


class Seeds(msgspec.Struct, frozen=True):
    """The rules, and the tools that are let pass even when a person asked to be asked about everything."""

    rules: tuple[Rule, ...]
    harmless: frozenset[str]


class _Deny(msgspec.Struct):
    priority: int
    paths: dict[str, list[str]]


class _Harmless(msgspec.Struct):
    priority: int
    note: str
    tools: list[str]


class _Resource(msgspec.Struct):
    rules: list[dict[str, Any]]
    deny: _Deny
    harmless: _Harmless


def read_seeds(toml_text: str) -> Seeds:
    """Parse the resource. The catch-all comes last; ids are given by the store."""
    resource = msgspec.toml.decode(toml_text, type=_Resource)
    deny, harmless = resource.deny, resource.harmless
    rules = [
        Rule(tool="@fs_any", path=path, action=Action.DENY, priority=deny.priority, note=note)
        for note, paths in deny.paths.items()
        for path in paths
    ]
    rules += [
        Rule(tool=tool, action=Action.ALLOW, priority=harmless.priority, note=harmless.note) for tool in harmless.tools
    ]
    rules += [msgspec.convert(rule, Rule) for rule in resource.rules]
    return Seeds(tuple(rules), frozenset(harmless.tools))
