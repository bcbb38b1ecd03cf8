"""Settings: providers and models, appearance, agents, permissions, shortcuts."""

from placet.ui.panels.settings.page import SettingsPage

__all__ = ["SettingsPage"]
