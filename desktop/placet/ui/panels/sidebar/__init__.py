"""The sidebar: places, recent sessions, search over everything."""

from placet.ui.panels.sidebar.search_page import SearchPage
from placet.ui.panels.sidebar.sidebar import Sidebar

__all__ = ["SearchPage", "Sidebar"]
