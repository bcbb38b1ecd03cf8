"""What stored calls proposed to write, and what became of it: from the journal, the files and the calls' own words."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from placet.core.domain.errors import ToolFailure, UnknownItem
from placet.core.domain.explaining import PastCall
from placet.core.domain.ids import CallId
from placet.core.domain.ports import Toolbox
from placet.core.domain.proposals import Basis, ProposedText, ProposedWrite
from placet.core.domain.review import CallRef, Change, ChangeState
from placet.core.domain.tools import FileWrite, Operation
from placet.core.review.diffing import diff_contents
from placet.core.review.past_proposals import PastProposals, Sides, proposed_from
from placet.core.review.patches import new_text, patch_text
from placet.core.store.store import Store

_NOT_KEPT = "The file as it was then is not kept any more. This is what the proposal would do to it as it is now."
_PARTS = "The file has changed since. These are the pieces that the proposal itself holds; lines count from the first."
_UNKNOWN = "The file has changed since, and does not tell any more what the proposal would have made of it."
_FORGOTTEN = "The contents of this change are past the time that they are kept for."


class PastWrite(NamedTuple):
    """A stored call as the write that it is."""

    past: PastCall
    operation: FileWrite

    @property
    def call(self) -> CallRef:
        """As the gate knows it."""
        call, past = self.past.call, self.past
        return CallRef(
            session_id=past.session_id,
            call_id=call.id,
            name=call.name,
            arguments=call.arguments,
            agent=past.agent,
            source=past.source,
            root_agent=past.root_agent,
        )


class PastWrites:
    """Looking only."""

    def __init__(self, store: Store, tools: Toolbox) -> None:
        self._store, self._tools = store, tools
        self._past = PastProposals(store.changes)

    async def write(self, call_id: CallId) -> PastWrite:
        """Raises: UnknownItem for a call that is none, or writes no file."""
        past = await self._store.past_calls.get(call_id)
        try:
            operation = self._tools.prepare(past.call.name, _arguments(past), past.context)
        except ToolFailure as failure:
            raise UnknownItem(f"This call could never run: {failure.message}") from failure
        if not isinstance(operation, FileWrite):
            raise UnknownItem(f"{past.call.name} writes no file, so there is no difference to show.")
        return PastWrite(past, operation)

    async def sides(self, write: PastWrite) -> Sides | None:
        """Both contents of what was proposed, as far as they can be known."""
        call = write.past.call
        decisions = await self._store.decisions.of_call(call.id)
        at = decisions[0].at if decisions else call.ended_at or call.created_at
        digests = {decision.digest for decision in decisions}
        return await self._past.sides(write.operation, digests, at, await self._below(write))

    async def _below(self, write: PastWrite) -> Sequence[FileWrite]:
        """The writes of the same file that come before this one in its answer."""
        message = await self._store.turns.message(write.past.call.message_id)
        earlier = [call for call in message.calls if call.id < write.past.call.id] if message is not None else []
        found = [self._operation(msgspec.structs.replace(write.past, call=call)) for call in earlier]
        return [each for each in found if isinstance(each, FileWrite) and each.path == write.operation.path]

    def _operation(self, past: PastCall) -> Operation | None:
        try:
            return self._tools.prepare(past.call.name, _arguments(past), past.context)
        except ToolFailure:
            return None

    async def change(self, call_id: CallId) -> Change | None:
        """What the call wrote, also where that is undone by now."""
        change = await self._store.changes.of_call(call_id)
        return change if change is not None and change.state is not ChangeState.ABANDONED else None

    async def told(self, call_id: CallId) -> ProposedWrite:
        """Raises: UnknownItem."""
        write = await self.write(call_id)
        change = await self.change(call_id)
        if change is None:
            return await self._only_proposed(write)
        try:
            return await self._written(write, change)
        except UnknownItem:
            return self._made(write, note=_FORGOTTEN)

    async def _written(self, write: PastWrite, change: Change) -> ProposedWrite:
        """Where a person changed the proposal both are told: what the call itself makes of the same bytes, and this."""
        before, after = await self._store.changes.contents(change.id)
        label = write.operation.label
        written = await asyncio.to_thread(text_of, label, change.path, before, after)
        proposed = await asyncio.to_thread(proposed_from, write.operation, before) if change.note else after
        if proposed is None or proposed == after:
            return self._made(write, path=change.path, proposed=written)
        wanted = await asyncio.to_thread(text_of, label, change.path, before, proposed)
        return self._made(write, path=change.path, proposed=wanted, written=written)

    async def _only_proposed(self, write: PastWrite) -> ProposedWrite:
        label, path = write.operation.label, str(write.operation.path)
        sides = await self.sides(write)
        if sides is not None:
            text = await asyncio.to_thread(text_of, label, path, sides.old, sides.new)
            if sides.is_exact:
                return self._made(write, proposed=text)
            return self._made(write, proposed=text, basis=Basis.NOW, note=_NOT_KEPT)
        old, new = (_arguments(write.past).get(name) for name in ("old_string", "new_string"))
        if isinstance(old, str) and isinstance(new, str):
            text = await asyncio.to_thread(text_of, label, path, old.encode(), new.encode())
            return self._made(write, proposed=text, basis=Basis.PARTS, note=_PARTS)
        return self._made(write, basis=Basis.PARTS, note=_UNKNOWN)

    def _made(self, write: PastWrite, *, path: str = "", **fields: Any) -> ProposedWrite:
        operation = write.operation
        path = path or str(operation.path)
        return ProposedWrite(call_id=write.past.call.id, path=path, label=operation.label, **fields)


def text_of(label: str, path: str, old: bytes | None, new: bytes | None) -> ProposedText:
    """A difference in all of its forms. For a worker thread."""
    name = label if not Path(label).is_absolute() else path
    return ProposedText(diff=diff_contents(path, old, new), patch=patch_text(name, old, new), new_text=new_text(new))


def _arguments(past: PastCall) -> dict[str, Any]:
    try:
        given = msgspec.json.decode(past.call.arguments)
    except msgspec.DecodeError:
        return {}
    return given if isinstance(given, dict) else {}
