"""Actions and their keys: chosen, kept, refused, never twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from placet.ui.models.actions import Action, Actions, FixedKey, Refusal
from placet.ui.window_state import FilePreferences


@pytest.fixture
def preferences(tmp_path: Path) -> FilePreferences:
    return FilePreferences(tmp_path / "window.ini")


def make(preferences: FilePreferences) -> Actions:
    actions = [
        Action("new", "New", lambda: None, "Ctrl+N"),
        Action("find", "Find", lambda: None, "Ctrl+F"),
        Action("copy", "Copy", lambda: None),
    ]
    return Actions(actions, [FixedKey("Send at once", "Ctrl+Enter", ("Ctrl+Return",))], preferences)


def keys(actions: Actions) -> list[str]:
    return [actions.keys_of(each.id) for each in actions.all]


def test_d_7_chosen_keys_hold_after_a_restart(preferences: FilePreferences) -> None:
    make(preferences).choose("copy", "Ctrl+Shift+C")
    assert keys(make(preferences)) == ["Ctrl+N", "Ctrl+F", "Ctrl+Shift+C"]


def test_d_7_keys_taken_from_another_action_are_not_on_both(preferences: FilePreferences) -> None:
    actions = make(preferences)
    actions.choose("copy", "Ctrl+F")
    assert keys(actions) == ["Ctrl+N", "", "Ctrl+F"]
    assert keys(make(preferences)) == ["Ctrl+N", "", "Ctrl+F"]


def test_a_reset_gives_the_default_back_and_takes_it_from_whoever_has_it(preferences: FilePreferences) -> None:
    actions = make(preferences)
    actions.choose("copy", "Ctrl+F")
    actions.reset("find")
    assert keys(actions) == ["Ctrl+N", "Ctrl+F", ""]
    assert not actions.has_changes


def test_reset_all_leaves_nothing_changed(preferences: FilePreferences) -> None:
    actions = make(preferences)
    actions.choose("new", "F9")
    actions.choose("find", "")
    actions.reset_all()
    assert keys(make(preferences)) == ["Ctrl+N", "Ctrl+F", ""]


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        ("N", Refusal.TYPED),
        ("Shift+N", Refusal.TYPED),
        ("Space", Refusal.TYPED),
        ("Return", Refusal.TYPED),
        ("Ctrl+K, Ctrl+S", Refusal.TYPED),
        ("nonsense", Refusal.TYPED),
        ("Ctrl+Return", Refusal.FIXED),
    ],
)
def test_keys_that_write_or_are_taken_are_refused(preferences: FilePreferences, wanted: str, why: Refusal) -> None:
    actions = make(preferences)
    actions.choose("new", wanted)
    assert actions.refusal(wanted) is why
    assert actions.keys_of("new") == "Ctrl+N"


@pytest.mark.parametrize("wanted", ["F9", "Ctrl+9", "Alt+N", "Ctrl+Shift+Space", "Shift+F2"])
def test_other_keys_can_be_chosen(preferences: FilePreferences, wanted: str) -> None:
    actions = make(preferences)
    actions.choose("new", wanted)
    assert actions.keys_of("new") == wanted


@pytest.mark.parametrize(
    "stored",
    [
        "{",
        "[]",
        '"text"',
        '{"new": 5}',
        '{"gone": "F9"}',
        '{"new": "N"}',
        '{"new": "Ctrl+F"}',
        '{"new": "Ctrl+Return"}',
    ],
)
def test_a_damaged_choice_leaves_the_defaults(preferences: FilePreferences, stored: str) -> None:
    preferences.write("shortcuts", stored)
    assert keys(make(preferences)) == ["Ctrl+N", "Ctrl+F", ""]


def test_what_was_used_last_is_first_and_once(preferences: FilePreferences) -> None:
    actions = make(preferences)
    for name in ("new", "find", "new"):
        actions.remember(name)
    assert list(make(preferences).recent) == ["new", "find"]
