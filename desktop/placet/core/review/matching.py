"""Whether one rule fits one call, and if not, which of its conditions does not hold. Pure but for following links."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path

from placet.core.domain.review import Action, CallRef, Rule
from placet.core.domain.tools import Category, Command, Operation
from placet.core.review.commands import CommandLine, program_of, starts_with
from placet.core.review.paths import Ground, Look

CLASSES = {
    "@fs_read": frozenset({Category.FS_READ}),
    "@fs_write": frozenset({Category.FS_WRITE}),
    "@fs_any": frozenset({Category.FS_READ, Category.FS_WRITE}),
}


class Misfit(StrEnum):
    """The first condition of a rule that a call does not meet."""

    AGENT = "agent"
    SOURCE = "source"
    TOOL = "tool"
    NO_COMMAND = "no_command"  # a rule about commands, and the call is none
    PATH = "path"


class Place:
    """Where an operation would take effect, resolved once for one decision."""

    def __init__(self, ground: Ground, path: Path | None) -> None:
        self._ground, self._look = ground, Look()
        self._keys = (
            (ground.key(path, self._look), ground.key(path, self._look, exact=True)) if path is not None else None
        )

    @classmethod
    def named(cls, ground: Ground, path: str) -> Place:
        """Where a path seems to lead while nothing of it is followed: for explaining, never for deciding."""
        place = cls(ground, None)
        place._keys = (path, path)
        return place

    @property
    def is_named(self) -> bool:
        """Whether the call names a path at all."""
        return self._keys is not None

    def fits(self, rule: Rule) -> bool:
        """Whether a rule's path pattern fits; a call without a path fits none."""
        denial = rule.action is Action.DENY
        test = self._ground.pattern(rule.path, self._look, denial=denial)
        return self._keys is not None and test(self._keys[0 if denial else 1])

    def is_own(self) -> bool:
        """Whether it is among the files of Git or of Placet itself."""
        return self._keys is not None and self._ground.is_own(self._keys[0], self._look)

    def holds_rules(self) -> bool:
        """Whether it is the file of the rules that come with a folder."""
        return self._keys is not None and self._ground.holds_rules(self._keys[0])

    def is_in_any(self, folders: Iterable[str]) -> bool:
        """Whether it is in one of these folders; the root and the home folder as a whole count for nothing.

        The folders were stored resolved: one that has become a link since is another place, and counts for nothing.
        """
        ground, look, keys = self._ground, self._look, self._keys
        return keys is not None and any(
            folder
            and ground.is_within(keys[1], folder, look, exact=True)
            and not ground.leads_elsewhere(folder, look)
            and not ground.is_too_broad(folder, look)
            for folder in folders
        )


def misfit(rule: Rule, call: CallRef, operation: Operation, place: Place) -> Misfit | None:
    """Return what keeps a rule from fitting; None where all fits but, for a command rule, its words."""
    if rule.agent and rule.agent != call.agent:
        return Misfit.AGENT
    if rule.source and rule.source != call.source:
        return Misfit.SOURCE
    if not _fits_tool(rule.tool, operation):
        return Misfit.TOOL
    if rule.command and not isinstance(operation, Command):
        return Misfit.NO_COMMAND
    if rule.path and not place.fits(rule):
        return Misfit.PATH
    return None


def fits_name(pattern: str, tool: str) -> bool:
    """Whether a tool pattern that is no class fits a name."""
    return tool.startswith(pattern[:-1]) if pattern.endswith("*") else tool == pattern


def is_for(rule: Rule, call: CallRef) -> bool:
    """Whether a rule is for the call's agent and source."""
    return rule.agent in ("", call.agent) and rule.source in ("", call.source)


def fits_command(rule: Rule, command: tuple[str, ...], line: CommandLine) -> bool:
    """A line that is not fully understood is never let pass by a command rule; it may well be stopped by one.

    A denied program is denied by its path as well.
    """
    if not rule.command:
        return True
    if rule.action is Action.DENY and starts_with((program_of(command[0]), *command[1:]), rule.command):
        return True
    return starts_with(command, rule.command) and not (line.doubt and rule.action is Action.ALLOW)


def _fits_tool(pattern: str, operation: Operation) -> bool:
    if pattern.startswith("@"):
        return operation.category in CLASSES.get(pattern, ())
    return not pattern or fits_name(pattern, operation.tool)
