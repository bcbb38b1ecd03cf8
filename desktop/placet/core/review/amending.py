"""What a person makes of a call before they approve it (`R-5`): other bytes, fewer hunks, another command.

Runs in a worker thread. What comes out is the effect that is bound to the approval, as the shown one was.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from placet.core.domain.errors import ToolFailure, UsageError
from placet.core.domain.review import Amendment, ChosenHunks, EditableText, EditedCommand, EditedText, Proposal
from placet.core.domain.tools import Command, Operation
from placet.core.review.choosing import with_hunks, with_text
from placet.core.review.decoding import read_content
from placet.core.review.diffing import diff_contents, unified_text
from placet.core.review.files import MAX_BYTES, digest_of

CommandEditor = Callable[[str], Operation]
_MOST_TOLD = 20_000  # characters of a difference that the model is told
_WITH_HUNKS = "The person approved only a part of your change."
_WITH_TEXT = "The person changed your proposal before approving it."
_WITH_COMMAND = "The person changed your command before approving it."


class Effect(msgspec.Struct, frozen=True, kw_only=True):
    """What exactly one call does when it may. `note` tells the model what a person changed."""

    operation: Operation
    proposal: Proposal | None = None
    note: str = ""


def amend(effect: Effect, amendment: Amendment, edit_command: CommandEditor) -> Effect:
    """Return the effect that the person wants instead. Raises: UsageError, in words for the person."""
    match amendment:
        case EditedCommand(command):
            return _with_command(effect, command, edit_command)
        case ChosenHunks(hunks):
            proposal = _proposal_of(effect)
            return _with_content(effect, proposal, _chosen(proposal, hunks), _WITH_HUNKS)
        case EditedText(text):
            proposal = _proposal_of(effect)
            return _with_content(effect, proposal, _edited(proposal, text), _WITH_TEXT)


def editable_text(proposal: Proposal) -> EditableText:
    """The new side for an editor."""
    content = read_content(proposal.new)
    if content.is_binary or content.is_guess:
        return EditableText(trouble="The new content is no Unicode text, so it can only be taken or rejected whole.")
    text = "\n".join(content.lines)
    return EditableText(text=f"{text}\n" if content.lines and content.ends_with_newline else text)


def _proposal_of(effect: Effect) -> Proposal:
    if effect.proposal is None:
        raise UsageError("This call writes no file, so there is nothing of a file to change in it.")
    return effect.proposal


def _chosen(proposal: Proposal, hunks: tuple[int, ...]) -> bytes:
    try:
        return with_hunks(proposal.old or b"", proposal.new, hunks)
    except ValueError:
        raise UsageError(
            "The hunks of this change cannot be decided one by one.", hint="Edit it, or approve or reject it whole."
        ) from None


def _edited(proposal: Proposal, text: str) -> bytes:
    content = read_content(proposal.new)
    trouble = editable_text(proposal).trouble
    if trouble:
        raise UsageError(trouble)
    try:
        return with_text(content, text)
    except UnicodeEncodeError as error:
        raise UsageError(f"The text holds a character that {content.encoding} has not: {error.reason}.") from error


def _with_content(effect: Effect, proposal: Proposal, new: bytes, what: str) -> Effect:
    if new == proposal.new:
        return effect
    if new == proposal.old:
        raise UsageError("Nothing of the change is left.", hint="Reject it instead.")
    if len(new) > MAX_BYTES:
        raise UsageError(f"The text has {len(new):,} bytes; more than {MAX_BYTES:,} cannot be reviewed.")
    diff = diff_contents(str(proposal.path), proposal.old, new)
    told = unified_text(diff_contents(proposal.shown_path, proposal.new, new), colour=False)
    if len(told) > _MOST_TOLD:
        told = f"{told[:_MOST_TOLD]}\n[… {len(told) - _MOST_TOLD:,} more characters]\n"
    note = f"{what} From your proposal (-) to what was written (+):\n{told}"
    changed = msgspec.structs.replace(
        proposal,
        new=new,
        new_digest=digest_of(new),
        result=f"Wrote {proposal.shown_path} (+{diff.added} −{diff.removed}).",
        added=diff.added,
        removed=diff.removed,
    )
    return Effect(operation=effect.operation, proposal=changed, note=note)


def _with_command(effect: Effect, command: str, edit_command: CommandEditor) -> Effect:
    operation = effect.operation
    if not isinstance(operation, Command):
        raise UsageError("This call runs no command, so there is no command to change in it.")
    if command == operation.command:
        return effect
    try:
        edited = edit_command(command)
    except ToolFailure as failure:
        raise UsageError(failure.message) from failure
    return Effect(operation=edited, note=f"{_WITH_COMMAND} What ran instead:\n{command}")
