"""`D-8` on every page: each control has a name and a role, is reached by Tab in a sensible order, and can be read."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QRadioButton, QScrollArea, QScrollBar, QWidget

from placet.core.domain.messages import Role
from placet.ui.theme.tokens import color_tokens
from placet.ui.widgets import accessible
from placet.ui.window import MainWindow
from support.window_hub import WindowHub

from .conftest import OpenWindow, until

MOST_STEPS = 200
# A screen reader takes a scroll area for what is in it; all else that can have the keyboard says what it is.
SILENT = {QAccessible.Role.NoRole, QAccessible.Role.Client, QAccessible.Role.Window}


def _go_to(place: str) -> Callable[[MainWindow], None]:
    return lambda window: window.places.go_to(place)


def _section(index: int) -> Callable[[MainWindow], None]:
    def show(window: MainWindow) -> None:
        window.places.go_to("settings")
        window.pages.settings.show_section(index)

    return show


PAGES: dict[str, Callable[[MainWindow], None]] = {
    **{place: _go_to(place) for place in ("chat", "search", "inbox", "changes")},
    **{f"settings {index}": _section(index) for index in range(6)},
    "find": lambda window: window.places.find_in_chat(),
    "first start": lambda window: window.begin_first_start(),
}


@pytest.fixture(scope="module", autouse=True)
def painted_items_are_told() -> None:
    """As the program does at its start; it cannot be taken back."""
    accessible.install()


@pytest.fixture(params=PAGES)
async def window(request: pytest.FixtureRequest, hub: WindowHub, open_window: OpenWindow) -> MainWindow:
    session = hub.add_session("desktop-1", title="A chat")
    hub.add_message(session, Role.USER, "hello")
    hub.add_message(session, Role.ASSISTANT, "Good day.")
    made = await open_window()
    made.places.open_session(session)
    await until(lambda: made.chat.transcript.message_count() > 0)
    PAGES[request.param](made)
    return made


def controls(window: MainWindow) -> list[QWidget]:
    """What can be seen and have the keyboard."""
    return [
        each
        for each in window.findChildren(QWidget)
        if each.isVisible() and each.isEnabled() and each.focusPolicy() & Qt.FocusPolicy.TabFocus
        if each.focusProxy() is None and not isinstance(each, QScrollBar)
    ]


def told(widget: QWidget) -> str:
    return f"{type(widget).__name__} {widget.objectName()} “{widget.accessibleName()}”"


def ground_of(widget: QWidget, window: MainWindow) -> QWidget:
    """What scrolls with the widget, else the window."""
    above = widget.parentWidget()
    while above is not None:
        area = above.parentWidget().parentWidget() if above.parentWidget() is not None else None
        if isinstance(area, QScrollArea) and area.widget() is above:
            return above
        above = above.parentWidget()
    return window


def place_of(widget: QWidget, window: MainWindow) -> QRect:
    return QRect(widget.mapTo(ground_of(widget, window), widget.rect().topLeft()), widget.size())


def walked(window: MainWindow) -> list[QWidget]:
    """Where Tab leads, once round."""
    seen: list[QWidget] = []
    for _ in range(MOST_STEPS):
        focused = QApplication.focusWidget() or window
        QTest.keyClick(focused, Qt.Key.Key_Tab)
        now = QApplication.focusWidget()
        if now is None or now is focused:
            continue
        if seen and now is seen[0]:
            return seen
        if now not in seen:
            seen.append(now)
    return seen


async def test_d_8_every_control_has_a_name_and_a_role(window: MainWindow) -> None:
    silent = []
    for control in controls(window):
        interface = QAccessible.queryAccessibleInterface(control)
        is_silent = interface.role() in SILENT and not isinstance(control, QScrollArea)
        if is_silent or not interface.text(QAccessible.Text.Name):
            silent.append(f"{told(control)}: {interface.role()}")
    assert silent == []


async def test_d_8_tab_reaches_every_control(window: MainWindow) -> None:
    reached = walked(window)
    groups = {each.group() for each in reached if isinstance(each, QRadioButton)}
    missed = [
        told(each)
        for each in controls(window)
        if each not in reached and not (isinstance(each, QRadioButton) and each.group() in groups)
    ]
    assert missed == []


async def test_d_8_tab_goes_down_the_page_and_to_the_right(window: MainWindow) -> None:
    ring = walked(window)
    sidebar = [each for each in ring if window.sidebar.isAncestorOf(each)]
    begin = (ring.index(sidebar[-1]) + 1) if sidebar else 0
    order = [each for each in ring[begin:] + ring[:begin] if each not in sidebar]
    back = []
    for one, other in itertools.pairwise(order):
        if ground_of(one, window) is ground_of(other, window):
            a, b = place_of(one, window), place_of(other, window)
            if b.bottom() < a.top() and b.left() < a.right():
                back.append(f"{told(one)} -> {told(other)}")
    assert back == []


async def test_d_8_the_sidebar_is_walked_in_one_go(window: MainWindow) -> None:
    is_in_sidebar = [window.sidebar.isAncestorOf(each) for each in walked(window)]
    runs = [inside for inside, _ in itertools.groupby(is_in_sidebar)]
    assert runs.count(True) <= (2 if is_in_sidebar[:1] == [True] else 1)


@pytest.mark.parametrize("theme_name", ["light", "dark"])
@pytest.mark.parametrize(
    ("ink", "grounds"),
    [
        ("text", "bg surface surface-2 raised sidebar hover hover-sidebar press selected-sidebar accent-bg"),
        ("text-2", "bg surface surface-2 raised sidebar hover hover-sidebar press accent-bg"),
        ("text-3", "bg surface raised sidebar"),
        ("accent-text", "bg surface raised accent-bg"),
        ("on-accent", "accent accent-hover accent-press"),
        ("on-accent-2", "accent accent-hover accent-press"),
        ("warn-text", "bg raised sidebar warn-bg"),
        ("danger-text", "bg raised danger-bg"),
        ("info-text", "bg raised info-bg"),
        ("add-text", "bg raised surface"),
        ("del-text", "bg raised surface"),
        ("text", "selection match match-now warn-bg danger-bg info-bg add-bg add-mark del-bg del-mark"),
    ],
)
def test_d_8_texts_stand_out_from_what_is_behind_them(theme_name: str, ink: str, grounds: str) -> None:
    tokens = color_tokens()[theme_name]
    faint = {ground: contrast(tokens[ink], tokens[ground]) for ground in grounds.split()}
    assert {ground: ratio for ground, ratio in faint.items() if ratio < 4.5} == {}


def contrast(ink: str, ground: str) -> float:
    """The ratio of WCAG 2."""
    light, dark = sorted((_luminance(ink), _luminance(ground)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(color: str) -> float:
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
