"""Rules that come with a project's folder, `.placet/rules.toml`: they can only tighten (`R-4`).

Whoever wrote the project wrote them, so they are data: a denial is asked before all others, a rule that asks takes back
what a rule or a folder would let pass, and nothing in the file can do anything else. A file that cannot be read or
understood asks about everything, for nobody knows what it would have said.
"""

from __future__ import annotations

import os
import stat
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from placet.core.domain.errors import UsageError
from placet.core.domain.explaining import FolderRules
from placet.core.domain.hidden import visible
from placet.core.domain.review import Action, CallRef, DecidedBy, Rule, Verdict
from placet.core.domain.tools import Command, Operation
from placet.core.review.commands import read_command
from placet.core.review.matching import Place, fits_command, misfit
from placet.core.review.paths import FOLDER_RULES
from placet.core.review.rulebook import checked
from placet.core.review.rules import Policy, explain

MOST_BYTES, MOST_RULES = 64 * 1024, 500
_ACTIONS = {"deny": Action.DENY, "ask": Action.REQUIRE, "require": Action.REQUIRE}
_KEYS = frozenset({"tool", "path", "command", "action", "note"})
_LOOSENS = "allow"

Stamp = tuple[int, int, int, int]


class FolderRulesReader:
    """Reads the file of each folder again when it is another one. Asked at every check."""

    def __init__(self) -> None:
        self._read: dict[str, tuple[Stamp, FolderRules]] = {}

    def of(self, workdir: str) -> FolderRules:
        """The rules of a folder that a session works in; none where it has none."""
        if not workdir:
            return FolderRules()
        path = Path(workdir, FOLDER_RULES)
        try:
            if path.parent.is_symlink():  # a model could write the file by its other name
                return _unreadable(path, "its folder is a link")
            stamp = _stamp(path.stat(follow_symlinks=False))
        except (FileNotFoundError, NotADirectoryError):
            self._read.pop(workdir, None)
            return FolderRules()
        except (OSError, ValueError) as error:
            return _unreadable(path, str(error))
        known = self._read.get(workdir)
        if known is None or known[0] != stamp:
            known = self._read[workdir] = stamp, _rules_of(path, workdir)
        return known[1]


def tightened(verdict: Verdict, folder: FolderRules, call: CallRef, operation: Operation, policy: Policy) -> Verdict:
    """Ask after all about what a rule or a folder lets pass, where the project says so.

    What a person let pass in this very session, by the mode or "for all of this kind", stays so, as with their own
    rules.
    """
    if verdict.action is not Action.ALLOW or verdict.by not in (DecidedBy.RULE, DecidedBy.FAST_PATH):
        return verdict
    rule = first_fitting(folder.asks, call, operation, policy)
    if rule is None:
        return verdict
    return Verdict(action=Action.REQUIRE, by=DecidedBy.RULE, because=explain(rule), rule_id=rule.id)


def first_fitting(rules: Sequence[Rule], call: CallRef, operation: Operation, policy: Policy) -> Rule | None:
    """The first of these rules that fits a call, or one command of its line."""
    if not rules:
        return None
    place = Place(policy.ground, operation.path)
    fitting = [rule for rule in rules if misfit(rule, call, operation, place) is None]
    if not isinstance(operation, Command) or not any(rule.command for rule in fitting):
        return fitting[0] if fitting else None
    line = read_command(operation.command)
    for rule in fitting:
        if not rule.command or line.doubt or any(fits_command(rule, words, line) for words in line.commands):
            return rule
    return None


def _stamp(status: os.stat_result) -> Stamp:
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino


def _rules_of(path: Path, workdir: str) -> FolderRules:
    try:
        tables = tomllib.loads(_text(path))
    except (OSError, ValueError, RecursionError) as error:  # not readable, not UTF-8, not TOML
        return _unreadable(path, str(error))
    entries = tables.pop("rules", [])
    problems = [f"unknown key {_named(key)}" for key in tables]
    if not isinstance(entries, list) or len(entries) > MOST_RULES:
        return _unreadable(path, f"rules are written as [[rules]], at most {MOST_RULES}")
    rules: list[Rule] = []
    for number, entry in enumerate(entries, 1):
        rule = _rule_of(entry, number, workdir)
        if isinstance(rule, Rule):
            rules.append(rule)
        elif rule:
            problems.append(rule)
    notices = tuple(f"{FOLDER_RULES}: {each}" for each in problems if each.endswith(_IGNORED))
    faults = [each for each in problems if not each.endswith(_IGNORED)]
    found = FolderRules(
        denials=tuple(rule for rule in rules if rule.action is Action.DENY),
        asks=tuple(rule for rule in rules if rule.action is Action.REQUIRE),
        problems=notices,
    )
    if not faults:
        return found
    faulty = _unreadable(path, faults[0])
    return msgspec.structs.replace(
        found,
        asks=(*faulty.asks, *found.asks),
        problems=(*notices, *(f"{FOLDER_RULES}: {each}" for each in faults)),
    )


_IGNORED = "only a person can loosen anything; it has no effect"


def _rule_of(entry: Any, number: int, workdir: str) -> Rule | str:
    """The rule, or what is wrong with it."""
    if not isinstance(entry, dict):
        return f"rule {number} is no table"
    if unknown := [key for key in entry if key not in _KEYS]:
        return f"rule {number} has the unknown key {_named(unknown[0])}"
    action = entry.get("action")
    if action == _LOOSENS:
        return f"rule {number} would allow something: {_IGNORED}"
    if action not in _ACTIONS:
        return f"rule {number} says neither deny nor ask"
    words = entry.get("command", [])
    texts = [entry.get(key, "") for key in ("tool", "path", "note")]
    if not all(isinstance(text, str) for text in texts):
        return f"rule {number}: tool, path and note are texts"
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        return f"rule {number}: command is a list of words"
    tool, path, note = texts
    rule = Rule(
        id=-number,
        priority=0,
        tool=tool or "*",
        path=_placed(path, workdir),
        command=tuple(words),
        action=_ACTIONS[action],
        note=note,
    )
    try:
        return checked(rule)
    except UsageError as error:
        return f"rule {number}: {error}"


def _placed(path: str, workdir: str) -> str:
    """A relative path begins in the project; a bare name fits everywhere, as in a person's own rules."""
    is_relative = "/" in path and not path.startswith(("/", "~"))
    return f"{workdir.rstrip('/')}/{path.removeprefix('./')}" if is_relative else path


def _text(path: Path) -> str:
    """The file itself, never what a link at its place leads to, and never one that could block."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    handle = os.open(path, flags)
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise OSError("it is no regular file")
        if status.st_size > MOST_BYTES:
            raise OSError(f"it has more than {MOST_BYTES // 1024} KB")
        return file.read(MOST_BYTES + 1).decode("utf-8")


def _unreadable(path: Path, why: str) -> FolderRules:
    words = " ".join(visible(why).split())[:200]
    note = f"{FOLDER_RULES} cannot be understood"
    ask = Rule(id=-MOST_RULES - 1, priority=0, tool="*", action=Action.REQUIRE, note=note)
    return FolderRules(
        asks=(ask,), problems=(f"{FOLDER_RULES}: {words}. Until it is mended, everything is asked here.",)
    )


def _named(key: object) -> str:
    return f"“{visible(str(key))[:60]}”"
