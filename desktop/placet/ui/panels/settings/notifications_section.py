"""Whether the system tells of what waits while another window is in front."""

from __future__ import annotations

from PySide6.QtWidgets import QButtonGroup, QWidget

from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Label
from placet.ui.widgets.plane import column_of
from placet.ui.widgets.rows import ChoiceRow
from placet.ui.window_notifying import Notifying


class NotificationsSection(QWidget):
    """Each choice holds at once. The count in the sidebar and on the icons is there in any case."""

    def __init__(self, notifying: Notifying, theme: Theme) -> None:
        super().__init__()
        self.on = ChoiceRow(
            self.tr("Notify me"),
            self.tr("When something begins to wait for you and another window is in front; one for several at once"),
            theme,
        )
        self.off = ChoiceRow(self.tr("Stay silent"), self.tr("The number at the Inbox says how much waits"), theme)
        self.on.mark_end(first=True)
        self.off.mark_end(last=True)
        group = QButtonGroup(self)
        for row, choice in ((self.on, True), (self.off, False)):
            group.addButton(row)
            row.setChecked(notifying.is_on is choice)
            row.clicked.connect(lambda _=False, choice=choice: notifying.choose(choice))
        title = Label(self.tr("Notifications"), theme, px=20, weight=600)
        column_of(title, 16, self.on, self.off, None, parent=self)
