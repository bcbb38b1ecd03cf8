"""Characters that a reader does not see, or that change the order of what is read (Trojan Source)."""

from __future__ import annotations

import re

_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_DIRECTION = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_ZERO_WIDTH = "\u00ad\u180e\u200b\u200c\u200d\u2028\u2029\u2060-\u2064\ufeff\U000e0000-\U000e007f"
_HIDDEN = re.compile(f"[{_CONTROLS}{_DIRECTION}{_ZERO_WIDTH}]")
_JOINER = "\u200d"
_EMOJI_BEFORE = re.compile("[\u2190-\u2bff\ufe0f\U0001f000-\U0001faff]")


def find_hidden(text: str) -> list[tuple[int, str]]:
    """Return (offset, character) of every hidden one. Newline and tab are none, nor is the joiner inside an emoji."""
    if text.isascii() and text.isprintable():
        return []
    return [(m.start(), m[0]) for m in _HIDDEN.finditer(text) if not _joins_emoji(text, m.start())]


def token(character: str) -> str:
    """Return how a hidden character is shown: `<U+202E>`."""
    return f"<U+{ord(character):04X}>"


def visible(text: str) -> str:
    """Return `text` with every hidden character as its token, in logical order; newline and tab stay."""
    if text.isascii() and text.isprintable():
        return text
    return _HIDDEN.sub(lambda m: m[0] if _joins_emoji(text, m.start()) else token(m[0]), text)


def _joins_emoji(text: str, at: int) -> bool:
    return text[at] == _JOINER and at > 0 and bool(_EMOJI_BEFORE.match(text[at - 1]))
