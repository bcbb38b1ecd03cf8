"""What a link in model text may do: nothing at all, open in the browser, or be shown in our own viewer (`D-10`)."""

from __future__ import annotations

import re
from enum import StrEnum
from urllib.parse import unquote, urlsplit

import msgspec

_SCHEME = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]*):")
_BARE = re.compile(r"https?://[^\s<>\"'`\\^{|}]+")
_CONTROL = re.compile(r"[\x00-\x20\x7f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")
_LOOKS_LIKE_HOST = re.compile(r"^(?:https?://)?((?:[\w-]+\.)+[A-Za-z]{2,})(?:[/:?#]|$)")


class LinkKind(StrEnum):
    WEB = "web"  # http, https, mailto: the system may open it
    FILE = "file"  # a path: only ever shown in our viewer, never handed to the system
    INERT = "inert"  # everything else: text


class Link(msgspec.Struct, frozen=True):
    """`target` is what is opened and what is shown on hovering; for files it is the bare path."""

    kind: LinkKind
    target: str


def read_link(href: str) -> Link:
    """Classify a target as written in Markdown."""
    if not href or _CONTROL.search(unquote(href).replace(" ", "")) or href.startswith(("//", "\\")):
        return Link(LinkKind.INERT, href)
    scheme = _SCHEME.match(href)
    if scheme is None:
        return Link(LinkKind.INERT, href) if href.startswith("#") else Link(LinkKind.FILE, unquote(href))
    name = scheme[1].lower()
    if name in ("http", "https"):
        return Link(LinkKind.WEB if host_of(href) else LinkKind.INERT, href)
    if name == "mailto":
        return Link(LinkKind.WEB, href)
    if name == "file":
        parts = _split(href)
        if parts is not None and parts[0] in ("", "localhost") and parts[1]:
            return Link(LinkKind.FILE, unquote(parts[1]))
    return Link(LinkKind.INERT, href)


def host_of(href: str) -> str:
    """The host a target names, empty where it names none."""
    parts = _split(href)
    return parts[0] if parts is not None else ""


def misleads(label: str, href: str) -> bool:
    """Whether the label reads like another address than the one the link goes to."""
    seen = _LOOKS_LIKE_HOST.match(label.strip())
    return seen is not None and seen[1].lower().removeprefix("www.") != host_of(href).lower().removeprefix("www.")


def bare_links(text: str) -> list[tuple[int, int]]:
    """(start, end) of the web addresses written out in `text`, without the punctuation of the sentence."""
    found = []
    for match in _BARE.finditer(text) if "://" in text else ():
        address = match[0].rstrip(".,;:!?*_~")
        while address.endswith((")", "]")) and address.count("(") + address.count("[") < address.count(
            ")"
        ) + address.count("]"):
            address = address[:-1].rstrip(".,;:!?*_~")
        if host_of(address):
            found.append((match.start(), match.start() + len(address)))
    return found


def _split(href: str) -> tuple[str, str] | None:
    try:
        parts = urlsplit(href)
        return parts.hostname or "", parts.path
    except ValueError:  # an address that cannot be one
        return None
