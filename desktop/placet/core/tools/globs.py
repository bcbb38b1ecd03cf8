"""Patterns for paths as git understands them, none of which can take for ever, whoever wrote it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from placet.core.domain.errors import ToolFailure

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

_MOST_CHARACTERS = 1_000
_MOST_EXPANSIONS = 64
_MOST_FOLDER_STARS = 3
_STAR = r"\[\^/\]\*"
_ONE = r"(?:\\[^/]|\[\^?\]?(?:\\.|[^\]\\])*\](?!\*)|[^\\\[\]()/$^|*])"
# A star, what follows it up to the next star of the same name.
_BETWEEN_STARS = re.compile(rf"{_STAR}({_ONE}*)(?={_STAR})")


def spec_of(patterns: Iterable[GitIgnoreSpecPattern]) -> GitIgnoreSpec:
    """Return the patterns as one; a later one overrules an earlier."""
    # Imported late: it costs as much as the rest of the tools together.
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec(patterns, backend="simple")


def pattern_of(line: str) -> GitIgnoreSpecPattern:
    """Raises: ValueError for a line that makes no sense, or that could take long to compare."""
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    if len(line) > _MOST_CHARACTERS:
        raise ValueError(f"it has more than {_MOST_CHARACTERS} characters")
    try:
        pattern = GitIgnoreSpecPattern(line)
    except re.error as error:
        raise ValueError(str(error)) from error
    if pattern.regex is not None:
        text = pattern.regex.pattern
        if text.count(".+") > _MOST_FOLDER_STARS:
            raise ValueError(f"it has more than {_MOST_FOLDER_STARS} times **")
        pattern.regex = re.compile(_without_retries(text))
    return pattern


def _without_retries(expression: str) -> str:
    """Between two stars of one name the first place that fits is as good as any other: no other is tried."""
    return _BETWEEN_STARS.sub(r"(?>[^/]*?\1)", expression)


def glob_filter(glob: str) -> Callable[[str], bool]:
    """Return a test for paths relative to the walk's folder. Raises: ToolFailure.

    A glob without a slash fits the last component at any depth; `**` spans folders, `{a,b}` is either.
    """
    if not glob:
        return lambda _relative: True
    try:
        patterns = [pattern_of(line) for line in expand_braces(glob.removeprefix("./"))]
    except ValueError as error:
        raise ToolFailure(f"The glob {glob[:_MOST_CHARACTERS]!r} is not understood: {error}") from error
    return spec_of(patterns).match_file


def expand_braces(glob: str) -> list[str]:
    """Return the patterns that `{a,b}` groups stand for, in order. Raises: ValueError where they are too many."""
    if len(glob) > _MOST_CHARACTERS:
        raise ValueError(f"it has more than {_MOST_CHARACTERS} characters")
    done: list[str] = []
    waiting = [glob]
    while waiting:
        first = waiting.pop()
        group = re.search(r"\{([^{}]*)\}", first)
        if not group:
            done.append(first)
            continue
        choices = group[1].split(",")
        if len(done) + len(waiting) + len(choices) > _MOST_EXPANSIONS:
            raise ValueError(f"its braces stand for more than {_MOST_EXPANSIONS} patterns")
        waiting += [first[: group.start()] + choice + first[group.end() :] for choice in reversed(choices)]
    return done
