"""First start: three steps, each skippable, or a demo."""

from placet.ui.panels.first_start.page import FirstStart

__all__ = ["FirstStart"]
