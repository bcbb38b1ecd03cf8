"""Colours for code: pygments, loaded when the first code is seen, never guessing a language.

`colour_runs` is pure. `Highlighter` keeps what takes longer than a frame out of the paint path (`D-3`).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRunnable, Qt, QThreadPool, Signal

if TYPE_CHECKING:
    from pygments.lexer import Lexer

Lines = tuple[tuple[tuple[str, str], ...], ...]
"""One entry a line, each of (text, colour role)."""

INLINE = 1500
LONGEST = 300_000
KEPT = 128


@cache
def _lexer(language: str) -> Lexer | None:
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


@cache
def _role(kind: object) -> str:
    from pygments.token import Token, _TokenType

    assert isinstance(kind, _TokenType)
    for parent, role in (
        (Token.Keyword, "syn-keyword"),
        (Token.Operator.Word, "syn-keyword"),
        (Token.Literal.String, "syn-string"),
        (Token.Literal.Number, "syn-number"),
        (Token.Comment, "syn-comment"),
        (Token.Name.Function, "syn-name"),
        (Token.Name.Class, "syn-name"),
        (Token.Name.Tag, "syn-name"),
    ):
        if kind in parent:
            return role
    return "text"


def colour_runs(code: str, language: str) -> Lines | None:
    """Runs whose texts, joined by line ends, are `code`; None where the language is not known."""
    lexer = _lexer(language.lower()) if language else None
    if lexer is None:
        return None
    lines: list[list[tuple[str, str]]] = [[]]
    for _at, kind, value in lexer.get_tokens_unprocessed(code):
        role = _role(kind)
        for index, part in enumerate(value.split("\n")):
            if index:
                lines.append([])
            if part:
                lines[-1].append((part, role))
    return tuple(tuple(line) for line in lines)


class Highlighter(QObject):
    """Gives colours at once where that is cheap, else later: `ready` says that something arrived.

    Lives on the interface thread; closing it is not needed, a result that comes too late is dropped with it.
    """

    ready = Signal()
    _made = Signal(str, str, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._known: OrderedDict[tuple[str, str], Lines | None] = OrderedDict()
        self._asked: set[tuple[str, str]] = set()
        self._loaded: set[str] = set()
        self._made.connect(self._keep, Qt.ConnectionType.QueuedConnection)

    def lines(self, code: str, language: str) -> Lines | None:
        """The colours, or None while there are none: unknown language, too long, or still being made."""
        if not language or len(code) > LONGEST:
            return None
        key = (language, code)
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key]
        if language in self._loaded and len(code) <= INLINE:
            self._store(key, colour_runs(code, language))
            return self._known[key]
        if key not in self._asked:
            self._asked.add(key)
            QThreadPool.globalInstance().start(_Job(code, language, self._made.emit))
        return None

    def _keep(self, code: str, language: str, lines: Lines | None) -> None:
        self._asked.discard((language, code))
        self._loaded.add(language)
        self._store((language, code), lines)
        self.ready.emit()

    def _store(self, key: tuple[str, str], lines: Lines | None) -> None:
        self._known[key] = lines
        while len(self._known) > KEPT:
            self._known.popitem(last=False)


class _Job(QRunnable):
    def __init__(self, code: str, language: str, done: Callable[[str, str, object], None]) -> None:
        super().__init__()
        self._code, self._language, self._done = code, language, done

    def run(self) -> None:
        lines = colour_runs(self._code, self._language)
        try:
            self._done(self._code, self._language, lines)
        except RuntimeError:
            return  # the view is gone, and its signal with it
