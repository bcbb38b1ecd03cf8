"""What waits as a person reads it: requests gathered into items, in order, each in three lines. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from operator import attrgetter

import msgspec
from PySide6.QtCore import QCoreApplication

from placet.core.domain.ids import RequestId
from placet.core.domain.review import PendingRequest, RequestKind

_CHARS = 300  # of a line; more is never seen
_NAMED = 3  # files of a batch that are named


class Shown(StrEnum):
    """Which kinds the list shows."""

    ALL = "all"
    WRITES = "writes"
    COMMANDS = "commands"
    QUESTIONS = "questions"
    OTHERS = "others"

    def takes(self, request: PendingRequest) -> bool:
        return self is Shown.ALL or _SHOWN[request.kind] is self


_SHOWN = {
    RequestKind.WRITE: Shown.WRITES,
    RequestKind.COMMAND: Shown.COMMANDS,
    RequestKind.QUESTION: Shown.QUESTIONS,
    RequestKind.OTHER: Shown.OTHERS,
}


class InboxItem(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the list: a request, or the writes of one turn together. `requests` are by file, then oldest first."""

    requests: tuple[PendingRequest, ...]

    @property
    def first(self) -> PendingRequest:
        return self.requests[0]

    @property
    def is_batch(self) -> bool:
        return len(self.requests) > 1

    @property
    def at(self) -> float:
        return max(request.created_at for request in self.requests)


def group_of(request: PendingRequest) -> str:
    """Writes of one session wait in one turn and belong together; all else is alone."""
    return f"writes {request.session_id}" if request.kind is RequestKind.WRITE else request.id


def items_of(requests: Iterable[PendingRequest]) -> list[InboxItem]:
    """Items, newest first. The writes of one file stand together, for each builds on the one before it; files are in
    the order of their names, which stays when some of them are decided.
    """
    groups: dict[str, list[PendingRequest]] = {}
    for request in sorted(requests, key=_moment):
        key = group_of(request)
        group = groups.pop(key, [])
        group.append(request)
        groups[key] = group  # behind the others: an item is as new as the last of it
    return [InboxItem(requests=tuple(sorted(group, key=_path))) for group in reversed(groups.values())]


_moment, _path = attrgetter("created_at"), attrgetter("path")


def count_of(requests: Iterable[PendingRequest]) -> int:
    """How many items they make."""
    return len(set(map(group_of, requests)))


def place_after(before: Sequence[PendingRequest], at: int, now: Sequence[PendingRequest]) -> int:
    """Where one is in `now` who was at `at` in `before`: with the same request or the one made anew for its call, else
    with what came next in its item, else before it there, else in the next item of the list, else in the one before.
    """
    if not before or not now:
        return 0
    at = min(at, len(before) - 1)
    by_id = {request.id: place for place, request in enumerate(now)}
    by_call = {(request.session_id, request.call_id): place for place, request in enumerate(now)}
    first = {group_of(request): place for place, request in reversed([*enumerate(now)])}
    near: dict[str, list[PendingRequest]] = {}  # by item, the nearest first
    for request in (before[at], *before[at + 1 :], *before[:at][::-1]):
        near.setdefault(group_of(request), []).append(request)
    for group, requests in near.items():
        for request in requests:
            place = by_id.get(request.id)
            if place is None:
                place = by_call.get((request.session_id, request.call_id))
            if place is not None:
                return place
        if group in first:  # all that was seen of it is gone, and more of the same came
            return first[group]
    return 0


# ---- in words --------------------------------------------------------------------------------------------------


def tr(words: str) -> str:
    return QCoreApplication.translate("Inbox", words)


def _one_line(text: str) -> str:
    return " ".join(text[: 4 * _CHARS].split())[:_CHARS]


def icon_of(item: InboxItem) -> str:
    if item.is_batch:
        return "files"
    if item.first.is_new_file:
        return "file-plus-2"
    names = {RequestKind.WRITE: "file-pen-line", RequestKind.COMMAND: "square-terminal"}
    return names.get(
        item.first.kind, "message-circle-question-mark" if item.first.kind is RequestKind.QUESTION else "blocks"
    )


def what(item: InboxItem) -> str:
    """The first line: what would happen, or what is asked."""
    request = item.first
    if item.is_batch:
        agents = {each.agent_call_id for each in item.requests if each.agent_call_id is not None}
        edits = tr("{} edits").format(len(item.requests))
        return tr("{} from {} sub-agents").format(edits, len(agents)) if len(agents) > 1 else edits
    name = file_name(request)
    match request.kind:
        case RequestKind.WRITE:
            return tr("Write {}").format(name) if request.is_new_file else tr("Edit {}").format(name)
        case RequestKind.COMMAND:
            return tr("Run a command")
        case RequestKind.QUESTION:
            return tr("Question: {}").format(_one_line(request.label))
        case RequestKind.OTHER:
            return tr("Call {}").format(request.tool)


def detail(item: InboxItem) -> str:
    """The second line."""
    request = item.first
    if item.is_batch:
        names = list(dict.fromkeys(file_name(each) for each in item.requests))
        more = len(names) - _NAMED
        shown = names if more < 2 else [*names[:_NAMED], tr("{} more").format(more)]
        return ", ".join(shown)
    if request.kind is RequestKind.WRITE:
        return request.label or request.path
    return _one_line(request.detail or request.label)


def origin(request: PendingRequest, *, with_agent: bool = True) -> str:
    """The third line: the session, the sub-agent in it, and the source where that is not the window."""
    title = request.session_title or tr("New chat")
    words = _from(request.source.partition(":")[0], title)
    agent = tr("sub-agent {}").format(request.agent) if with_agent and request.agent else ""
    return ", ".join(filter(None, (words, agent)))


def _from(source: str, title: str) -> str:
    """A source has the name of what sends, with an id behind a colon where there are several of it."""
    match source:
        case "" | "desktop":
            return title
        case "cli":
            return tr("Command line: {}").format(title)
        case "task":
            return tr("Task: {}").format(title)
        case "tic":
            return tr("TIC: {}").format(title)
    return f"{source}: {title}"


def counts(item: InboxItem) -> tuple[int, int] | None:
    if item.first.kind is not RequestKind.WRITE:
        return None
    return sum(each.added for each in item.requests), sum(each.removed for each in item.requests)


def file_name(request: PendingRequest) -> str:
    return (request.path or request.label).rstrip("/").rpartition("/")[2]


def spoken(item: InboxItem) -> str:
    """All of it, as a screen reader says it: the command itself, not its beginning."""
    number = counts(item)
    told = [what(item), detail(item)]
    if item.first.kind is not RequestKind.WRITE and item.first.detail:
        told[1] = item.first.detail
    told.append(tr("{} added, {} removed").format(*number) if number else "")
    if any(each.stale for each in item.requests):
        told.append(tr("changed since you looked"))
    told.append(origin(item.first, with_agent=not item.is_batch))
    return ", ".join(filter(None, told))


def announcement(requests: Sequence[PendingRequest]) -> str:
    """One sentence for what began to wait: of one item what it is, of several how many."""
    items = items_of(requests)
    if len(items) != 1:
        return tr("{} things wait for you").format(len(items))
    return f"{what(items[0])}: {detail(items[0])}"


def batch_of(request: PendingRequest | None, among: Iterable[PendingRequest]) -> list[PendingRequest]:
    """The writes that wait together with this one; none where it is no write."""
    if request is None or request.kind is not RequestKind.WRITE:
        return []
    session = request.session_id
    return [each for each in among if each.session_id == session and each.kind is RequestKind.WRITE]


def ids_of(requests: Iterable[PendingRequest]) -> tuple[RequestId, ...]:
    return tuple(request.id for request in requests)
