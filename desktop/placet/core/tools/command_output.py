"""Output of a command as a model gets it: clean text of bounded size, whatever the bytes are."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable

import msgspec

from placet.core.domain.tools import Remainder
from placet.core.tools.remainders import RemainderWriter

MAX_BYTES = 100_000
_HALF = MAX_BYTES // 2
_SAMPLE = 65_536
_LONGEST_LINE = 65_536  # a line longer than this is passed on in parts, so that it costs no memory

_ANSI = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours and cursor movements
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?"  # titles, links and other strings
    r"|\x1b[ -/]*[0-~]"
)
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f]")
_PICTURES = {code: 0x2400 + code for code in (*range(9), *range(14, 32))} | {0x7F: 0x2421}
_SUSPICIOUS = re.compile("[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f\ufffd]")


class Captured(msgspec.Struct, frozen=True):
    """What is left for the model: all of it in `head`, or head and tail. Both are empty where the output was binary.

    `left_out` says how much is between them, and `remainder` then has the whole text.
    """

    lines: int
    size_bytes: int
    is_binary: bool
    head: str = ""
    tail: str = ""
    left_out: str = ""
    remainder: Remainder | None = None

    def text(self, reference: str = "") -> str:
        """The text for the model; `reference` is where it can read what was left out."""
        if not self.left_out:
            return self.head
        is_cut = self.remainder is not None and self.remainder.is_cut
        what = "shows the first 16 MB" if is_cut else "shows it"
        where = f'; read_output with ref "{reference}" {what}' if reference else ""
        return f"{self.head}\n[… {self.left_out} left out{where} …]\n{self.tail}"


class CommandOutput:
    """Takes output as it comes, in one thread. `on_text` gets it decoded and with its colours, for the window."""

    def __init__(self, on_text: Callable[[str], None]) -> None:
        self._on_text = on_text
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._kept = _HeadAndTail()
        self._line = ""
        self._size = self._lines = self._sampled = self._suspicious = 0

    def feed(self, chunk: bytes) -> None:
        self._size += len(chunk)
        self._take(self._decoder.decode(chunk))

    def finish(self) -> Captured:
        """Return what was captured; nothing may be fed afterwards."""
        self._take(self._decoder.decode(b"", final=True))
        self._keep(self._line)
        self._lines += bool(self._line)
        if self._is_binary:
            return Captured(self._lines, self._size, is_binary=True)
        head, tail, left_out = self._kept.parts()
        return Captured(
            self._lines,
            self._size,
            is_binary=False,
            head=head,
            tail=tail,
            left_out=left_out,
            remainder=self._kept.remainder(),
        )

    @property
    def _is_binary(self) -> bool:
        """Nearly a third of unreadable characters at the beginning; a few wrong bytes in a text are none."""
        return self._sampled > 0 and self._suspicious > 0.3 * self._sampled

    def _take(self, text: str) -> None:
        if not text:
            return
        if self._sampled < _SAMPLE:
            self._sampled += len(text)
            self._suspicious += len(_SUSPICIOUS.findall(text))
        if not self._is_binary:
            self._on_text(text.replace("\0", "\u2400"))
        self._line += text
        whole, newline, self._line = self._line.rpartition("\n")
        if newline:
            self._lines += whole.count("\n") + 1
            self._keep(whole + newline)
        if len(self._line) > _LONGEST_LINE:
            # Of a line that overwrites itself only what comes after the last return can stay.
            over = self._line.rfind("\r", 0, -1)
            if over > 0:
                self._line = self._line[over:]
            else:
                self._keep(self._line)
                self._line = ""

    def _keep(self, text: str) -> None:
        if not self._is_binary:
            self._kept.add(for_model(text).encode("utf-8", "replace"))


def for_model(text: str) -> str:
    """Return text without colours, with lines that overwrote themselves in their last state, controls made visible."""
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    if "\r" in text:
        text = "\n".join(map(_overwritten, text.split("\n")))
    # Translating is four times faster than searching in plain ASCII, and ten times slower elsewhere.
    if text.isascii():
        return text.translate(_PICTURES)
    return _CONTROL.sub(lambda found: chr(_PICTURES[ord(found[0])]), text)


def _overwritten(line: str) -> str:
    """Return what a terminal would show in the end of a line with carriage returns."""
    return next((part for part in reversed(line.split("\r")) if part), "")


class _HeadAndTail:
    """The first and the last 50 KB of a stream of bytes, the count of those between, and the whole of it compressed."""

    def __init__(self) -> None:
        self._head, self._tail = bytearray(), bytearray()
        self._dropped = self._dropped_lines = 0
        self._whole: RemainderWriter | None = None

    def add(self, data: bytes) -> None:
        if self._whole is not None:
            self._whole.add(data)
        elif len(self._head) + len(self._tail) + len(data) > MAX_BYTES:
            self._whole = RemainderWriter()
            for part in (self._head, self._tail, data):
                self._whole.add(part)
        room = _HALF - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        if len(self._tail) > 4 * _HALF:
            self._trim()

    def _trim(self) -> None:
        over = len(self._tail) - _HALF
        if over > 0:
            self._dropped += over
            self._dropped_lines += self._tail.count(b"\n", 0, over)
            del self._tail[:over]

    def parts(self) -> tuple[str, str, str]:
        """Head, tail, and in words what is between them; the last two are empty where nothing is."""
        self._trim()
        if not self._dropped:
            return (self._head + self._tail).decode("utf-8", "replace"), "", ""
        # Cut inside a character at both borders: the broken halves are dropped.
        head, tail = self._head.decode("utf-8", "ignore"), self._tail.decode("utf-8", "ignore")
        return head, tail, f"{self._dropped:,} bytes ({self._dropped_lines:,} lines)"

    def remainder(self) -> Remainder | None:
        self._trim()
        return self._whole.finish() if self._whole is not None and self._dropped else None
