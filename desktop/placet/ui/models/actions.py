"""What can be done in the window, by name: the one list behind shortcuts, palette and the Shortcuts page (`D-7`)."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import QKeyCombination, QObject, Qt, Signal
from PySide6.QtGui import QKeySequence

from placet.ui.window_state import Preferences

_KEYS, _RECENT = "shortcuts", "recent_actions"
_MOST_RECENT = 6
_NATIVE = QKeySequence.SequenceFormat.NativeText
_PORTABLE = QKeySequence.SequenceFormat.PortableText
_MODIFIERS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier


@dataclass(frozen=True, slots=True)
class Action:
    """Something a person can do anywhere in the window. `keys` are the default ones, as in "Ctrl+N"; "" for none."""

    id: str
    words: str
    act: Callable[[], object]
    keys: str = ""
    icon: str = "corner-down-right"
    also: str = ""  # the same stroke on other keyboards, while the action has its default keys


@dataclass(frozen=True, slots=True)
class FixedKey:
    """A key of one part of the window, which that part takes itself and which cannot be changed.

    `taken` are the key combinations of it that no action may have, as in "Ctrl+Return".
    """

    words: str
    keys: str
    taken: Sequence[str] = ()


class Refusal(Enum):
    """Why keys cannot be given to an action."""

    TYPED = "typed"  # they write text
    FIXED = "fixed"  # a part of the window takes them itself


class Actions(QObject):
    """The actions, which keys they have now, and which were used last. Two never have the same keys."""

    changed = Signal()  # some keys

    def __init__(
        self,
        actions: Sequence[Action],
        fixed: Sequence[FixedKey],
        preferences: Preferences,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.all, self.fixed = tuple(actions), tuple(fixed)
        self._preferences = preferences
        self._by_id = {action.id: action for action in self.all}
        self._taken = {canonical(keys): each for each in fixed for keys in each.taken}
        self._chosen = self._read_chosen()

    # ---- doing ---------------------------------------------------------------------------------------------------

    def run(self, action_id: str) -> None:
        self._by_id[action_id].act()

    @property
    def recent(self) -> Sequence[str]:
        """Names of what the palette was used for, newest first."""
        return [name for name in self._preferences.read(_RECENT).split("\n") if name]

    def remember(self, name: str) -> None:
        """Put `name` first among the recent ones."""
        names = [name, *(each for each in self.recent if each != name)]
        self._preferences.write(_RECENT, "\n".join(names[:_MOST_RECENT]))

    # ---- keys ----------------------------------------------------------------------------------------------------

    def keys_of(self, action_id: str) -> str:
        """The keys that do it now, as in "Ctrl+N"; "" for none."""
        return self._chosen.get(action_id, canonical(self._by_id[action_id].keys))

    def strokes_of(self, action_id: str) -> Sequence[str]:
        """All that does it now: its keys, and what stands for them on other keyboards where that is free."""
        also, keys = self._by_id[action_id].also, self.keys_of(action_id)
        if also and not self.is_changed(action_id) and self.user_of(also) is None:
            return (keys, canonical(also))
        return (keys,) if keys else ()

    def is_changed(self, action_id: str) -> bool:
        return action_id in self._chosen

    @property
    def has_changes(self) -> bool:
        return bool(self._chosen)

    def user_of(self, keys: str) -> Action | None:
        """The action that has these keys now."""
        wanted = canonical(keys)
        return next((each for each in self.all if wanted and self.keys_of(each.id) == wanted), None)

    def fixed_user_of(self, keys: str) -> FixedKey | None:
        """The part of the window that takes these keys itself."""
        return self._taken.get(canonical(keys))

    def refusal(self, keys: str) -> Refusal | None:
        """Why no action can have these keys; None where one can."""
        if canonical(keys) in self._taken:
            return Refusal.FIXED
        return None if _is_command(keys) else Refusal.TYPED

    def choose(self, action_id: str, keys: str) -> None:
        """Give keys to an action, "" for none; another one that has them loses them. Refused ones change nothing."""
        if keys and self.refusal(keys) is not None:
            return
        other = self.user_of(keys)
        if other is not None and other.id != action_id:
            self._set(other.id, "")
        self._set(action_id, canonical(keys))
        self._keep()

    def reset(self, action_id: str) -> None:
        """Give an action its default keys again, and take them from whoever has them."""
        self.choose(action_id, self._by_id[action_id].keys)

    def reset_all(self) -> None:
        self._chosen.clear()
        self._keep()

    def _set(self, action_id: str, keys: str) -> None:
        if keys == canonical(self._by_id[action_id].keys):
            self._chosen.pop(action_id, None)
        else:
            self._chosen[action_id] = keys

    def _keep(self) -> None:
        self._preferences.write(_KEYS, json.dumps(self._chosen) if self._chosen else "")
        self.changed.emit()

    def _read_chosen(self) -> dict[str, str]:
        """What was chosen. A damaged file, an unknown action and keys that cannot be are left out."""
        try:
            stored = json.loads(self._preferences.read(_KEYS) or "{}")
        except ValueError:
            return {}
        pairs = stored.items() if isinstance(stored, dict) else ()
        sound = {
            name: canonical(keys)
            for name, keys in pairs
            if name in self._by_id and isinstance(keys, str) and (not keys or self.refusal(keys) is None)
        }
        used = [canonical(each.keys) for each in self.all if each.keys and each.id not in sound]
        kept: dict[str, str] = {}
        for name, keys in sound.items():
            if not keys or keys not in used:
                kept[name] = keys
                used.append(keys)
        return kept


def canonical(keys: str) -> str:
    """The one way in which keys are written here."""
    return QKeySequence(keys).toString(_PORTABLE)


def spoken(keys: str) -> str:
    """Keys as the platform writes them."""
    return QKeySequence(keys).toString(_NATIVE)


def _is_command(keys: str) -> bool:
    """Whether this is one stroke that writes nothing: with Ctrl, Alt or Meta, or a function key."""
    sequence = QKeySequence(keys)
    if sequence.count() != 1:
        return False
    stroke: QKeyCombination = sequence[0]  # type: ignore[index]  # the stubs do not know it
    is_function_key = Qt.Key.Key_F1 <= stroke.key() <= Qt.Key.Key_F35
    return stroke.key() != Qt.Key.Key_unknown and (is_function_key or bool(stroke.keyboardModifiers() & _MODIFIERS))
