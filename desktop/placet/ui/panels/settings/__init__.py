"""Settings: providers and models, appearance, shortcuts."""

from placet.ui.panels.settings.page import SettingsPage

__all__ = ["SettingsPage"]
