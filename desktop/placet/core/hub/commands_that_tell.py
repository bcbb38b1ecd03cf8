"""Built-in commands that only look: what there is, what is set, what it cost."""

from __future__ import annotations

from placet.core.domain.commands import CommandInfo, CommandOutcome
from placet.core.domain.messages import Mode
from placet.core.domain.model_calls import Model
from placet.core.hub.asked import Asked

MODES = {
    Mode.ASK: "ask before every write and command",
    Mode.ASK_ALL: "ask before every call",
    Mode.EDITS: "let edits pass, ask for the rest",
    Mode.AUTO: "let everything pass that no rule denies",
}


async def show_help(asked: Asked) -> CommandOutcome:
    commands = asked.hub.commands
    pairs = [(_called(info), info.description) for info in commands.known()]
    words = "\n".join(("To send a text that begins like a command, begin it with //.", *commands.problems()))
    return CommandOutcome(command="help", words=words, pairs=tuple(pairs))


def _called(info: CommandInfo) -> str:
    return f"/{info.name} {info.arguments_hint}".strip()


async def show_models(asked: Asked) -> CommandOutcome:
    models = await asked.hub.catalogue.models()
    if not models:
        return CommandOutcome(command="models", words="No model is configured. Add one in the settings.")
    current = await current_model(asked)
    pairs = [(model.name, _about(model, is_current=model.name == current)) for model in models]
    return CommandOutcome(command="models", pairs=tuple(pairs))


def _about(model: Model, *, is_current: bool) -> str:
    size = f"{model.context_length:,} tokens" if model.context_length else ""
    marks = ("the default" if model.default else "", "answers in this chat" if is_current else "")
    facts = (model.provider, model.model_id if model.model_id != model.name else "", size, *marks)
    return ", ".join(fact for fact in facts if fact)


async def current_model(asked: Asked) -> str:
    """The model that answers in the session: its own, else the default one. Empty where there is none."""
    chosen = (await asked.session()).model
    return chosen or next((model.name for model in await asked.hub.catalogue.models() if model.default), "")


async def show_context(asked: Asked) -> CommandOutcome:
    """Raises: NoModel."""
    info = await asked.hub.context_info(asked.session_id)
    share = round(100 * info.used / info.window)
    words = f"{info.used:,} of {info.window:,} tokens are used ({share} %); {info.reserved:,} are kept for the answer."
    if not info.window_known:
        words += " The model's window is not known; this is a careful guess."
    return CommandOutcome(command="context", words=words)


async def show_cost(asked: Asked) -> CommandOutcome:
    session = await asked.session()
    used = f"{session.input_tokens:,} tokens in, {session.output_tokens:,} out"
    if not session.input_tokens and not session.output_tokens:
        words = "No tokens were counted in this chat yet."
    elif session.cost is None:
        words = f"This chat: {used}. What it cost is not known: no price is set for its models."
    else:
        words = f"This chat: {used}, ${session.cost:.3f}."
    return CommandOutcome(command="cost", words=words)
