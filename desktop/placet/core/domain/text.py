"""Text as the rest of the program may rely on it: always encodable as UTF-8."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Sequence

_SURROGATES = re.compile("[\ud800-\udfff]")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def clean_text(text: str) -> str:
    """Join split surrogate pairs and replace lone surrogates by U+FFFD.

    JSON may carry half of an emoji in each of two deltas, or a lone half from binary text. Python accepts
    both, and the first encoding later would raise.
    """
    if not _SURROGATES.search(text):
        return text
    joined = _PAIR.sub(lambda m: m[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)
    return _SURROGATES.sub("\N{REPLACEMENT CHARACTER}", joined)


class TextJoiner:
    """Cleans text that arrives in pieces: half a surrogate pair waits for its other half."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> str:
        """Return what of `piece` (and of what was held before) is complete."""
        if piece.isascii() and not self._held:
            return piece
        text = self._held + piece
        self._held = ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._held = text[:-1], text[-1]
        return clean_text(text)

    def finish(self) -> str:
        """Return what is still held, replaced; call once at the end."""
        held, self._held = self._held, ""
        return clean_text(held)


def folded(text: str) -> str:
    """Return what two texts have in common that differ only in case or in how their letters are composed."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def first_line(text: str, limit: int = 80) -> str:
    """Return the first non-blank line, cut to `limit` characters with an ellipsis."""
    line = next((part.strip() for part in text.splitlines() if part.strip()), "")
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def nearest(name: str, known: Sequence[str]) -> str:
    """Return the known name that was probably meant, empty where none is near."""
    return next(iter(difflib.get_close_matches(name, known, 1, 0.5)), "")
