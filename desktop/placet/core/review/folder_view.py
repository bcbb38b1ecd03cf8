"""What may be done with the entries of a folder. Lists one folder, reads no file; for a worker thread."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from placet.core.domain.explaining import FolderEntry, FolderQuestion, FolderView
from placet.core.domain.ids import CallId, SessionId
from placet.core.domain.messages import RunContext
from placet.core.domain.review import CallRef, Rule
from placet.core.domain.tools import Category, Operation
from placet.core.review.matching import Place, misfit
from placet.core.review.rules import Policy, decide

_MOST = 300
_TOOLS = {Category.FS_READ: "read_file", Category.FS_WRITE: "write_file"}


def view_folder(question: FolderQuestion, rules: Sequence[Rule], policy: Policy) -> FolderView:
    """Judge a folder and what is in it. A folder that cannot be listed has no entries and says why."""
    folder = policy.ground.resolve(question.folder)
    judge = _Judge(question, rules, policy)
    itself = judge.entry(folder, folder.name or str(folder), is_folder=True)
    try:
        with os.scandir(folder) as listing:
            found = sorted((not _is_folder(each), each.name.casefold(), each.name) for each in listing)
    except OSError as error:
        return FolderView(itself=itself, entries=(), trouble=f"It cannot be listed: {error.strerror or error}.")
    entries = tuple(judge.entry(folder / name, name, is_folder=not is_file) for is_file, _, name in found[:_MOST])
    return FolderView(itself=itself, entries=entries, hidden=max(0, len(found) - _MOST))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link in a circle
        return False


class _Judge:
    def __init__(self, question: FolderQuestion, rules: Sequence[Rule], policy: Policy) -> None:
        self._question, self._rules, self._policy = question, rules, policy
        self._marked = next((rule for rule in rules if rule.id == question.rule_id), None)
        workdir = str(policy.ground.resolve(question.workdir)) if question.workdir else ""
        self._context = RunContext(workdir=workdir, group=question.group)
        self._tool = _TOOLS.get(question.category, _TOOLS[Category.FS_WRITE])
        self._call = CallRef(
            session_id=SessionId(""), call_id=CallId(0), name=self._tool, arguments="{}", agent="", source=""
        )

    def entry(self, path: Path, name: str, *, is_folder: bool) -> FolderEntry:
        try:
            real = path.resolve()
        except (OSError, RuntimeError):  # links in a circle
            real = path
        operation = Operation(tool=self._tool, category=self._question.category, label=name, detail=name, path=real)
        marked = self._marked
        place = Place(self._policy.ground, real)
        return FolderEntry(
            name=name,
            path=str(path),
            is_folder=is_folder,
            verdict=decide(self._rules, self._call, operation, self._context, self._policy),
            leads_to=str(real) if path.is_symlink() else "",
            matched=marked is not None and misfit(marked, self._call, operation, place) is None,
        )
