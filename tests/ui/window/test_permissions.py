"""Settings, Permissions: rules seen, changed and tried out, by mouse and by keyboard."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractButton, QWidget
from pytestqt.qtbot import QtBot

from placet.core.domain.errors import StoreError
from placet.core.domain.explaining import (
    AddRule,
    ChangeRule,
    DryRun,
    Effect,
    ExplainedCall,
    MoveRule,
    PastCall,
    RemoveRules,
)
from placet.core.domain.ids import CallId, MessageId, SessionId
from placet.core.domain.messages import CallStatus, RunContext, ToolCall
from placet.core.domain.review import Action, DecidedBy, Rule, Verdict
from placet.core.review.explaining import explain_call
from placet.core.review.rulebook import edited
from placet.ui.panels.settings.permissions_section import PermissionsSection
from placet.ui.widgets.menu import Menu
from support.review_fakes import call_ref, write_of
from support.window_hub import WindowHub
from support.window_rules import POLICY

from .conftest import OpenWindow, until

ENV = [Rule(tool="@fs_any", path=path, action=Action.DENY, priority=5, note="secrets") for path in (".env", "*.pem")]
RULES = [
    *ENV,
    Rule(tool="a", priority=10, action=Action.ALLOW),
    Rule(tool="b", priority=20, action=Action.REQUIRE),
    Rule(tool="*", priority=999, note="everything else"),
]


@pytest.fixture
def hub(hub: WindowHub, tmp_path: Path) -> WindowHub:
    hub.rules.add(*RULES)
    work = tmp_path / "mdlite"
    (work / "tests").mkdir(parents=True)
    (work / "tests" / "a.py").touch()
    (work / ".env").touch()
    hub.active["desktop"] = hub.add_session("s1", title="Shed", context=RunContext(workdir=str(work)))
    return hub


def click(qtbot: QtBot, widget: QWidget) -> None:
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton)


async def opened(qtbot: QtBot, open_window: OpenWindow) -> PermissionsSection:
    window = await open_window()
    window.places.go_to("settings")
    page = window.pages.settings
    click(qtbot, next(button for button in page.findChildren(QAbstractButton) if button.text() == "Permissions"))
    section = page.permissions
    await until(lambda: section.table.table.rows)
    return section


def shown(section: PermissionsSection) -> list[str]:
    table = section.table.table
    return [
        " ".join(str(table.index(row, column).data()) for column in (0, 2, 3, 4)) for row in range(table.rowCount())
    ]


def point(section: PermissionsSection, row: int, column: int = 2) -> QPoint:
    return section.table.visualRect(section.table.table.index(row, column)).center()


def press_row(qtbot: QtBot, section: PermissionsSection, row: int) -> None:
    qtbot.mouseClick(section.table.viewport(), Qt.MouseButton.LeftButton, pos=point(section, row))


def effect(label: str, before: Action, after: Action, stays: str = "") -> Effect:
    one, two = (Verdict(action=action, by=DecidedBy.RULE, because="") for action in (before, after))
    return Effect(
        call_id=CallId(1), session_id=SessionId("s1"), tool="write_file", label=label, created_at=time.time(),
        before=one, after=two, stays_because=stays,
    )  # fmt: skip


async def test_rules_stand_in_the_order_in_which_they_are_asked(qtbot: QtBot, open_window: OpenWindow) -> None:
    section = await opened(qtbot, open_window)
    assert shown(section) == ["1–2 @fs_any .env, *.pem deny", "3 a  allow", "4 b  ask", "5 *  ask"]


async def test_a_row_of_several_rules_opens_and_closes_by_mouse_and_keys(qtbot: QtBot, open_window: OpenWindow) -> None:
    section = await opened(qtbot, open_window)
    qtbot.mouseClick(section.table.viewport(), Qt.MouseButton.LeftButton, pos=point(section, 0, 0))
    assert shown(section)[:3] == ["1–2 @fs_any .env, *.pem deny", "1 @fs_any .env deny", "2 @fs_any *.pem deny"]
    qtbot.keyClick(section.table, Qt.Key.Key_Left)
    assert len(shown(section)) == 4
    qtbot.keyClick(section.table, Qt.Key.Key_Right)
    qtbot.keyClick(section.table, Qt.Key.Key_Down)
    qtbot.keyClick(section.table, Qt.Key.Key_Return)
    assert section.edit.form.path.text() == ".env"


async def test_r_16_what_a_new_rule_would_change_is_shown_before_it_is_saved(
    qtbot: QtBot, open_window: OpenWindow, hub: WindowHub
) -> None:
    section = await opened(qtbot, open_window)
    hub.rules.effects = DryRun(
        effects=(
            effect("tests/.env", Action.DENY, Action.DENY, "rule 1 is earlier"),
            effect("tests/a.py", Action.REQUIRE, Action.ALLOW),
        ),
        looked_at=500,
    )
    click(qtbot, section.add)
    form = section.edit.form
    assert form.value().action is Action.REQUIRE  # nothing is loosened by leaving it as it is
    qtbot.keyClicks(form.tool, "@fs_write")
    qtbot.keyClicks(form.path, "~/x/tests/*")
    click(qtbot, next(button for button in form.action.findChildren(QAbstractButton) if button.text() == "allow"))
    await until(lambda: section.edit.says.text() == "It would change 1 of the last 500 calls.")
    words = [section.edit.effects.words(each) for each in section.edit.effects.effects]
    assert words == ["ask → allow", "stays deny, rule 1 is earlier"]
    await until(lambda: "6 @fs_write ~/x/tests/* allow" in shown(section))
    assert hub.rules.saved == []
    click(qtbot, section.edit.save)
    await until(lambda: hub.rules.saved)
    rule = hub.rules.rules[-1]
    assert (rule.tool, rule.path, rule.action, rule.group) == ("@fs_write", "~/x/tests/*", Action.ALLOW, "default")
    await until(lambda: not section.edit.isVisible())


async def test_a_rule_is_saved_once_however_often_enter_is_pressed(
    qtbot: QtBot, open_window: OpenWindow, hub: WindowHub
) -> None:
    section = await opened(qtbot, open_window)
    click(qtbot, section.add)
    qtbot.keyClicks(section.edit.form.tool, "@fs_write")
    qtbot.keyClicks(section.edit.form.path, "/x/*")
    qtbot.keyClick(section.edit.form.path, Qt.Key.Key_Return)
    qtbot.keyClick(section.edit.form.path, Qt.Key.Key_Return)
    await until(lambda: not section.edit.isVisible())
    assert [rule.path for rule in hub.rules.rules].count("/x/*") == 1


async def test_a_rule_that_is_refused_says_why_and_cannot_be_saved(
    qtbot: QtBot, open_window: OpenWindow, hub: WindowHub
) -> None:
    section = await opened(qtbot, open_window)
    click(qtbot, section.add)
    await until(lambda: "names no tool" in section.edit.trouble.title.text())
    qtbot.keyClicks(section.edit.form.tool, "*")
    click(qtbot, next(b for b in section.edit.form.action.findChildren(QAbstractButton) if b.text() == "deny"))
    await until(lambda: "rule 5 “everything else”: ask" in section.edit.trouble.title.text())
    assert not section.edit.save.isEnabled()
    qtbot.keyClick(section.edit.form.tool, Qt.Key.Key_Return)
    assert hub.rules.saved == []


async def test_discarding_an_edit_leaves_everything_as_it_was(
    qtbot: QtBot, open_window: OpenWindow, hub: WindowHub
) -> None:
    section = await opened(qtbot, open_window)
    before = shown(section)
    press_row(qtbot, section, 1)
    qtbot.keyClick(section.table, Qt.Key.Key_Return)
    qtbot.keyClicks(section.edit.form.note, "changed")
    await until(lambda: hub.rules.asked and isinstance(hub.rules.asked[-1], ChangeRule))
    await until(lambda: section.edit.says.text() == "There are no past calls to try it on.")
    qtbot.keyClick(section.edit.form.note, Qt.Key.Key_Escape)
    assert not section.edit.isVisible() and section.isVisible()
    assert shown(section) == before
    assert hub.rules.saved == []


async def test_a_rule_is_changed_by_keyboard_alone(qtbot: QtBot, open_window: OpenWindow, hub: WindowHub) -> None:
    section = await opened(qtbot, open_window)
    section.table.setFocus()
    section.table.selectRow(2)
    qtbot.keyClick(section.table, Qt.Key.Key_Return)
    assert section.edit.title.text() == "Rule 4 is not saved"
    form = section.edit.form
    assert section.window().focusWidget() is form.tool
    qtbot.keyClicks(form.tool, "2")
    qtbot.keyClick(form.tool, Qt.Key.Key_Return)
    await until(lambda: hub.rules.saved)
    assert hub.rules.rules[3].tool == "b2"


async def test_a_rule_moves_by_keys_and_by_dragging(qtbot: QtBot, open_window: OpenWindow, hub: WindowHub) -> None:
    section = await opened(qtbot, open_window)
    press_row(qtbot, section, 2)
    qtbot.keyClick(section.table, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    await until(lambda: [row.split()[0] for row in shown(section)] == ["1–2", "4", "3", "5"])
    assert section.edit.title.text() == "Rule 4 is not moved yet"
    click(qtbot, section.edit.save)
    await until(lambda: hub.rules.saved)
    assert hub.rules.saved[-1] == MoveRule(rule_id=4, before=3)

    view = section.table.viewport()
    await until(lambda: not section.edit.isVisible())
    start = point(section, 1)
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=start)
    end = section.table.visualRect(section.table.table.index(2, 2)).bottomLeft()
    for y in range(start.y(), end.y() + 1, 6):
        qtbot.mouseMove(view, QPoint(start.x(), y))
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=end)
    await until(lambda: [row.split()[0] for row in shown(section)] == ["1–2", "3", "4", "5"])
    assert section.edit.title.text() == "Rule 4 is not moved yet"


async def test_a_rule_does_not_move_out_of_its_part_of_the_order(qtbot: QtBot, open_window: OpenWindow) -> None:
    section = await opened(qtbot, open_window)
    press_row(qtbot, section, 1)
    qtbot.keyClick(section.table, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert not section.edit.isVisible()


async def test_what_is_to_be_removed_stays_in_sight_until_it_is(
    qtbot: QtBot, open_window: OpenWindow, hub: WindowHub
) -> None:
    section = await opened(qtbot, open_window)
    press_row(qtbot, section, 0)
    qtbot.keyClick(section.table, Qt.Key.Key_Delete)
    await until(lambda: hub.rules.asked == [RemoveRules(rule_ids=(1, 2))])
    assert section.edit.title.text() == "2 rules are still there"
    assert section.edit.save.text() == "Remove rules"
    assert len(hub.rules.rules) == 5
    click(qtbot, section.edit.save)
    await until(lambda: [rule.id for rule in hub.rules.rules] == [3, 4, 5])


async def test_the_tree_shows_what_the_unsaved_rule_fits(
    qtbot: QtBot, open_window: OpenWindow, hub: WindowHub, tmp_path: Path
) -> None:
    section = await opened(qtbot, open_window)
    tree = section.folder.tree
    await until(tree.entries)
    assert tree.entries() == [("mdlite", "ask", "rule 5"), ("tests", "ask", ""), (".env", "deny", "rule 1")]
    rule = Rule(tool="@fs_write", path=f"{tmp_path}/mdlite/tests/*", action=Action.ALLOW, priority=1)
    section.edit.begin_new(rule)
    await until(lambda: ("tests", "allow", "this rule") in tree.entries())
    root = tree.model().index(0, 0)
    tree.expand(tree.model().index(0, 0, root))
    await until(lambda: ("a.py", "allow", "") in tree.entries())
    section.edit.discard.click()
    await until(lambda: ("a.py", "ask", "") in tree.entries())
    click(
        qtbot, next(button for button in section.folder.kind.findChildren(QAbstractButton) if button.text() == "Read")
    )
    await until(lambda: tree.entries()[0] == ("mdlite", "allow", "the chat's folder"))


async def test_r_16_a_typed_call_is_explained_as_it_is_typed(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path
) -> None:
    section = await opened(qtbot, open_window)
    explain = section.explain
    qtbot.keyClicks(explain.call, f"{tmp_path}/mdlite/.env")
    explain.tool.choose("write_file")
    await until(explain.card.isVisible)
    await until(lambda: explain.title.text() == "Rule 1, secrets")
    assert explain.tag.accessibleName() == "deny"
    assert any("Rule 5, everything else: fits too" in line.accessibleName() for line in explain.lines)
    explain.call.clear()
    qtbot.keyClicks(explain.call, " ")
    await until(lambda: not explain.card.isVisible())


async def test_r_16_a_past_call_says_what_was_decided_then_and_that_today_differs(
    qtbot: QtBot, open_window: OpenWindow, hub: WindowHub, tmp_path: Path
) -> None:
    call = ToolCall(
        id=CallId(7), message_id=MessageId(1), provider_id="c", name="write_file", arguments='{"path": ".env"}',
        status=CallStatus.DONE, decision="rule 9: allow",
    )  # fmt: skip
    operation = write_of(tmp_path / "mdlite/.env", b"")
    explanation = explain_call(hub.rules.rules, call_ref("write_file"), operation, RunContext(), POLICY)
    past = PastCall(call=call, session_id=SessionId("s1"), agent="assistant", source="desktop", context=RunContext())
    hub.rules.explained[call.id] = ExplainedCall(
        past=past, recorded=call.decision, recorded_action=Action.ALLOW, explanation=explanation
    )
    section = await opened(qtbot, open_window)
    section.explain.explain(7)
    await until(section.explain.card.isVisible)
    assert section.explain.recorded.text() == "Decided then: rule 9: allow. Today it is another outcome:"
    assert section.explain.call.text() == ".env"
    section.explain.explain(8)
    await until(lambda: section.explain.error.title.text() == "There is no such call.")


async def test_a_group_is_made_with_its_first_rule_renamed_used_and_removed(
    qtbot: QtBot, open_window: OpenWindow, hub: WindowHub
) -> None:
    section = await opened(qtbot, open_window)
    groups = section.groups
    groups.begin("new")
    qtbot.keyClicks(groups.name, "careful")
    qtbot.keyClick(groups.name, Qt.Key.Key_Return)
    qtbot.keyClicks(section.edit.form.tool, "execute_cmd")
    await until(lambda: section.edit.says.text() == "There are no past calls to try it on.")
    click(qtbot, section.edit.save)
    await until(lambda: hub.rules.rules[-1].group == "careful")
    await until(lambda: shown(section)[1] == "6 execute_cmd  ask")  # behind the denials of default, before its rest

    click(qtbot, groups.more)
    (menu,) = groups.findChildren(Menu)
    use = next(action for action in menu.actions() if action.text() == "Use in the open chat")
    use.trigger()
    menu.close()
    await until(lambda: hub.row(SessionId("s1")).context.group == "careful")
    groups.begin("rename")
    groups.name.setText("strict")
    click(qtbot, groups.do)
    await until(lambda: groups.choice.text() == "Group strict")
    groups.begin("remove")
    click(qtbot, groups.do)
    await until(lambda: groups.choice.text() == "Group default")
    assert [rule.group for rule in hub.rules.rules] == ["default"] * 5


async def test_rules_that_cannot_be_read_say_so_until_the_damaged_one_is_removed(
    qtbot: QtBot, open_window: OpenWindow, hub: WindowHub
) -> None:
    section = await opened(qtbot, open_window)
    hub.rules.failure = StoreError("Approval rule 2 is damaged.", hint="Until it is repaired, everything is asked.")
    section.hide()
    section.show()
    await until(section.problem.isVisible)
    assert section.problem.title.text() == "Approval rule 2 is damaged."
    assert not section.add.isEnabled()
    await until(section.remedy.isVisible)
    assert section.remedy.text() == "Remove what is damaged: 2"
    click(qtbot, section.remedy)
    await until(lambda: shown(section) and not section.problem.isVisible())
    assert section.add.isEnabled() and not section.remedy.isVisible()


async def test_rules_changed_elsewhere_are_seen_when_one_comes_back(
    qtbot: QtBot, open_window: OpenWindow, hub: WindowHub
) -> None:
    section = await opened(qtbot, open_window)
    hub.rules.rules = edited(hub.rules.rules, AddRule(rule=Rule(tool="late", priority=30)))
    section.hide()
    section.show()
    await until(lambda: "6 late  ask" in shown(section))
