"""Approve, and do not ask about more of the same for a while: what can be let pass, in words that say how much it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from placet.core.domain.review import BypassGrant, BypassScope, PendingRequest, RequestKind
from placet.ui.paths import from_home
from placet.ui.theme.theme import Theme
from placet.ui.widgets.diff.visible import shown
from placet.ui.widgets.menu import Menu

_tr = QCoreApplication.translate


def scopes_for(request: PendingRequest) -> Sequence[tuple[BypassScope, str]]:
    """What fits this request, from narrow to wide, each with what it lets pass."""
    tool = shown(request.tool)
    everything = (BypassScope.ALL, _tr("BypassMenu", "Everything in this chat that no rule denies"))
    if request.kind is RequestKind.COMMAND:
        place = shown(from_home(request.workdir)) if request.workdir else ""
        exact = _tr("BypassMenu", "Exactly this command in {}").format(place) if place else ""
        return (
            (BypassScope.COMMAND, exact or _tr("BypassMenu", "Exactly this command")),
            (BypassScope.CATEGORY, _tr("BypassMenu", "Any command, whatever it does")),
            everything,
        )
    if request.kind is RequestKind.WRITE:
        return (
            (BypassScope.TOOL, _tr("BypassMenu", "Any change by {}, of any file").format(tool)),
            (BypassScope.CATEGORY, _tr("BypassMenu", "Any change of any file")),
            everything,
        )
    found = [(BypassScope.TOOL, _tr("BypassMenu", "{}, with any arguments").format(tool))]
    if request.server:
        server = shown(request.server)
        found.append((BypassScope.SERVER, _tr("BypassMenu", "Any tool of {}").format(server)))
    return (*found, everything)


def times() -> Sequence[tuple[int | None, str]]:
    return (
        (15, _tr("BypassMenu", "for 15 minutes")),
        (60, _tr("BypassMenu", "for an hour")),
        (None, _tr("BypassMenu", "for this session")),
    )


def open_bypass_menu(
    request: PendingRequest, theme: Theme, above: QWidget, choose: Callable[[BypassGrant], None]
) -> Menu:
    """Show the choices; choosing one approves. The head of each group says what it lets pass."""
    menu = Menu(theme, above)
    menu.add_head(_tr("BypassMenu", "Approve this one, and do not ask about"))
    for scope, words in scopes_for(request):
        menu.addSeparator()
        menu.add_head(words)
        for minutes, label in times():
            grant = BypassGrant(scope=scope, minutes=minutes)
            action = menu.add(label, lambda grant=grant: choose(grant))  # type: ignore[misc]
            action.setToolTip(f"{words}, {label}")
    menu.open_above(above)
    return menu
