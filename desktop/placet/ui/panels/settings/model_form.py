"""The fields of a model: which one, under what name, and how much fits into it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from PySide6.QtCore import Signal
from PySide6.QtGui import QIntValidator
from PySide6.QtWidgets import QGridLayout, QWidget

from placet.core.domain.errors import PlacetError
from placet.core.domain.model_calls import Model, Provider
from placet.ui.models.settings import CatalogueModel
from placet.ui.theme.theme import Theme
from placet.ui.widgets.banner import Banner
from placet.ui.widgets.controls import Button, Label
from placet.ui.widgets.fields import Select, TextField
from placet.ui.widgets.menu import Menu
from placet.ui.widgets.plane import column_of, row_of
from placet.ui.widgets.rows import Card


class ModelForm(Card):
    """Adds a model or edits one. `saved` after the catalogue took it, `left` when it is given up."""

    saved = Signal()
    left = Signal()

    def __init__(self, catalogue: CatalogueModel, theme: Theme) -> None:
        super().__init__(theme, "surface")
        self.setObjectName("modelForm")
        self._catalogue = catalogue
        self._base: Model | None = None
        self.provider = Select(self.tr("Provider"), [], theme)
        self.model_id = TextField(self.tr("Model id"), hint=self.tr("as the provider calls it"), mono=True)
        self.fetch = Button(self.tr("Fetch list"), theme, icon="refresh-cw", weight=400)
        self.name = TextField(self.tr("Name"), hint=self.tr("as you want to call it"))
        self.window_size = self._number(self.tr("Context length"))
        self.max_output = self._number(self.tr("Max output"))
        self.save = Button(self.tr("Save"), theme, kind="primary")
        self.cancel = Button(self.tr("Cancel"), theme, kind="ghost")
        self.banner = Banner(theme, closable=False)
        self._lay_out()
        self.fetch.clicked.connect(self._fetch)
        self.save.clicked.connect(self._save)
        self.cancel.clicked.connect(self.left)
        self.model_id.textEdited.connect(self._on_id_edited)

    def _number(self, name: str) -> TextField:
        field = TextField(name, hint=self.tr("unknown"))
        field.setValidator(QIntValidator(1, 100_000_000, field))
        return field

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        id_row = QWidget()
        row_of(self.model_id, 8, self.fetch, parent=id_row)
        cells = [
            (0, 0, self.tr("Provider"), self.provider), (0, 2, self.tr("Model id"), id_row),
            (1, 0, self.tr("Name"), self.name), (1, 2, self.tr("Context length"), self.window_size),
            (2, 2, self.tr("Max output"), self.max_output),
        ]  # fmt: skip
        for row, column, words, field in cells:
            grid.addWidget(Label(words, self._theme, "text-2", 12), row, column)
            grid.addWidget(field, row, column + 1)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(3, 1)
        buttons = row_of(None, self.cancel, 8, self.save)
        column_of(grid, 8, self.banner, 8, buttons, margins=(13, 12, 13, 12), parent=self)

    def begin(self, model: Model | None, provider: str = "") -> None:
        """Show `model` for editing, or empty fields for a new one at `provider`."""
        self._base = model
        self.banner.hide()
        usable = [item.name for item in self._catalogue.providers]
        self.provider.offer([(name, name) for name in usable])
        self.provider.choose(model.provider if model else provider or (usable[0] if usable else ""))
        self.provider.setEnabled(model is None)
        self.name.setEnabled(model is None)
        self.name.setText(model.name if model else "")
        self.model_id.setText(model.model_id if model else "")
        self.window_size.setText(str(model.context_length) if model and model.context_length else "")
        self.max_output.setText(str(model.max_output_tokens) if model and model.max_output_tokens else "")
        self.show()
        self.model_id.setFocus()

    def _chosen_provider(self) -> Provider | None:
        return next((item for item in self._catalogue.providers if item.name == self.provider.key), None)

    def _fetch(self) -> None:
        provider = self._chosen_provider()
        if provider is not None:
            self.fetch.setEnabled(False)
            self._catalogue.ask_offered(provider, None, self._on_offered, self._on_refused)

    def _on_offered(self, ids: Sequence[str]) -> None:
        self.fetch.setEnabled(True)
        self.banner.hide()
        menu = Menu(self._theme, self)
        for model_id in ids:
            menu.add(model_id, lambda model_id=model_id: self.pick(model_id))  # type: ignore[misc]
        if not ids:
            menu.add_head(self.tr("The server lists no models. Type the id."))
        menu.open_below(self.model_id)

    def _on_refused(self, error: PlacetError) -> None:
        self.fetch.setEnabled(True)
        self.banner.show_error(error)

    def pick(self, model_id: str) -> None:
        """Take an id from the list; the name follows it unless a person chose one."""
        self.model_id.setText(model_id)
        self._on_id_edited(model_id)

    def _on_id_edited(self, model_id: str) -> None:
        if self._base is None and not self.name.isModified():
            self.name.setText(model_id.rsplit("/", 1)[-1])

    def _save(self) -> None:
        name, model_id = self.name.text().strip(), self.model_id.text().strip()
        if not name or not model_id or not self.provider.key:
            self.banner.show_words("warn", self.tr("Provider, model id and name are needed."))
            return
        base = self._base or Model(
            name=name, provider=self.provider.key, model_id=model_id, default=not self._catalogue.models
        )
        model = msgspec.structs.replace(
            base, model_id=model_id, context_length=_count(self.window_size), max_output_tokens=_count(self.max_output)
        )
        self._catalogue.save_model(model, self.saved.emit)


def _count(field: TextField) -> int | None:
    return int(field.text()) if field.text().isdigit() else None
