"""An edit of the rules that is not saved: its fields, what it would change among past calls, and Save."""

from __future__ import annotations

import msgspec
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from placet.core.domain.explaining import AddRule, ChangeRule, MoveRule, RemoveRules, RuleEdit
from placet.core.domain.review import Rule
from placet.ui.models.rules import RulesModel
from placet.ui.panels.settings.effects_list import EffectsList
from placet.ui.panels.settings.rule_form import RuleForm
from placet.ui.theme.paint import frame, hairline, rounded
from placet.ui.theme.theme import Theme
from placet.ui.widgets.banner import Banner
from placet.ui.widgets.controls import Button, Label
from placet.ui.widgets.plane import column_of, row_of

_HEAD = 44


class EditCard(QWidget):
    """Shown while there is an edit. Escape discards it, Enter in a field saves it."""

    def __init__(self, model: RulesModel, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("ruleEdit")
        self._model, self._theme = model, theme
        self.title = Label("", theme, px=13, weight=500)
        self.says = Label("", theme, "text-2", 12)
        self.says.setObjectName("dryRun")
        self.says.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.says.setWordWrap(True)
        self.discard = Button(self.tr("Discard"), theme, height=24, weight=400)
        self.save = Button(self.tr("Save rule"), theme, kind="primary", height=24)
        self.save.setObjectName("saveRule")
        self.form = RuleForm(model, theme)
        self.trouble = Banner(theme, closable=False)
        self.effects = EffectsList(theme)
        self._lay_out()
        self.form.changed.connect(self._on_form_changed)
        self.discard.clicked.connect(model.give_up)
        self.save.clicked.connect(model.save)
        model.edit_changed.connect(self._show_edit)
        model.tried.connect(self._show_tried)
        theme.changed.connect(self.update)
        self.hide()

    def _lay_out(self) -> None:
        head = QWidget()
        head.setFixedHeight(_HEAD)
        row = row_of(self.title, 10, self.says, 10, self.discard, 8, self.save, margins=(13, 0, 12, 0), parent=head)
        row.setStretchFactor(self.says, 1)
        self._fields = QWidget()
        column_of(self.form, margins=(13, 12, 13, 12), parent=self._fields)
        self._wrong = QWidget()
        column_of(self.trouble, margins=(12, 0, 12, 12), parent=self._wrong)
        column_of(head, self._fields, self._wrong, self.effects, 1, parent=self)
        self._wrong.hide()

    # ---- what a person begins ------------------------------------------------------------------------------------

    def begin_new(self, rule: Rule, before: int | None = None) -> None:
        """Fields for a rule that is to be added."""
        self.form.load(rule)
        self._model.propose(AddRule(rule=rule, before=before), at_once=True)
        self.form.tool.setFocus()
        self.form.tool.selectAll()

    def begin_change(self, rule: Rule) -> None:
        """Fields of a rule that is there."""
        self.form.load(rule)
        self._model.propose(ChangeRule(rule=rule), at_once=True)
        self.form.tool.setFocus()

    def begin_removal(self, rule_ids: tuple[int, ...]) -> None:
        self._model.propose(RemoveRules(rule_ids=rule_ids), at_once=True)

    def begin_move(self, rule_id: int, before: int | None) -> None:
        self._model.propose(MoveRule(rule_id=rule_id, before=before), at_once=True)

    def _on_form_changed(self) -> None:
        match self._model.edit:
            case AddRule(before=before):
                self._model.propose(AddRule(rule=self.form.value(), before=before))
            case ChangeRule():
                self._model.propose(ChangeRule(rule=self.form.value()))

    # ---- what is shown -------------------------------------------------------------------------------------------

    def _show_edit(self) -> None:
        edit = self._model.edit
        self.setVisible(edit is not None)
        if edit is None:
            return
        self._fields.setVisible(isinstance(edit, AddRule | ChangeRule))
        self.title.setText(self._words(edit))
        self.save.setText(self._verb(edit))
        self.save.updateGeometry()
        self.says.setText(self.tr("Looking what it would change…"))
        self._wrong.hide()
        self.save.setEnabled(True)
        self.update()

    def _words(self, edit: RuleEdit) -> str:
        match edit:
            case AddRule():
                return self.tr("The new rule is not saved")
            case ChangeRule(rule=rule):
                return self.tr("Rule {} is not saved").format(rule.id)
            case RemoveRules(rule_ids=(rule_id,)):
                return self.tr("Rule {} is still there").format(rule_id)
            case RemoveRules(rule_ids=ids):
                return self.tr("{} rules are still there").format(len(ids))
            case MoveRule(rule_id=rule_id):
                return self.tr("Rule {} is not moved yet").format(rule_id)

    def _verb(self, edit: RuleEdit) -> str:
        if isinstance(edit, RemoveRules):
            return self.tr("Remove rule") if len(edit.rule_ids) == 1 else self.tr("Remove rules")
        return self.tr("Save order") if isinstance(edit, MoveRule) else self.tr("Save rule")

    def _show_tried(self) -> None:
        error, dry_run = self._model.trouble, self._model.dry_run
        self.save.setEnabled(error is None)
        self._wrong.setVisible(error is not None)
        if error is not None:
            self.says.setText("")
            self.trouble.show_error(error)
            self.effects.show_effects(())
        elif dry_run is not None:
            self.effects.show_effects(dry_run.effects)
            self.says.setText(self._summary(len(dry_run.changed), dry_run.looked_at, whole=dry_run.is_complete))
        self.update()

    def _summary(self, changed: int, looked_at: int, *, whole: bool) -> str:
        if not looked_at:
            return self.tr("There are no past calls to try it on.")
        words = (
            self.tr("It would change none of the last {} calls.").format(looked_at)
            if not changed
            else self.tr("It would change {} of the last {} calls.").format(changed, looked_at)
        )
        return words if whole else self.tr("{} Time ran out before all were looked at.").format(words)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._model.give_up()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.save.isEnabled():
            self._model.save()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        p = QPainter(self)
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        box, theme = QRectF(self.rect()), self._theme
        rounded(p, box, 8, theme.color("bg"))
        p.save()
        p.setClipRect(QRectF(0, 0, box.width(), _HEAD))
        rounded(p, box, 8, theme.color("accent-bg"))
        p.restore()
        hairline(p, 0, _HEAD - 1, box.width(), theme.color("hairline"))
        frame(p, box, 8, theme.color("accent-line"))


def blank(group: str) -> Rule:
    """What a new rule begins with: asking, so that nothing is loosened by leaving it as it is."""
    return msgspec.structs.replace(Rule(), group=group, tool="")
