"""Colours for code: pygments, loaded when the first code is seen, never guessing a language.

`colour_runs` is pure. `Highlighter` keeps what takes longer than a frame out of the paint path (`D-3`).
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict, deque
from functools import cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

if TYPE_CHECKING:
    from pygments.lexer import Lexer
    from pygments.token import _TokenType

log = logging.getLogger(__name__)

Lines = tuple[tuple[tuple[str, str], ...], ...]
"""One entry a line, each of (text, colour role)."""

Key = tuple[str, str]
"""(language, code)."""

FETCH_MS = 12
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
def _role(kind: _TokenType) -> str:
    from pygments.token import Token, is_token_subtype

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
        if is_token_subtype(kind, parent):
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


def safe_runs(code: str, language: str) -> Lines | None:
    """Colours, or none where a grammar fails: they are a hundred small programs of others, and only decoration."""
    try:
        return colour_runs(code, language)
    except Exception:
        log.exception("the grammar of %s failed", language)
        return None


class Highlighter(QObject):
    """Gives colours at once where that is cheap, else later: `ready` says that something arrived.

    Lives on the interface thread. Its worker is a plain thread that knows nothing of Qt and ends when there is
    nothing left to do; its results are fetched by a timer that runs only meanwhile.
    """

    ready = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._known: OrderedDict[Key, Lines | None] = OrderedDict()
        self._asked: set[Key] = set()
        self._loaded: set[str] = set()
        self._worker = _Worker()
        self._fetching = QTimer(self)
        self._fetching.setInterval(FETCH_MS)
        self._fetching.timeout.connect(self._fetch)

    def lines(self, code: str, language: str) -> Lines | None:
        """The colours, or None while there are none: unknown language, too long, or still being made."""
        if not language or len(code) > LONGEST:
            return None
        key = (language, code)
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key]
        if language in self._loaded and len(code) <= INLINE:
            self._keep(key, safe_runs(code, language))
            return self._known[key]
        if key not in self._asked:
            self._asked.add(key)
            self._worker.ask(key)
            self._fetching.start()
        return None

    @property
    def is_busy(self) -> bool:
        return bool(self._asked)

    def _fetch(self) -> None:
        made = self._worker.take()
        for key, lines in made:
            self._asked.discard(key)
            self._loaded.add(key[0])
            self._keep(key, lines)
        if not self._asked:
            self._fetching.stop()
        if made:
            self.ready.emit()

    def _keep(self, key: Key, lines: Lines | None) -> None:
        self._known[key] = lines
        while len(self._known) > KEPT:
            self._known.popitem(last=False)


class _Worker:
    """One thread at most, alive only while something is asked for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[Key] = deque()
        self._made: list[tuple[Key, Lines | None]] = []
        self._is_running = False

    def ask(self, key: Key) -> None:
        with self._lock:
            self._waiting.append(key)
            if self._is_running:
                return
            self._is_running = True
        threading.Thread(target=self._work, name="code colours", daemon=True).start()

    def take(self) -> list[tuple[Key, Lines | None]]:
        with self._lock:
            made, self._made = self._made, []
        return made

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._is_running = False
                    return
                key = self._waiting.popleft()
            lines = safe_runs(key[1], key[0])
            with self._lock:
                self._made.append((key, lines))
