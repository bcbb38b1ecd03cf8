"""The fields of a provider: for the settings and the first start."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from placet.core.domain.model_calls import Dialect, Provider
from placet.core.settings.presets import Preset
from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Label
from placet.ui.widgets.fields import Select, TextField

_OWN = "other"


class ProviderForm(QWidget):
    """`value` is what was entered; `key` the new key, None to leave the one that is stored."""

    changed = Signal()

    def __init__(self, presets: Sequence[Preset], theme: Theme) -> None:
        super().__init__()
        self._presets = {preset.name: preset for preset in presets}
        self._base: Provider | None = None
        services = [(preset.name, preset.title) for preset in presets] + [(_OWN, self.tr("Another server"))]
        self.service = Select(self.tr("Service"), services, theme)
        self.name = TextField(self.tr("Name"), hint=self.tr("what you call it"))
        dialects = [
            (Dialect.OPENAI, self.tr("OpenAI, Chat Completions")),
            (Dialect.ANTHROPIC, self.tr("Anthropic, Messages")),
        ]
        self.dialect = Select(self.tr("Dialect"), [(str(key), label) for key, label in dialects], theme)
        self.address = TextField(self.tr("Base URL"), hint="http://127.0.0.1:8080/v1", mono=True)
        self.secret = TextField(self.tr("Key"), hint=self.tr("none"), mono=True, secret=True)
        self.secret.setObjectName("keyField")
        self._labels: dict[QWidget, Label] = {}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(8)
        self._grid.setColumnStretch(1, 1)
        self._grid.setColumnStretch(3, 1)
        for field, words in self._words():
            label = Label(words, theme, "text-2", 12)
            label.setBuddy(field)
            self._labels[field] = label
        self._place((self.service, self.name, self.dialect), (self.secret, self.address))
        self.service.chosen.connect(self._on_service_chosen)
        for edited in (self.name, self.address, self.secret):
            edited.textChanged.connect(self.changed)
        self._on_service_chosen(self.service.key)

    def _words(self) -> list[tuple[QWidget, str]]:
        return [
            (self.service, self.tr("Service")), (self.name, self.tr("Name")), (self.dialect, self.tr("Dialect")),
            (self.secret, self.tr("Key")), (self.address, self.tr("Base URL")),
        ]  # fmt: skip

    def _place(self, left: Sequence[QWidget], right: Sequence[QWidget]) -> None:
        for column, fields in ((0, left), (2, right)):
            for row, field in enumerate(fields):
                self._grid.addWidget(self._labels[field], row, column)
                self._grid.addWidget(field, row, column + 1)

    def load(self, provider: Provider) -> None:
        """Edit an existing provider: its name is its identity and stays."""
        self._base = provider
        self.service.hide()
        self._labels[self.service].hide()
        self._place((self.name, self.dialect), (self.secret, self.address))
        self.name.setText(provider.name)
        self.name.setEnabled(False)
        self.dialect.choose(str(provider.type))
        self.address.setText(provider.base_url)
        stored = bool(provider.api_key_keyring or provider.api_key_env)
        told = self.tr("in {}").format(provider.api_key_env) if provider.api_key_env else self.tr("kept")
        self.secret.setPlaceholderText(told if stored else self.tr("none"))

    def _on_service_chosen(self, name: str) -> None:
        preset = self._presets.get(name)
        if preset is None:
            self.name.clear()
            self.address.clear()
            self.dialect.choose(str(Dialect.OPENAI))
        else:
            self.name.setText(preset.name)
            self.address.setText(preset.base_url)
            self.dialect.choose(str(preset.type))
        self.secret.setPlaceholderText(self.tr("paste it here") if preset and preset.needs_key else self.tr("none"))
        self.changed.emit()

    def value(self) -> Provider:
        base = self._base or Provider(name=self.name.text().strip(), type=Dialect.OPENAI)
        return msgspec.structs.replace(base, type=Dialect(self.dialect.key), base_url=self.address.text().strip())

    @property
    def key(self) -> str | None:
        return self.secret.text().strip() or None

    def missing(self) -> str:
        """What keeps this from being saved, in words; empty when nothing does."""
        if not self.name.text().strip():
            return self.tr("Give it a name.")
        if not self.address.text().strip().startswith(("http://", "https://")):
            return self.tr("The base URL begins with http:// or https://.")
        return ""
