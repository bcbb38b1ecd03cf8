"""How the window looks."""

from __future__ import annotations

from PySide6.QtWidgets import QButtonGroup, QWidget

from placet.ui.look import Look
from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Label
from placet.ui.widgets.plane import column_of
from placet.ui.widgets.rows import ChoiceRow
from placet.ui.window_appearance import Appearance


class AppearanceSection(QWidget):
    """Each choice holds at once."""

    def __init__(self, appearance: Appearance, theme: Theme) -> None:
        super().__init__()
        rows = {
            Look.SYSTEM: ChoiceRow(self.tr("Follow the system"), self.tr("Changes when the system does"), theme),
            Look.LIGHT: ChoiceRow(self.tr("Light"), self.tr("Dark text on white"), theme),
            Look.DARK: ChoiceRow(self.tr("Dark"), self.tr("Light text on near black"), theme),
        }
        rows[Look.SYSTEM].mark_end(first=True)
        rows[Look.DARK].mark_end(last=True)
        group = QButtonGroup(self)
        for look, row in rows.items():
            group.addButton(row)
            row.setObjectName(f"look-{look}")
            row.setChecked(look is appearance.choice)
            row.clicked.connect(lambda _=False, look=look: appearance.choose(look))
        appearance.chosen.connect(lambda look: rows[Look(look)].setChecked(True))
        title = Label(self.tr("Appearance"), theme, px=20, weight=600)
        column_of(title, 16, *rows.values(), None, parent=self)
