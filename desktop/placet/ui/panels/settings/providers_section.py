"""Providers and models: where answers come from, and whether they do."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from placet.core.domain.model_calls import Model, ModelTest
from placet.core.settings.presets import presets
from placet.ui.models.settings import CatalogueModel
from placet.ui.panels.settings.model_form import ModelForm
from placet.ui.panels.settings.models_table import ModelsTable
from placet.ui.panels.settings.provider_card import ProviderCard
from placet.ui.panels.settings.provider_form import ProviderForm
from placet.ui.theme.theme import Theme
from placet.ui.widgets.banner import Banner
from placet.ui.widgets.controls import Button, Label
from placet.ui.widgets.plane import column_of, row_of
from placet.ui.widgets.rows import Card
from placet.ui.widgets.tab_order import tab_to_after


class ProvidersSection(QWidget):
    """The page's content. Open cards stay open when the lists are read anew."""

    def __init__(self, catalogue: CatalogueModel, theme: Theme) -> None:
        super().__init__()
        self._catalogue, self._theme = catalogue, theme
        self._cards: dict[str, ProviderCard] = {}
        self.add_provider = Button(self.tr("Add provider"), theme, icon="plus")
        self.add_provider.setObjectName("addProvider")
        self.add_model = Button(self.tr("Add model"), theme, icon="plus")
        self.more = Button(self.tr("Actions"), theme, tail="chevron-down", weight=400)
        self.problems = Banner(theme, closable=False)
        self.result = Banner(theme)
        self.result.setObjectName("testResult")
        self.table = ModelsTable(catalogue, theme)
        self.model_form = ModelForm(catalogue, theme)
        self.model_form.hide()
        self._new_provider = self._make_new_provider()
        self._list = Card(theme)
        self._list_column: QVBoxLayout = column_of(margins=(1, 1, 1, 1), parent=self._list)
        self._count = Label("", theme, "text-3", 12)
        self._lay_out()
        self._connect()
        self._on_changed()

    def _make_new_provider(self) -> Card:
        card = Card(self._theme, "surface")
        card.setObjectName("providerForm")
        self.form = ProviderForm(presets(), self._theme)
        self.form_banner = Banner(self._theme, closable=False)
        self.form_save = Button(self.tr("Save"), self._theme, kind="primary")
        self.form_cancel = Button(self.tr("Cancel"), self._theme, kind="ghost")
        buttons = row_of(None, self.form_cancel, 8, self.form_save)
        column_of(self.form, 8, self.form_banner, 8, buttons, margins=(13, 12, 13, 12), parent=card)
        card.hide()
        return card

    def _lay_out(self) -> None:
        self._promise = Label("", self._theme, "text-2", 13)
        self._promise.setWordWrap(True)
        self._show_keys_note("")
        self._catalogue.ask_keys_note(self._show_keys_note)
        title = column_of(
            Label(self.tr("Providers and models"), self._theme, px=20, weight=600),
            4,
            self._promise,
        )
        head = row_of(title, 16, self.add_provider)
        head.setStretch(0, 1)
        models = Label(self.tr("Models"), self._theme, px=14, weight=600)
        column_of(
            head, 14, self.problems, 8, self._new_provider, 8, self._list, 20,
            row_of(models, 8, self._count, None, self.more, 8, self.add_model), 8, self.model_form, 4, self.table,
            10, self.result, None, parent=self,
        )  # fmt: skip

    def _show_keys_note(self, where: str) -> None:
        never = self.tr("They never reach logs, exports or commands.")
        self._promise.setText(f"{where} {never}" if where else self.tr("Keys never reach logs, exports or commands."))

    def _connect(self) -> None:
        catalogue = self._catalogue
        catalogue.changed.connect(self._on_changed)
        catalogue.testing.connect(self._on_testing)
        catalogue.tested.connect(self._on_tested)
        self.add_provider.clicked.connect(self.begin_provider)
        self.form_cancel.clicked.connect(self._new_provider.hide)
        self.form_save.clicked.connect(self._save_provider)
        self.add_model.clicked.connect(lambda _: self.begin_model())
        self.more.clicked.connect(lambda: self.table.open_actions().open_below(self.more))
        self.table.selectionModel().selectionChanged.connect(self._on_selected)
        self.table.test_requested.connect(catalogue.test)
        self.table.edit_requested.connect(self._edit_model)
        self.model_form.saved.connect(self.model_form.hide)
        self.model_form.left.connect(self.model_form.hide)

    def begin_provider(self) -> None:
        """Open empty fields for a provider."""
        self.form_banner.hide()
        self._new_provider.show()
        self.form.name.setFocus()

    def begin_model(self, provider: str = "") -> None:
        """Open empty fields for a model at `provider`; without any provider that comes first."""
        if self._catalogue.providers:
            self.model_form.begin(None, provider)
        else:
            self.begin_provider()

    def _edit_model(self, model: Model) -> None:
        if not model.declared:
            self.model_form.begin(model)

    def _save_provider(self) -> None:
        if words := self.form.missing():
            self.form_banner.show_words("warn", words)
            return
        provider = self.form.value()

        def saved() -> None:
            self._new_provider.hide()
            self.form.secret.clear()
            self.begin_model(provider.name)

        self._catalogue.save_provider(provider, self.form.key, saved)

    def _on_changed(self) -> None:
        self._show_problems()
        opened = {name for name, card in self._cards.items() if card.line.isChecked()}
        while (item := self._list_column.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        self._cards = {}
        last: QWidget = self.form_save
        for provider in self._catalogue.providers:
            card = ProviderCard(provider, self._catalogue, self._theme, is_first=not self._cards)
            card.line.setChecked(provider.name in opened)
            card.test_requested.connect(self._catalogue.test)
            card.add_model_requested.connect(self.begin_model)
            self._cards[provider.name] = card
            self._list_column.addWidget(card)
            last = tab_to_after(last, card)
        if not self._cards:
            words = self.tr("No provider yet. Add one: a service with a key, or a server on this computer.")
            empty = Label(words, self._theme, "text-2", 13)
            empty.setContentsMargins(14, 12, 14, 12)
            self._list_column.addWidget(empty)
        self._count.setText(str(len(self._catalogue.models)))
        self._on_selected()

    def _show_problems(self) -> None:
        found = self._catalogue.problems
        if found:
            title = self.tr("config.toml has a problem.") if len(found) == 1 else self.tr("config.toml has problems.")
            self.problems.show_words("warn", title, "\n".join(found))
        else:
            self.problems.hide()

    def _on_selected(self) -> None:
        self.more.setEnabled(self.table.chosen() is not None)

    def _provider_of(self, model_name: str) -> ProviderCard | None:
        model = self._catalogue.model(model_name)
        return self._cards.get(model.provider) if model is not None else None

    def _on_testing(self, name: str) -> None:
        self.result.hide()
        if (card := self._provider_of(name)) is not None:
            card.show_testing()

    def _on_tested(self, result: ModelTest) -> None:
        if (card := self._provider_of(result.model)) is not None:
            card.show_state()
        if result.works:
            took = "" if result.first_token_ms is None else f"{result.first_token_ms:,.0f}"
            words = self.tr("{} ms to the first token.").format(took) if took else ""
            self.result.show_words("info", self.tr("{} works.").format(result.model), words)
        else:
            title = f"{result.model}: {result.message}"
            self.result.show_words("danger", title, result.hint, result.detail)
