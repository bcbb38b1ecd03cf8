"""What the palette offers, and what it shows for the letters that were typed. No widgets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from placet.ui.models.fuzzy import match

_MOST_SHOWN = 60
_AS_GOOD = 5.0  # points that what was used recently is ahead


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing to do or to go to. `kind` is a word for what it is, "" for a command; `name` stays the same between runs."""

    name: str
    words: str
    kind: str
    act: Callable[[], object]
    icon: str = ""
    keys: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Offer:
    """An entry that is shown, with the letters of its words to mark."""

    entry: Entry
    places: frozenset[int] = frozenset()


class PaletteModel(QObject):
    """`gather` lists everything anew each time the palette opens; nothing is kept or watched in between."""

    changed = Signal()

    def __init__(
        self,
        gather: Callable[[], Sequence[Entry]],
        recent: Callable[[], Sequence[str]],
        remember: Callable[[str], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._gather, self._recent, self._remember = gather, recent, remember
        self._entries: Sequence[Entry] = ()
        self._ranks: dict[str, int] = {}
        self.offers: Sequence[Offer] = ()

    def begin(self) -> None:
        """List everything; what was used last comes first."""
        self._ranks = {name: rank for rank, name in enumerate(self._recent())}
        self._entries = sorted(self._gather(), key=self._rank)
        self.look_for("")

    def _rank(self, entry: Entry) -> int:
        return self._ranks.get(entry.name, len(self._ranks))

    def look_for(self, typed: str) -> None:
        """Show what the letters name, the best first; nothing typed: everything."""
        query = typed.strip()
        if not query:
            self.offers = [Offer(entry) for entry in self._entries[:_MOST_SHOWN]]
        else:
            found = [(each, entry) for entry in self._entries if (each := match(query, entry.words)) is not None]
            found.sort(key=lambda pair: pair[0].score + _AS_GOOD * (pair[1].name in self._ranks), reverse=True)
            self.offers = [Offer(entry, each.places) for each, entry in found[:_MOST_SHOWN]]
        self.changed.emit()

    def take(self, index: int) -> Callable[[], object]:
        """Remember the one at `index` as used, and return what it does."""
        entry = self.offers[index].entry
        self._remember(entry.name)
        return entry.act
