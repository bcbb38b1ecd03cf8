"""Edit then approve: what is approved is what was shown, byte for byte, and nothing that was written is lost."""

from __future__ import annotations

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from placet.core.domain.errors import StoreError, UsageError
from placet.core.domain.review import BypassGrant, BypassScope, EditableText, EditedCommand, EditedText
from placet.core.review.diffing import diff_contents
from placet.ui.theme.theme import Theme
from placet.ui.widgets.editor.code_editor import CodeEditor
from support.review_desk import waiting
from support.review_samples import command_request, write_request

CONTROL = Qt.KeyboardModifier.ControlModifier
OLD = "".join(f"line {n}\n" for n in range(1, 60))
NEW = OLD.replace("line 5\n", "line five\n").replace("line 40\n", "line forty\n")


async def asked(hub, model, settle, old: str = OLD, new: str = NEW, **fields) -> None:
    diff = msgspec.structs.replace(diff_contents("src/parser.py", old.encode(), new.encode()), can_choose=True)
    request = write_request(**fields)
    hub.contents[request.id] = old, new
    hub.ask(request, diff)
    model.refresh()
    await settle()


async def opened(desk, settle) -> None:
    desk.pane.content.currentWidget().setFocus()
    desk.key(Qt.Key.Key_E)
    await settle()
    assert desk.editor.hasFocus()


async def test_r_5_what_is_approved_after_an_edit_is_what_was_shown(desk, hub, model, clock, settle) -> None:
    await asked(hub, model, settle)
    await opened(desk, settle)
    assert desk.editor.textCursor().blockNumber() == 4  # at the current hunk
    QTest.keyClicks(desk.editor, "my ")
    desk.key(Qt.Key.Key_Return, CONTROL)
    await settle()
    assert "my line five" in desk.diff.plain_text()
    assert "edited by you" in desk.pane.subject.accessibleName()
    assert "edited by you" in desk.diff.painted_items.item_text(0)
    assert "edited by you" not in desk.diff.painted_items.item_text(1)
    assert desk.button("approveButton").text() == "Approve your version"
    clock.pass_ms(500)
    desk.key(Qt.Key.Key_Return)
    await settle()
    assert hub.amendments == {"request-1": EditedText(NEW.replace("line five", "my line five"))}


async def test_the_key_that_ends_the_edit_does_not_approve(desk, hub, model, clock, settle) -> None:
    await asked(hub, model, settle)
    clock.pass_ms(500)
    await opened(desk, settle)
    QTest.keyClicks(desk.editor, "x")
    desk.key(Qt.Key.Key_Return, CONTROL)
    await settle()
    desk.key(Qt.Key.Key_Return)
    await settle()
    assert hub.decided == []


async def test_nothing_can_be_decided_while_the_editor_is_open(desk, hub, model, clock, settle) -> None:
    await asked(hub, model, settle)
    clock.pass_ms(500)
    await opened(desk, settle)
    for key in (Qt.Key.Key_A, Qt.Key.Key_S, Qt.Key.Key_R, Qt.Key.Key_Return):
        desk.key(key)
    model.approve()
    await settle()
    assert hub.decided == []
    assert not desk.button("approveButton").isVisible()
    assert desk.editor.content().startswith("line 1\nline 2\nline 3\nline 4\nasr\nline five\n")


async def test_escape_goes_back_and_what_was_written_is_there_again(desk, hub, model, settle) -> None:
    await asked(hub, model, settle)
    await opened(desk, settle)
    QTest.keyClicks(desk.editor, "half a thought")
    desk.key(Qt.Key.Key_Escape)
    await settle()
    assert not desk.editor.isVisible()
    assert "half a thought" not in desk.diff.plain_text()
    assert "E opens it again" in desk.pane.bar.hint.text()
    desk.key(Qt.Key.Key_E)
    await settle()
    assert "half a thought" in desk.editor.content()


async def test_r_17_what_was_written_outlives_a_proposal_made_anew(desk, hub, model, clock, settle) -> None:
    await asked(hub, model, settle)
    await opened(desk, settle)
    QTest.keyClicks(desk.editor, "kept ")
    desk.key(Qt.Key.Key_Return, CONTROL)
    await settle()
    moved = OLD.replace("line 20\n", "line twenty\n")
    fresh = write_request(id="request-1b")
    hub.contents["request-1b"] = moved, NEW
    hub.make_stale("request-1", fresh, diff_contents("src/parser.py", moved.encode(), NEW.encode()))
    model.refresh()
    await settle()
    assert "kept" not in desk.diff.plain_text()  # it was written on what is not there any more
    clock.pass_ms(500)
    assert desk.button("approveButton").text() == "Approve all 3 hunks"
    desk.key(Qt.Key.Key_E)
    await settle()
    assert "kept line five" in desk.editor.content()


async def test_r_5_nothing_is_approved_of_a_proposal_made_anew_before_it_is_shown(
    desk, hub, model, clock, settle
) -> None:
    await asked(hub, model, settle)
    await opened(desk, settle)
    QTest.keyClicks(desk.editor, "old ")
    desk.key(Qt.Key.Key_Return, CONTROL)
    await settle()
    hub.make_stale("request-1", write_request(id="request-1b"), diff_contents("src/parser.py", b"a", b"b"))
    hub.refusals["request_diff"] = StoreError("The diff cannot be made.")
    model.refresh()
    await settle()
    clock.pass_ms(1000)
    assert not desk.button("approveButton").isEnabled()
    model.approve()
    await settle()
    assert hub.decided == []


async def test_an_editor_that_was_left_as_it_was_opened_keeps_nothing(desk, hub, model, settle) -> None:
    await asked(hub, model, settle)
    await opened(desk, settle)
    desk.key(Qt.Key.Key_Escape)
    await settle()
    assert not desk.pane.bar.hint.isVisible()
    desk.diff.setFocus()
    desk.key(Qt.Key.Key_S)
    await opened(desk, settle)
    assert desk.editor.content() == OLD.replace("line 40\n", "line forty\n")


async def test_r_17_a_proposal_made_anew_leaves_an_open_editor_open(desk, hub, model, settle) -> None:
    await asked(hub, model, settle)
    await opened(desk, settle)
    QTest.keyClicks(desk.editor, "typing ")
    hub.contents["request-1b"] = OLD, NEW
    diff = diff_contents("src/parser.py", OLD.encode(), (NEW + "more\n").encode())
    hub.make_stale("request-1", write_request(id="request-1b"), diff)
    model.refresh()
    await settle()
    assert desk.editor.hasFocus()
    assert "typing line five" in desk.editor.content()
    desk.key(Qt.Key.Key_Return, CONTROL)
    await settle()
    assert "typing line five" in desk.diff.plain_text()


async def test_going_to_another_request_keeps_the_open_editor_and_its_text(desk, hub, model, settle) -> None:
    await asked(hub, model, settle)
    await waiting(hub, model, settle, command_request("ls", 2))
    await opened(desk, settle)
    QTest.keyClicks(desk.editor, "first ")
    model.next()
    await settle()
    assert desk.exact.isVisible()
    model.previous()
    await settle()
    assert desk.editor.isVisible()
    assert "first line five" in desk.editor.content()


async def test_back_to_the_proposal_forgets_the_own_text(desk, hub, model, clock, settle) -> None:
    await asked(hub, model, settle)
    await opened(desk, settle)
    QTest.keyClicks(desk.editor, "mine ")
    desk.key(Qt.Key.Key_Return, CONTROL)
    await settle()
    desk.click(desk.button("backToProposal"))
    await settle()
    assert "mine" not in desk.diff.plain_text()
    clock.pass_ms(500)
    desk.click(desk.button("approveButton"))
    await settle()
    assert (hub.decided, hub.amendments) == ([("request-1", "approved", "")], {})


async def test_an_unchanged_text_is_no_edit(desk, hub, model, clock, settle) -> None:
    await asked(hub, model, settle)
    await opened(desk, settle)
    desk.key(Qt.Key.Key_Return, CONTROL)
    await settle()
    clock.pass_ms(500)
    desk.click(desk.button("approveButton"))
    await settle()
    assert hub.amendments == {}


HARD = {
    "no-break space and separators": "a\u00a0b\u2028c\u2029d\n",
    "carriage returns": "a\rb\r\n",
    "direction and zero width": "x\u202e \u2066y\u2069\u200b\ufeff\n",
    "controls": "bell\x07 null\x00 escape\x1b[0m\n",
    "emoji of several": "👨\u200d👩\u200d👧 ✔\ufe0f 1\u20e3\n",
    "frame marks of Qt": "a\ufdd0b\ufdd1c\ufffc\n",
    "no newline at the end": "a\nb",
    "names of hidden characters": "<U+202E> is not \u202e\n",
    "empty": "",
    "tabs and trailing blanks": "\tif x:  \n\t\ty\t\n\n\n",
}


@pytest.mark.parametrize("text", HARD.values(), ids=HARD.keys())
def test_r_7_the_editor_gives_back_exactly_what_it_was_given(desk, text: str) -> None:
    trouble = desk.editor.set_content(text)
    assert trouble or desk.editor.content() == text
    if "\ufdd0" not in text:
        assert trouble == ""


async def test_a_hidden_character_is_seen_by_name_and_taken_out_with_it(desk, hub, model, settle) -> None:
    await asked(hub, model, settle, old="a\nb\n", new="a\nb\u202ec\n")
    await opened(desk, settle)
    assert desk.editor.toPlainText() == "a\nb<U+202E>c\n"
    desk.editor.selectAll()
    desk.editor.insertPlainText("a\nbc\n")
    assert desk.editor.content() == "a\nbc\n"


@pytest.mark.parametrize("text", ["x" * 20_000, "<U+202E>⟨U+202E⟩⟦U+202E⟧«U+202E»\u202e"])
async def test_a_text_that_cannot_be_edited_exactly_is_refused_in_words(desk, hub, model, clock, settle, text) -> None:
    await asked(hub, model, settle, old="a\n", new=text)
    desk.diff.setFocus()
    desk.key(Qt.Key.Key_E)
    await settle()
    assert not desk.editor.isVisible()
    assert "cannot be" in desk.pane.error.accessibleName()
    clock.pass_ms(500)
    desk.click(desk.button("approveButton"))
    await settle()
    assert hub.amendments == {}


async def test_what_the_core_says_against_editing_is_shown(desk, hub, model, settle) -> None:
    await asked(hub, model, settle)
    hub.texts["request-1"] = EditableText(trouble="The new content is no Unicode text.")
    desk.diff.setFocus()
    desk.key(Qt.Key.Key_E)
    await settle()
    assert "no Unicode text" in desk.pane.error.accessibleName()


async def test_a_text_that_is_refused_stays_in_the_editor(desk, hub, model, settle) -> None:
    await asked(hub, model, settle)
    await opened(desk, settle)
    QTest.keyClicks(desk.editor, "odd ")
    hub.refusals["request_diff"] = UsageError("Nothing of the change is left.", hint="Reject it instead.")
    desk.key(Qt.Key.Key_Return, CONTROL)
    await settle()
    assert "Nothing of the change is left." in desk.pane.error.accessibleName()
    assert desk.editor.isVisible()
    assert "odd line five" in desk.editor.content()


async def test_editing_after_skipping_begins_without_the_skipped_hunks(desk, hub, model, settle) -> None:
    await asked(hub, model, settle)
    desk.diff.setFocus()
    desk.key(Qt.Key.Key_S)
    await opened(desk, settle)
    assert desk.editor.content() == OLD.replace("line 40\n", "line forty\n")


async def test_r_5_hunks_of_an_edited_text_are_chosen_and_exactly_those_are_approved(
    desk, hub, model, clock, settle
) -> None:
    await asked(hub, model, settle)
    await opened(desk, settle)
    QTest.keyClicks(desk.editor, "my ")
    desk.key(Qt.Key.Key_Return, CONTROL)
    await settle()
    mine = NEW.replace("line five", "my line five")
    desk.key(Qt.Key.Key_N)
    desk.key(Qt.Key.Key_S)
    await settle()
    assert desk.diff.states.skipped == {1}
    assert desk.button("approveButton").text() == "Approve 1 of 2 hunks"
    clock.pass_ms(500)
    desk.key(Qt.Key.Key_Return)
    await settle()
    assert hub.amendments == {"request-1": EditedText(mine, (0,), of=f"the difference to {mine!r}")}


async def test_of_an_edited_text_with_every_hunk_skipped_there_is_nothing_to_approve(
    desk, hub, model, clock, settle
) -> None:
    await asked(hub, model, settle)
    await opened(desk, settle)
    QTest.keyClicks(desk.editor, "my ")
    desk.key(Qt.Key.Key_Return, CONTROL)
    await settle()
    for _ in range(2):
        desk.key(Qt.Key.Key_S)
    clock.pass_ms(500)
    desk.key(Qt.Key.Key_Return)
    await settle()
    assert not desk.button("approveButton").isEnabled()
    assert hub.decided == []


async def test_editing_again_begins_without_the_skipped_hunks_and_going_back_keeps_both(
    desk, hub, model, settle
) -> None:
    await asked(hub, model, settle)
    await opened(desk, settle)
    QTest.keyClicks(desk.editor, "my ")
    desk.key(Qt.Key.Key_Return, CONTROL)
    await settle()
    desk.key(Qt.Key.Key_N)
    desk.key(Qt.Key.Key_Space)
    await opened(desk, settle)
    assert desk.editor.content() == OLD.replace("line 5\n", "my line five\n")
    desk.key(Qt.Key.Key_Escape)
    await settle()
    assert desk.diff.states.skipped == {1}
    assert "my line five" in desk.diff.plain_text()
    assert "line forty" in desk.diff.plain_text()


# ---- commands ----------------------------------------------------------------------------------------------------


async def test_a_command_is_edited_in_place_and_its_facts_are_said_anew(desk, hub, model, clock, settle) -> None:
    await waiting(hub, model, settle, command_request("rm -rf build", facts=("rm -r is unusual",)))
    await opened(desk, settle)
    assert desk.editor.content() == "rm -rf build"
    desk.editor.selectAll()
    QTest.keyClicks(desk.editor, "sudo ls")
    desk.key(Qt.Key.Key_Return, CONTROL)
    await settle()
    assert desk.exact.content == "sudo ls"
    said = desk.exact.notices.accessibleName()
    assert "sudo is unusual" in said
    assert "rm -r is unusual" not in said
    assert desk.button("approveButton").text() == "Run your command"
    clock.pass_ms(500)
    desk.exact.setFocus()
    desk.key(Qt.Key.Key_Return)
    await settle()
    assert hub.amendments == {"request-1": EditedCommand("sudo ls")}


async def test_e04_a_long_edited_command_must_be_seen_to_its_end_too(desk, hub, model, clock, settle) -> None:
    await waiting(hub, model, settle, command_request("ls"))
    await opened(desk, settle)
    desk.editor.selectAll()
    desk.editor.insertPlainText("\n".join(f"echo {n}" for n in range(200)))
    desk.key(Qt.Key.Key_Return, CONTROL)
    await settle()
    clock.pass_ms(500)
    assert not desk.button("approveButton").isEnabled()


# ---- for all of this kind ----------------------------------------------------------------------------------------


def menu_of(desk):
    from PySide6.QtWidgets import QMenu

    return next(menu for menu in desk.pane.findChildren(QMenu) if menu.isVisible())


async def test_r_13_a_bypass_is_granted_only_by_choosing_it(desk, hub, model, clock, settle) -> None:
    await waiting(hub, model, settle, command_request("make test"))
    clock.pass_ms(500)
    desk.exact.setFocus()
    desk.key(Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    menu = menu_of(desk)
    heads = [action.text() for action in menu.actions() if not action.isEnabled() and action.text()]
    assert heads == [
        "Approve this one, and do not ask about",
        "Exactly this command in /home/ann/mdlite",
        "Any command, whatever it does",
        "Everything in this chat that no rule denies",
    ]
    assert hub.decided == []
    rows = [action for action in menu.actions() if action.isEnabled() and action.text()]
    rows[1].trigger()
    menu.close()
    await settle()
    assert hub.grants == {"request-1": BypassGrant(scope=BypassScope.COMMAND, minutes=60)}


async def test_a_menu_that_was_opened_on_another_request_grants_nothing(desk, hub, model, clock, settle) -> None:
    await waiting(hub, model, settle, command_request("make test", 1), command_request("rm -rf /", 2))
    clock.pass_ms(500)
    desk.exact.setFocus()
    desk.key(Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    menu = menu_of(desk)
    await hub.reject("request-1")
    model.refresh()
    await settle()
    clock.pass_ms(500)
    next(action for action in menu.actions() if action.isEnabled() and action.text()).trigger()
    menu.close()
    await settle()
    assert (hub.decided, hub.grants) == ([("request-1", "rejected", "")], {})


def test_an_open_editor_follows_the_theme(qtbot: QtBot, theme: Theme) -> None:
    editor = CodeEditor(theme)
    qtbot.addWidget(editor)
    editor.resize(300, 200)
    editor.show()
    try:
        for name in ("light", "dark", "light"):
            theme.use(name)
            ground = editor.viewport().grab().toImage().pixelColor(250, 150)
            assert ground == theme.color("bg")
    finally:
        theme.use("light")
