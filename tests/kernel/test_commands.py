"""Slash commands on a real core: what goes to the model, what is answered, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from placet.core.domain import events
from placet.core.domain.commands import CommandOutcome
from placet.core.domain.errors import NoModel, SessionBusy, UnknownItem, UsageError
from placet.core.domain.messages import Mode
from support.conversations import CONFIG, Talk, talk
from support.scripted_model import ScriptedModel, say

TWO_MODELS = CONFIG + '\n[[models]]\nname = "second one"\nprovider = "scripted"\nmodel_id = "two"\n'


def _own(home: Path, name: str, content: str) -> None:
    folder = home / "commands" / name
    folder.mkdir(parents=True)
    (folder / "COMMAND.md").write_text(content)


async def _type(conversation: Talk, text: str) -> CommandOutcome | None:
    return await conversation.hub.commands.submit(conversation.source, text)


async def _answer(conversation: Talk, text: str) -> CommandOutcome:
    outcome = await _type(conversation, text)
    assert outcome is not None
    return outcome


async def test_text_goes_to_the_model_as_it_is(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say("Full indeed."))
    async with talk(placet_home, model, tmp_path) as conversation:
        assert await _type(conversation, "/usr/bin is full") is None
        echo = await conversation.next(events.UserMessage)
        assert (echo.content, echo.typed) == ("/usr/bin is full", "")
        await conversation.until_idle()
        with pytest.raises(UsageError):
            await _type(conversation, "  ")


async def test_two_slashes_send_a_text_that_looks_like_a_command(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say("A command of yours."))
    async with talk(placet_home, model, tmp_path) as conversation:
        assert await _type(conversation, "//help is what?") is None
        echo = await conversation.next(events.UserMessage)
        assert (echo.content, echo.typed) == ("/help is what?", "//help is what?")
        await conversation.until_idle()
    assert model.requests[0]["messages"][-1]["content"].startswith("/help is what?")


async def test_send_message_knows_no_commands(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say("ok"))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.say("/help")
    assert model.requests[0]["messages"][-1]["content"].startswith("/help")


async def test_the_model_gets_the_expanded_text_and_the_bubble_what_was_typed(
    placet_home: Path, tmp_path: Path
) -> None:
    _own(placet_home, "greet", "+++\ntools = ['read_file']\n+++\nGreet {{args}} in Latin.")
    model = ScriptedModel(say("Salve."))
    async with talk(placet_home, model, tmp_path) as conversation:
        assert await _type(conversation, "/greet Ada\n") is None
        echo = await conversation.next(events.UserMessage)
        assert (echo.content, echo.typed) == ("Greet Ada in Latin.", "/greet Ada")
        await conversation.until_idle()
        page = await conversation.hub.history.newest(conversation.session_id)
        assert page.messages[0].content == "Greet Ada in Latin."
        assert page.messages[0].metadata == {"typed": "/greet Ada", "tools": ["read_file"]}
        assert page.session.title == "/greet Ada"
    assert model.requests[0]["messages"][-1]["content"].startswith("Greet Ada in Latin.")


async def test_h6_a_queued_command_comes_back_as_it_was_typed(placet_home: Path, tmp_path: Path) -> None:
    _own(placet_home, "greet", "Greet {{args}} in Latin.")
    model = ScriptedModel(say("thinking", stalls=True))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        await conversation.next(events.TextDelta)
        await _type(conversation, "/greet Ada")
        await _type(conversation, "//help")
        assert conversation.hub.queued("desktop") == ("/greet Ada", "//help")
        assert await conversation.hub.drop_queued("desktop", 1) == "//help"
        outcome = await _answer(conversation, "/stop")
        assert outcome.returned == ("/greet Ada",)
        await conversation.until_idle()
        assert (await _answer(conversation, "/stop")).words == "Nothing is running in this chat."


async def test_h6_a_queued_command_is_kept_as_it_was_typed_until_it_is_history(
    placet_home: Path, tmp_path: Path
) -> None:
    _own(placet_home, "greet", "Greet {{args}} in Latin.")
    async with talk(placet_home, ScriptedModel(say("thinking", stalls=True)), tmp_path) as conversation:
        await conversation.hub.register("desktop")
        await conversation.send("go")
        await conversation.next(events.TextDelta)
        await _type(conversation, "/greet Ada")
    async with talk(placet_home, ScriptedModel(say("Salve.")), tmp_path) as conversation:
        assert await conversation.hub.take_drafts("desktop") == ["/greet Ada"]
        await conversation.hub.register("desktop")
        await _type(conversation, "/greet Ada")
        await conversation.until_idle()
        assert await conversation.hub.take_drafts("desktop") == []


async def test_an_unknown_command_is_refused_and_no_model_sees_it(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel()
    async with talk(placet_home, model, tmp_path) as conversation:
        with pytest.raises(UsageError) as refused:
            await _type(conversation, "/modl small")
        assert refused.value.message == "There is no command /modl."
        assert "Did you mean /model?" in refused.value.hint
        assert "resume, review, " in refused.value.hint and "//modl" in refused.value.hint
        page = await conversation.hub.history.newest(conversation.session_id)
        assert page.messages == ()
    assert model.requests == []


async def test_built_in_commands_win_and_own_ones_replace_shipped_ones(placet_home: Path, tmp_path: Path) -> None:
    _own(placet_home, "help", "mine")
    _own(placet_home, "review", "+++\ndescription = 'my way'\n+++\nmine")
    _own(placet_home, "bad", "")
    async with talk(placet_home, ScriptedModel(), tmp_path) as conversation:
        commands = conversation.hub.commands
        known = {info.name: info for info in commands.known()}
        assert (known["review"].description, known["review"].is_own) == ("my way", True)
        assert not known["help"].is_own and not known["explain"].is_own
        assert [name for name in known if [i.name for i in commands.known()].count(name) > 1] == []
        assert commands.problems() == [
            "commands/bad: it has no text to send; it is ignored.",
            "commands/help: /help is built in, so this one is never used.",
        ]
        told = await _answer(conversation, "/help")
        assert [name.split()[0] for name, _ in told.pairs] == [f"/{name}" for name in known]
        assert "commands/bad" in told.words


async def test_every_command_that_is_listed_can_be_typed(placet_home: Path, tmp_path: Path) -> None:
    """Only what works is shown: each built-in answers, or refuses in words that fit the moment."""
    async with talk(placet_home, ScriptedModel(), tmp_path) as conversation:
        for info in conversation.hub.commands.known():
            if info.name in ("review", "explain", "commit-message"):
                continue
            try:
                await _type(conversation, f"/{info.name}")
            except UsageError as refused:
                assert (info.name, refused.message) == ("resume", "No turn was interrupted in this chat.")


async def test_what_follows_a_command_that_takes_nothing_is_not_lost(placet_home: Path, tmp_path: Path) -> None:
    async with talk(placet_home, ScriptedModel(), tmp_path) as conversation:
        with pytest.raises(UsageError, match="/new takes nothing after it"):
            await _type(conversation, "/new how are you?")
        with pytest.raises(UsageError, match="takes no files"):
            await conversation.hub.commands.submit("desktop", "/help", attachments=["a.png"])
        assert await conversation.hub.register("desktop") == conversation.session_id


@pytest.mark.parametrize("command", ["/new", "/clear"])
async def test_new_begins_a_session_and_keeps_the_old_one(placet_home: Path, tmp_path: Path, command: str) -> None:
    async with talk(placet_home, ScriptedModel(say("hi")), tmp_path) as conversation:
        await conversation.say("hello")
        opened = (await _answer(conversation, command)).opened
        assert opened == await conversation.hub.register("desktop") != conversation.session_id
        assert len((await conversation.hub.history.newest(conversation.session_id)).messages) == 2


async def test_the_model_is_told_and_chosen(placet_home: Path, tmp_path: Path) -> None:
    async with talk(placet_home, ScriptedModel(), tmp_path, config=TWO_MODELS) as conversation:
        assert (await _answer(conversation, "/model")).words == "script answers in this chat."
        await _answer(conversation, "/model second one")
        assert (await conversation.hub.history.session(conversation.session_id)).model == "second one"
        assert (await _answer(conversation, "/model")).words == "second one answers in this chat."
        models = dict((await _answer(conversation, "/models")).pairs)
        assert "the default" in models["script"] and "answers in this chat" in models["second one"]
        with pytest.raises(NoModel, match="Did you mean second one"):
            await _type(conversation, "/model second on")


async def test_the_model_is_not_changed_under_a_running_turn(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say("thinking", stalls=True))
    async with talk(placet_home, model, tmp_path, config=TWO_MODELS) as conversation:
        await conversation.send("go")
        await conversation.next(events.TextDelta)
        with pytest.raises(SessionBusy):
            await _type(conversation, "/model second one")
        with pytest.raises(UsageError, match="The turn is running"):
            await _type(conversation, "/resume")
        await _type(conversation, "/stop")


async def test_the_mode_is_told_and_chosen(placet_home: Path, tmp_path: Path) -> None:
    async with talk(placet_home, ScriptedModel(), tmp_path) as conversation:
        assert (await _answer(conversation, "/mode")).words.startswith("Mode ask:")
        for typed, mode in (("Ask all", Mode.ASK_ALL), ("ask-all", Mode.ASK_ALL), ("edits", Mode.EDITS)):
            await _answer(conversation, f"/mode {typed}")
            assert (await conversation.hub.history.session(conversation.session_id)).context.mode is mode
        with pytest.raises(UsageError, match="Did you mean edits"):
            await _type(conversation, "/mode edit")


async def test_steps_limit_the_rounds_of_this_session(placet_home: Path, tmp_path: Path) -> None:
    again = [say("once more").calling("list_files", {}, f"c{number}") for number in range(3)]
    async with talk(placet_home, ScriptedModel(*again, say("end")), tmp_path) as conversation:
        assert "20 rounds" in (await _answer(conversation, "/steps")).words
        assert "2 rounds" in (await _answer(conversation, "/steps 2")).words
        await conversation.send("go")
        error = await conversation.next(events.Error)
        assert error.code == "rounds_exhausted" and "2 rounds" in error.message
        await conversation.until_idle()
        context = (await conversation.hub.history.session(conversation.session_id)).context
        assert context.max_rounds == 2
        await _answer(conversation, "/steps 0")
        assert "any number" in (await _answer(conversation, "/steps")).words
        await conversation.say("go on")
        assert "Done" in conversation.names()
        await _answer(conversation, "/steps default")
        assert "20 rounds" in (await _answer(conversation, "/steps")).words
        for wrong in ("-1", "two", "1.5", "٣", "9999999"):
            with pytest.raises(UsageError, match="no number of rounds"):
                await _type(conversation, f"/steps {wrong}")


async def test_the_own_limit_of_rounds_is_there_after_a_restart(placet_home: Path, tmp_path: Path) -> None:
    async with talk(placet_home, ScriptedModel(), tmp_path) as conversation:
        await _type(conversation, "/steps 1")
    model = ScriptedModel(say("once").calling("list_files", {}))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        assert (await conversation.next(events.Error)).code == "rounds_exhausted"
        await conversation.until_idle()


async def test_the_cost_and_the_context_are_told_in_words(placet_home: Path, tmp_path: Path) -> None:
    async with talk(placet_home, ScriptedModel(say("hi")), tmp_path) as conversation:
        assert (await _answer(conversation, "/cost")).words == "No tokens were counted in this chat yet."
        await conversation.say("hello")
        assert (await _answer(conversation, "/cost")).words.startswith("This chat: 10 tokens in, 5 out. What it cost")
        words = (await _answer(conversation, "/context")).words
        assert "of 128,000 tokens are used" in words and words.endswith("8,192 are kept for the answer.")


async def test_a_price_makes_the_cost_known(placet_home: Path, tmp_path: Path) -> None:
    priced = CONFIG + "price_input_per_million = 1000.0\nprice_output_per_million = 2000.0\n"
    async with talk(placet_home, ScriptedModel(say("hi")), tmp_path, config=priced) as conversation:
        await conversation.say("hello")
        assert (await _answer(conversation, "/cost")).words == "This chat: 10 tokens in, 5 out, $0.020."


async def test_the_title_is_told_and_changed(placet_home: Path, tmp_path: Path) -> None:
    async with talk(placet_home, ScriptedModel(), tmp_path) as conversation:
        assert (await _answer(conversation, "/title")).words == "This chat has no title yet."
        await _answer(conversation, "/title The\nparser ")
        assert (await conversation.hub.history.session(conversation.session_id)).title == "The parser"


async def test_resume_goes_on_with_a_turn_that_was_stopped(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say("half a", stalls=True), say("The whole."))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        await conversation.next(events.TextDelta)
        await _type(conversation, "/stop")
        await conversation.until_idle()
        assert await _type(conversation, "/resume") is None
        assert (await conversation.next(events.Done)).content == "The whole."
        await conversation.until_idle()


async def test_s7_a_command_that_only_looks_makes_no_session_the_active_one(placet_home: Path, tmp_path: Path) -> None:
    async with talk(placet_home, ScriptedModel(say("a"), say("b")), tmp_path) as conversation:
        await conversation.say("hello")
        old, hub = conversation.session_id, conversation.hub
        new = await hub.clear("desktop")
        told = await hub.commands.submit("desktop", "/cost", shown=old)
        assert told is not None and told.words.startswith("This chat: 10 tokens in")
        await hub.commands.submit("desktop", "/title Looked at", shown=old)
        assert (await hub.history.session(old)).title == "Looked at"
        assert await hub.register("desktop") == new
        await hub.commands.submit("desktop", "/mode edits", shown=old)
        assert await hub.register("desktop") == old
        assert (await hub.history.session(old)).context.mode is Mode.EDITS
        await hub.commands.submit("desktop", "and on", shown=new)
        await conversation.next(events.Done)
        assert (await hub.history.newest(new)).messages[0].content == "and on"
        await conversation.until_idle()


async def test_names_complete_by_their_beginning_first(placet_home: Path, tmp_path: Path) -> None:
    _own(placet_home, "remodel", "Do it over.")
    async with talk(placet_home, ScriptedModel(), tmp_path) as conversation:
        complete = conversation.hub.commands.complete
        assert [each.typed for each in await complete("/mode")] == ["/mode ", "/model ", "/models", "/remodel"]
        assert [each.is_own for each in await complete("/remo")] == [True]
        assert len(await complete("/")) == len(conversation.hub.commands.known())
        for nothing in ("", "/Mo", "x /mo", "/nothing", "/help ", "/help x", "//", "/mode\nx", "/review par"):
            assert list(await complete(nothing)) == []


async def test_models_and_modes_complete_as_arguments(placet_home: Path, tmp_path: Path) -> None:
    async with talk(placet_home, ScriptedModel(), tmp_path, config=TWO_MODELS) as conversation:
        complete = conversation.hub.commands.complete
        assert [each.typed for each in await complete("/model ")] == ["/model script", "/model second one"]
        assert [each.label for each in await complete("/model Sec")] == ["second one"]
        assert [each.label for each in await complete("/model second o")] == ["second one"]
        assert [each.label for each in await complete("/mode a")] == ["ask", "ask_all", "auto"]


async def test_the_agent_is_told_chosen_and_completed(placet_home: Path, tmp_path: Path) -> None:
    own = placet_home / "agents" / "tutor"
    own.mkdir(parents=True)
    (own / "AGENT.md").write_text("You teach.")
    (own / "agent.toml").write_text('type = "chat"\ndescription = "teaches"\nfriendly = "Teaches."\n')
    model = ScriptedModel(say("Listen."))
    async with talk(placet_home, model, tmp_path) as conversation:
        assert (await _answer(conversation, "/agent")).words == "assistant answers in this chat."
        await _answer(conversation, "/agent tutor")
        with pytest.raises(UsageError):
            await _type(conversation, "/agent researcher")
        with pytest.raises(UnknownItem):
            await _type(conversation, "/agent nobody")
        completions = await conversation.hub.commands.complete("/agent t")
        assert "/agent tutor" in [completion.typed for completion in completions]
        await conversation.say("go")
    assert model.requests[0]["messages"][0]["content"].startswith("You teach.")


async def test_the_home_of_notifications_is_chosen(placet_home: Path, tmp_path: Path) -> None:
    async with talk(placet_home, ScriptedModel(), tmp_path, source="elsewhere") as conversation:
        await _answer(conversation, "/sethome")
        assert await conversation.hub.home() == "elsewhere"
