"""First start, first step: what was found here, a key or an address, or the demo."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QButtonGroup, QVBoxLayout, QWidget

from placet.core.domain.errors import PlacetError
from placet.core.domain.model_calls import Model, ModelTest, Provider
from placet.core.settings.presets import presets
from placet.ui.models.settings import CatalogueModel
from placet.ui.panels.settings.provider_form import ProviderForm
from placet.ui.theme.fonts import ui_font
from placet.ui.theme.paint import frame, rounded, text
from placet.ui.theme.theme import Theme
from placet.ui.widgets.banner import Banner
from placet.ui.widgets.controls import Button, Label
from placet.ui.widgets.fields import Select
from placet.ui.widgets.plane import column_of, row_of
from placet.ui.widgets.rows import ChoiceRow


class _Demo(QWidget):
    """A card of its own with a button that needs no choice before."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.start = Button(self.tr("Start the demo"), theme, icon="play", height=24, pad=9)
        self.start.setObjectName("startDemo")
        self.setFixedHeight(74)
        row_of(None, self.start, margins=(0, 0, 15, 0), parent=self)
        theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        p = QPainter(self)
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme, box = self._theme, QRectF(self.rect())
        rounded(p, box, 8, theme.color("bg"))
        frame(p, box, 8, theme.color("hairline"))
        theme.draw_icon(p, "wifi-off", QRectF(14, 28, 16, 18), "text-2")
        text(p, 42, 9, 20, self.tr("Try it without a model"), ui_font(13, 500), theme.color("text"))
        lines = (
            self.tr("Offline. A prepared session in a sample folder: it reads a file, proposes a real"),
            self.tr("edit for you to review, and you undo it. About two minutes."),
        )
        for number, line in enumerate(lines):
            text(p, 42, 28 + 16 * number, 18, line, ui_font(12), theme.color("text-2"))


class ModelsStep(QWidget):
    """`finished` when a model works or the step was skipped."""

    finished = Signal()
    demo_requested = Signal()

    def __init__(self, catalogue: CatalogueModel, theme: Theme) -> None:
        super().__init__()
        self._catalogue, self._theme = catalogue, theme
        self._found: Sequence[Provider] = ()
        self._rows: list[ChoiceRow] = []
        self._awaited = ""
        self._group = QButtonGroup(self)
        self.sentence = Label("", theme, "text-2", 14)
        self.sentence.setWordWrap(True)
        self._found_head = Label(self.tr("Found here"), theme, "text-2", 12)
        self._found_rows = QWidget()
        self._found_column: QVBoxLayout = column_of(parent=self._found_rows)
        services = ", ".join(preset.title for preset in presets()[:6])
        sentence = (
            self.tr("{}, any compatible server").format(services) if services else self.tr("Any compatible server")
        )
        self.enter = ChoiceRow(self.tr("Enter a key or an address"), sentence, theme)
        self.enter.setObjectName("enterProvider")
        self.enter.mark_end(first=True, last=True)
        self._group.addButton(self.enter)
        self.form = ProviderForm(presets(), theme)
        self.model = Select(self.tr("Model"), [], theme)
        self.fields = self._make_fields()
        self.demo = _Demo(theme)
        self.banner = Banner(theme, closable=False)
        self.skip = Button(self.tr("Skip"), theme, kind="ghost", height=32, weight=400)
        self.go_on = Button(
            self.tr("Test and continue"), theme, kind="primary", hint_icon="corner-down-left", height=32, pad=13
        )
        self.go_on.setObjectName("testAndContinue")
        self._lay_out()
        self._connect()
        self._show_found(())

    def _make_fields(self) -> QWidget:
        fields = QWidget()
        self._model_label = Label(self.tr("Model"), self._theme, "text-2", 12)
        model_row = row_of(self._model_label, 12, self.model)
        model_row.setStretchFactor(self.model, 1)
        column_of(10, self.form, 8, model_row, 10, parent=fields)
        return fields

    def _lay_out(self) -> None:
        self._or = Label(self.tr("Or"), self._theme, "text-2", 12)
        self._keys_note = Label("", self._theme, "text-2", 12)
        self._keys_note.setWordWrap(True)
        foot = row_of(self._keys_note, 16, self.skip, 4, self.go_on)
        foot.setStretch(0, 1)
        title = Label(self.tr("Where do models come from?"), self._theme, px=20, weight=600)
        column_of(
            title, 4, self.sentence, 16, self._found_head, 6, self._found_rows, 14,
            self._or, 6, self.enter, self.fields, 8, self.demo, 10, self.banner, 14,
            foot, parent=self,
        )  # fmt: skip

    def _connect(self) -> None:
        self._group.buttonToggled.connect(lambda *_: self._on_choice())
        self.skip.clicked.connect(self.finished)
        self.demo.start.clicked.connect(self.demo_requested)
        self.go_on.clicked.connect(self._go_on)
        self.form.changed.connect(lambda: self._offer(()))
        self._catalogue.tested.connect(self._on_tested)

    def look_around(self) -> None:
        """Find what is here. Nothing is used and nothing leaves the computer."""
        self._catalogue.look_around(self._show_found)

    def _show_found(self, found: Sequence[Provider]) -> None:
        self._found = found
        for old in self._rows:
            self._group.removeButton(old)
            old.hide()
            old.deleteLater()
        self._rows = [self._row_of(provider) for provider in found]
        for index, row in enumerate(self._rows):
            row.mark_end(first=index == 0, last=index == len(found) - 1)
            self._group.addButton(row)
            self._found_column.addWidget(row)
            row.setChecked(index == 0)
        if not found:
            self.enter.setChecked(True)
        self.sentence.setText(self._words_of(len(found)))
        self._or.setVisible(bool(found))
        self._found_head.setVisible(bool(found))
        self._found_rows.setVisible(bool(found))
        self._on_choice()

    def _words_of(self, found: int) -> str:
        if not found:
            return self.tr("No model runs on this computer, and no key was found. Enter one, or try the demo first.")
        counts = {1: self.tr("one"), 2: self.tr("two"), 3: self.tr("three")}
        words = self.tr(
            "Placet looked on this computer and found {}. Nothing is used, and nothing leaves this computer, before "
            "you choose."
        )
        return words.format(counts.get(found, str(found)))

    def _row_of(self, provider: Provider) -> ChoiceRow:
        name = next((preset.title for preset in presets() if preset.name == provider.name), provider.name)
        if provider.api_key_env:
            title = self.tr("{}, with the key in {}").format(name, provider.api_key_env)
            sentence = self.tr("Sends what you write and the files it reads to {}. You pay by use.").format(name)
            return ChoiceRow(title, sentence, self._theme, tail=self.tr("key not copied"))
        title = self.tr("{}, running on this computer").format(name)
        address = provider.base_url.removeprefix("http://").split("/")[0]
        return ChoiceRow(title, self.tr("Free, private, slower."), self._theme, tail=address, mono_tail=True)

    def chosen(self) -> Provider | None:
        """The provider to go on with; None while the fields are incomplete."""
        for row, provider in zip(self._rows, self._found, strict=True):
            if row.isChecked():
                return provider
        return None if self.form.missing() else self.form.value()

    def _on_choice(self) -> None:
        self.banner.hide()
        by_hand = self.enter.isChecked()
        if by_hand and not self._keys_note.text():
            self._catalogue.ask_keys_note(self._keys_note.setText)
        self.fields.setVisible(by_hand or bool(self.model.key))
        self.form.setVisible(by_hand)
        self._offer(())

    def _offer(self, ids: Sequence[str]) -> None:
        """Let one of the server's models be chosen, once the server told which it has."""
        self.model.offer([(model_id, model_id) for model_id in ids])
        self.model.setVisible(bool(ids))
        self._model_label.setVisible(bool(ids))
        self.fields.setVisible(self.enter.isChecked() or bool(ids))

    def _go_on(self) -> None:
        provider = self.chosen()
        if provider is None:
            self.banner.show_words("warn", self.form.missing())
        elif not self.model.key:
            self._set_busy(True)
            self._catalogue.ask_offered(
                provider, self._key(), lambda ids: self._on_offered(provider, ids), self._on_refused
            )
        else:
            self._save(provider, self.model.key)

    def _key(self) -> str | None:
        return self.form.key if self.enter.isChecked() else None

    def _on_offered(self, provider: Provider, ids: Sequence[str]) -> None:
        self._set_busy(False)
        if not ids:
            self.banner.show_words("warn", self.tr("The server lists no models. Load one there, then try again."))
        elif len(ids) == 1:
            self._save(provider, ids[0])
        else:
            self._offer(ids)
            self.banner.show_words("info", self.tr("The server answers. Choose a model, then continue."))

    def _save(self, provider: Provider, model_id: str) -> None:
        self._set_busy(True)
        name = model_id.rsplit("/", 1)[-1]
        model = Model(name=name, provider=provider.name, model_id=model_id, default=True)
        self._awaited = name

        def save_model() -> None:
            self._catalogue.save_model(model, lambda: self._catalogue.test(name), self._on_refused)

        self._catalogue.save_provider(provider, self._key(), save_model, self._on_refused)

    def _on_tested(self, result: ModelTest) -> None:
        if result.model != self._awaited:
            return
        self._awaited = ""
        self._set_busy(False)
        if result.works:
            self.finished.emit()
        else:
            self.banner.show_words("danger", result.message, result.hint, result.detail)

    def _on_refused(self, error: PlacetError) -> None:
        self._set_busy(False)
        self.banner.show_error(error)

    def _set_busy(self, busy: bool) -> None:
        self.go_on.setEnabled(not busy)
        self.go_on.setText(self.tr("Asking…") if busy else self.tr("Test and continue"))
