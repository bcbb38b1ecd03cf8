"""What a person makes of a call before they approve it (`R-5`): other bytes, fewer hunks, another command.

What comes out is the effect that is bound to the approval, as the shown one was.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from placet.core.domain.errors import ToolFailure, UsageError
from placet.core.domain.hidden import visible
from placet.core.domain.review import ChosenHunks, EditableText, EditedText, Proposal
from placet.core.domain.tools import Command, Operation
from placet.core.review.choosing import with_hunks, with_text
from placet.core.review.decoding import read_content
from placet.core.review.diff_lines import changed_blocks
from placet.core.review.files import MAX_BYTES, digest_of
from placet.core.review.requests import binding_of

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


def with_content(effect: Effect, amendment: ChosenHunks | EditedText) -> Effect:
    """Return the write that the person wants instead. For a worker thread. Raises: UsageError, in words for them."""
    if effect.proposal is None:
        raise UsageError("This call writes no file, so there is nothing of a file to change in it.")
    if isinstance(amendment, ChosenHunks):
        if amendment.of:
            _check_shown(effect, effect.proposal, amendment.of)
        return _with_bytes(effect, effect.proposal, _chosen(effect.proposal, amendment.hunks), _WITH_HUNKS)
    edited = _with_bytes(effect, effect.proposal, _edited(effect.proposal, amendment.text), _WITH_TEXT)
    if amendment.hunks is None or edited.proposal is None:
        return edited
    _check_shown(effect, edited.proposal, amendment.of)
    return _with_bytes(effect, effect.proposal, _chosen(edited.proposal, amendment.hunks), _WITH_TEXT)


def with_command(effect: Effect, command: str, edit_command: CommandEditor) -> Effect:
    """Return the command that the person wants instead. Raises: UsageError, in words for them."""
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


def editable_text(proposal: Proposal) -> EditableText:
    """The new side for an editor."""
    content = read_content(proposal.new)
    if content.is_binary or content.is_guess:
        return EditableText(trouble="The new content is no Unicode text, so it can only be taken or rejected whole.")
    text = "\n".join(content.lines)
    return EditableText(text=f"{text}\n" if content.lines and content.ends_with_newline else text)


def _check_shown(effect: Effect, proposal: Proposal, shown: str) -> None:
    """Hunks are numbers in one difference: this one must be the one they were chosen in."""
    if shown != binding_of(effect.operation, proposal):
        raise UsageError("The file has changed since its hunks were shown.", hint="Look at it again.")


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


def _with_bytes(effect: Effect, proposal: Proposal, new: bytes, what: str) -> Effect:
    if new == proposal.new:
        return effect
    if new == proposal.old:
        raise UsageError("Nothing of the change is left.", hint="Reject it instead.")
    if len(new) > MAX_BYTES:
        raise UsageError(f"The text has {len(new):,} bytes; more than {MAX_BYTES:,} cannot be reviewed.")
    after = read_content(new)
    blocks = changed_blocks(read_content(proposal.old).lines, after.lines)
    added, removed = sum(block.b2 - block.b1 for block in blocks), sum(block.a2 - block.a1 for block in blocks)
    changed = msgspec.structs.replace(
        proposal,
        new=new,
        new_digest=digest_of(new),
        result=f"Wrote {proposal.shown_path} (+{added} −{removed}).",
        added=added,
        removed=removed,
    )
    told = _told(read_content(proposal.new).lines, after.lines)
    note = f"{what} From your proposal (-) to what was written (+):\n{told}"
    return Effect(operation=effect.operation, proposal=changed, note=note)


def _told(proposed: list[str], written: list[str]) -> str:
    """The difference for a model, without lines around it; of a long one the beginning."""
    lines: list[str] = []
    size = 0
    blocks = changed_blocks(proposed, written)
    for number, block in enumerate(blocks):
        lines.append(f"@@ line {block.a1 + 1} @@")
        lines += [f"-{visible(line)}" for line in proposed[block.a1 : block.a2]]
        lines += [f"+{visible(line)}" for line in written[block.b1 : block.b2]]
        size += sum(map(len, proposed[block.a1 : block.a2])) + sum(map(len, written[block.b1 : block.b2]))
        if size > _MOST_TOLD:
            text = "\n".join(lines)
            return f"{text[:_MOST_TOLD]}\n[… and {len(blocks) - number - 1:,} more places]\n"
    return "\n".join([*lines, ""]) if lines else "(no line differs, only line endings or the encoding)\n"
