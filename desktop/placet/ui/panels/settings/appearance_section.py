"""How the window looks."""

from __future__ import annotations

from PySide6.QtWidgets import QButtonGroup, QWidget

from placet.ui.look import Look
from placet.ui.text_choices import SYSTEM, ZOOMS
from placet.ui.theme.fonts import families
from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Button, Label
from placet.ui.widgets.fields import Select
from placet.ui.widgets.plane import column_of, row_of
from placet.ui.widgets.rows import ChoiceRow
from placet.ui.window_appearance import Appearance


class AppearanceSection(QWidget):
    """Light and dark hold at once, size and letters from the next start on."""

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
        size = self._make_size(appearance, theme)
        column_of(title, 16, *rows.values(), 24, size, None, parent=self)

    def _make_size(self, appearance: Appearance, theme: Theme) -> QWidget:
        """Zoom and fonts."""
        zooms = [(str(each), f"{each} %") for each in ZOOMS]
        self.zoom = Select(self.tr("Zoom"), zooms, theme)
        self.zoom.setObjectName("zoom")
        self.zoom.choose(str(appearance.zoom))
        self.zoom.chosen.connect(lambda percent: appearance.choose_zoom(int(percent)))
        appearance.zoom_chosen.connect(lambda percent: self.zoom.choose(str(percent)))
        system = (SYSTEM, self.tr("The system's"))
        ui = [("", "Inter"), system, *((name, name) for name in families(is_fixed=False))]
        mono = [("", "JetBrains Mono"), system, *((name, name) for name in families(is_fixed=True))]
        self.ui_font = Select(self.tr("Font for text"), ui, theme)
        self.mono_font = Select(self.tr("Font for code"), mono, theme)
        of_ui, of_mono = appearance.fonts
        self.ui_font.choose(of_ui if of_ui in dict(ui) else "")
        self.mono_font.choose(of_mono if of_mono in dict(mono) else "")
        self.ui_font.chosen.connect(appearance.choose_ui_font)
        self.mono_font.chosen.connect(appearance.choose_mono_font)
        words = Label(self.tr("These hold from the next start on, which comes back to this page."), theme, "text-2", 12)
        words.setWordWrap(True)
        self.restart = Button(self.tr("Start again now"), theme, icon="refresh-cw")
        self.restart.setObjectName("startAgain")
        self.restart.clicked.connect(appearance.restart_requested)
        rows = [
            self._line(label, field, theme)
            for label, field in (
                (self.tr("Zoom"), self.zoom),
                (self.tr("Font for text"), self.ui_font),
                (self.tr("Font for code"), self.mono_font),
            )
        ]
        size = QWidget()
        head = Label(self.tr("Size and letters"), theme, px=14, weight=600)
        column_of(
            head,
            2,
            words,
            10,
            rows[0],
            6,
            rows[1],
            6,
            rows[2],
            12,
            row_of(None, self.restart, margins=(0, 0, 2, 0)),
            parent=size,
        )
        return size

    def _line(self, label: str, field: Select, theme: Theme) -> QWidget:
        line = QWidget()
        field.setFixedWidth(260)
        row_of(Label(label, theme), None, field, margins=(2, 2, 0, 2), parent=line)
        return line
