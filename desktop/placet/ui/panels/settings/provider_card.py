"""One provider: a line that tells its state, and its fields below when it is opened."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QVBoxLayout, QWidget

from placet.core.domain.model_calls import Provider
from placet.ui.models.settings import CatalogueModel
from placet.ui.panels.settings.provider_form import ProviderForm
from placet.ui.theme.fonts import mono_font, ui_font
from placet.ui.theme.paint import elided, hairline, rounded, text
from placet.ui.theme.theme import Theme
from placet.ui.widgets.banner import Banner
from placet.ui.widgets.controls import Button, Label
from placet.ui.widgets.fields import Mark
from placet.ui.widgets.plane import Plane, column_of, row_of


class _Line(QAbstractButton):
    """Chevron, name, address, state, number of models. Checked: open."""

    def __init__(self, provider: Provider, theme: Theme) -> None:
        super().__init__()
        self._provider, self._theme = provider, theme
        self.state, self.icon_name, self.role, self.count = "", "circle-dashed", "text-2", 0
        self.setText(provider.name)
        self.setCheckable(True)
        self.setFixedHeight(44)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(400, 44)

    def show_state(self, state: str, icon: str, role: str, count: int) -> None:
        self.state, self.icon_name, self.role, self.count = state, icon, role, count
        self.setAccessibleName(f"{self.text()}, {self._provider.base_url}, {state}")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        p = QPainter(self)
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        box, theme, h = QRectF(self.rect()), self._theme, 44
        if self.underMouse():
            rounded(p, box.adjusted(1, 1, -1, -1), 7, theme.color("hover"))
        theme.draw_icon(p, "chevron-down" if self.isChecked() else "chevron-right", QRectF(12, 0, 14, h), "text-2", 14)
        w = box.width()
        text(p, 38, 0, h, elided(self.text(), ui_font(13, 500), 0.2 * w), ui_font(13, 500), theme.color("text"))
        address = elided(self._provider.base_url or self.tr("built in"), mono_font(12), 0.28 * w)
        text(p, 38 + 0.2 * w, 0, h, address, mono_font(12), theme.color("text-2"))
        x = 38 + 0.5 * w
        icon_role = "danger-icon" if self.role == "danger-text" else "text-2"
        theme.draw_icon(p, self.icon_name, QRectF(x, 0, 14, h), icon_role, 14)
        count = self.tr("{} models").format(self.count) if self.count != 1 else self.tr("1 model")
        right = w - 14 - text(p, w - 14, 0, h, count, ui_font(12), theme.color("text-2"), right=True) - 12
        text(p, x + 20, 0, h, elided(self.state, ui_font(12), right - x - 20), ui_font(12), theme.color(self.role))


class ProviderCard(Plane):
    """Line and fields. What `config.toml` declares can be tested, not changed."""

    test_requested = Signal(str)  # a model's name
    add_model_requested = Signal(str)  # the provider's name

    def __init__(self, provider: Provider, catalogue: CatalogueModel, theme: Theme, *, is_first: bool) -> None:
        super().__init__(theme, fill="bg")
        self.provider, self._catalogue, self._is_first = provider, catalogue, is_first
        self.line = _Line(provider, theme)
        self.form = ProviderForm((), theme)
        self.form.load(provider)
        self.test = Button(self.tr("Test"), theme)
        self.add_model = Button(self.tr("Add model"), theme, icon="plus")
        self.remove = Button(self.tr("Remove"), theme, kind="ghost")
        self.save = Button(self.tr("Save"), theme)
        self.banner = Banner(theme, closable=False)
        self.body = self._make_body(theme)
        column_of(self.line, self.body, margins=(0, 0, 0, 0), parent=self)
        self.body.hide()
        self.line.toggled.connect(self.body.setVisible)
        self.test.clicked.connect(self._test)
        self.add_model.clicked.connect(lambda: self.add_model_requested.emit(provider.name))
        self.remove.clicked.connect(lambda: catalogue.remove_provider(provider.name))
        self.save.clicked.connect(self._save)
        self.show_state()

    def _make_body(self, theme: Theme) -> QWidget:
        body = Plane(theme, "t", "surface")
        column: QVBoxLayout = column_of(margins=(38, 12, 14, 12), parent=body)
        column.addWidget(self.form)
        column.addSpacing(10)
        column.addWidget(self.banner)
        column.addSpacing(8)
        if self.provider.declared:
            self.form.setEnabled(False)
            note = Label(
                self.tr("Declared in config.toml. Change it there; the window never writes that file."),
                theme,
                "text-3",
                12,
            )
            column.addLayout(
                row_of(Mark(self.tr("from config.toml"), theme), 8, note, None, self.add_model, 8, self.test)
            )
        else:
            column.addLayout(row_of(self.remove, None, self.add_model, 8, self.test, 8, self.save))
        return body

    def show_state(self) -> None:
        """Tell what the last test of one of its models gave."""
        models = self._catalogue.models_of(self.provider.name)
        result = next((self._catalogue.results[m.name] for m in models if m.name in self._catalogue.results), None)
        self.test.setEnabled(bool(models))
        if result is None:
            told = self.tr("not tested") if models else self.tr("no models yet")
            self.line.show_state(told, "circle-dashed", "text-2", len(models))
        elif result.works:
            self.line.show_state(self.tr("works, tested just now"), "circle-check", "text-2", len(models))
            words = self.tr("{} works.").format(result.model)
            if result.first_token_ms is not None:
                words += " " + self.tr("{} ms to the first token.").format(f"{result.first_token_ms:,.0f}")
            self.banner.show_words("info", words)
        else:
            self.line.show_state(result.message, "octagon-alert", "danger-text", len(models))
            self.banner.show_words("danger", result.message, result.hint, result.detail)

    def show_testing(self) -> None:
        models = self._catalogue.models_of(self.provider.name)
        self.line.show_state(self.tr("asking for one short answer…"), "circle-dot", "text-2", len(models))

    def _test(self) -> None:
        models = self._catalogue.models_of(self.provider.name)
        chosen = next((model for model in models if model.default), models[0])
        self.test_requested.emit(chosen.name)

    def _save(self) -> None:
        if words := self.form.missing():
            self.banner.show_words("warn", words)
        else:
            self._catalogue.save_provider(self.form.value(), self.form.key)

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._is_first:
            hairline(QPainter(self), 0, 0, self.width(), self._theme.color("hairline"))
