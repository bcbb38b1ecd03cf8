"""Characters that a reader does not see, that change the order of what is read (Trojan Source), or that look like a
blank and are none. This is the only table of them.
"""

from __future__ import annotations

import re
from functools import cache

_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_DIRECTION = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u206a-\u206f"
_ZERO_WIDTH = "\u00ad\u034f\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2028\u2029\u2060-\u2065\ufeff\ufff9-\ufffb"
_EMPTY = "\u115f\u1160\u2800\u3164\uffa0"
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_MUSIC_AND_HIEROGLYPHS = "\U0001d173-\U0001d17a\U00013430-\U0001343f"
_TAGS = "\U000e0000-\U000e007f"
_NO_CHARACTERS = "\ud800-\udfff"  # bytes that could not be decoded

# Insides of a character class. A joiner or a selector that belongs to an emoji is no hidden one: see `is_part_of_emoji`.
HIDDEN = _CONTROLS + _DIRECTION + _ZERO_WIDTH + _EMPTY + _SELECTORS + _MUSIC_AND_HIEROGLYPHS + _TAGS + _NO_CHARACTERS
ODD_SPACES = "\u00a0\u2000-\u200a\u202f\u205f\u3000"

_HIDDEN = re.compile(f"[{HIDDEN}]")
_ODD_SPACE = re.compile(f"[{ODD_SPACES}]")
_EITHER = re.compile(f"[{HIDDEN}{ODD_SPACES}]")
_JOINER, _AS_PICTURE, _KEY = "\u200d", "\ufe0f", "\u20e3"
_PICTURE = re.compile("[\u2190-\u2bff\U0001f000-\U0001faff]")
_MAY_BE_SELECTED = (
    "[©®‼⁉™ℹ\u2190-\u2bff\u3030\u303d\u3400-\u9fff\uf900-\ufaff\U0001f000-\U0001faff\U00020000-\U0003ffff]"
)

# Each takes 4 ms to compile, and few starts of the program need one.


@cache
def _may_be_selected() -> re.Pattern[str]:
    return re.compile(_MAY_BE_SELECTED)


@cache
def _open_end() -> re.Pattern[str]:
    """What a joiner or selector that is still to come may make a picture of, with what already hangs on it."""
    return re.compile(f"(?:[0-9#*]|{_MAY_BE_SELECTED})[\u200d\ufe00-\ufe0f\u2190-\u2bff\U0001f000-\U0001faff]*\\Z")


def find_hidden(text: str) -> list[tuple[int, str]]:
    """Return (offset, character) of every hidden one. Newline and tab are none, nor is the joiner inside an emoji."""
    if text.isascii() and text.isprintable():
        return []
    return [(m.start(), m[0]) for m in _HIDDEN.finditer(text) if not is_part_of_emoji(text, m.start())]


def find_odd_spaces(text: str) -> list[str]:
    """Return the characters that look like a blank but are another one."""
    return [] if text.isascii() else _ODD_SPACE.findall(text)


def token(character: str) -> str:
    """Return how a hidden character is shown: `<U+202E>`."""
    return f"<U+{ord(character):04X}>"


def visible(text: str, *, spaces: bool = False) -> str:
    """Return `text` with every hidden character as its token, in logical order; newline and tab stay.

    With `spaces` odd spaces are tokens as well: for code and commands, where they mean something else than a blank.
    """
    if text.isascii() and text.isprintable():
        return text
    special = _EITHER if spaces else _HIDDEN
    return special.sub(lambda m: m[0] if is_part_of_emoji(text, m.start()) else token(m[0]), text)


def find_hidden_in_name(name: str) -> list[tuple[int, str]]:
    """As `find_hidden`; in the name of a file a newline and a tab are hidden ones too: it is read as one line."""
    if name.isascii() and name.isprintable():
        return []
    breaks = [(at, character) for at, character in enumerate(name) if character in "\n\t"]
    return sorted([*find_hidden(name), *breaks])


def visible_name(name: str) -> str:
    """Return the name of a file in one line, with every hidden character as its token."""
    return visible(name).replace("\n", token("\n")).replace("\t", token("\t"))


class VisibleStream:
    """`visible` for a text that arrives in pieces; an end that the next piece may change is held back."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> str:
        """Return what can be shown by now."""
        text = self._held + piece
        end = _open_end().search(text)
        cut = end.start() if end else len(text)
        self._held = text[cut:]
        return visible(text[:cut])

    def flush(self) -> str:
        """Return what was held back, as nothing follows."""
        rest, self._held = self._held, ""
        return visible(rest)


def is_part_of_emoji(text: str, at: int) -> bool:
    """Whether the joiner or variation selector at `at` makes the picture (or ideograph) that a reader sees."""
    character = text[at]
    if character == _JOINER:
        return 0 < at < len(text) - 1 and _ends_picture(text, at) and bool(_PICTURE.match(text[at + 1]))
    if not "\ufe00" <= character <= "\ufe0f" or at == 0:
        return False
    if character == _AS_PICTURE and text[at - 1] in "0123456789#*":
        return text[at + 1 : at + 2] == _KEY
    return bool(_may_be_selected().match(text[at - 1]))


def _ends_picture(text: str, at: int) -> bool:
    before = text[at - 2 : at - 1] if text[at - 1] == _AS_PICTURE else text[at - 1]
    return bool(_PICTURE.match(before))
