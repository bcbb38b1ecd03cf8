"""An answer while it arrives, and what of it is in the store."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from placet.core.domain.errors import StoreError
from placet.core.domain.ids import MessageId
from placet.core.domain.messages import Message, ToolCall
from placet.core.domain.model_calls import Answer
from placet.core.domain.stopping import TaskScope
from placet.core.turn.parts import Turn

log = logging.getLogger(__name__)

SAVE_EVERY_S = 1.0


class Draft:
    """The answer that is arriving. Saved about once a second; one that is shorter is stored at once when it ends.

    `is_shown` says that some of it went to whoever watches.
    """

    def __init__(self, turn: Turn) -> None:
        self._turn, self._store = turn, turn.parts.store
        self._row: MessageId | None = None
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self.is_shown = False
        self._is_unsaved = False
        self._due: asyncio.TimerHandle | None = None
        self._one_at_a_time = asyncio.Lock()
        self._saving = TaskScope("partial answers")

    def add(self, *, text: str = "", reasoning: str = "") -> None:
        if text:
            self._text.append(text)
        if reasoning:
            self._reasoning.append(reasoning)
        self._is_unsaved = True
        if self._due is None:
            self._due = asyncio.get_running_loop().call_later(SAVE_EVERY_S, self._save_soon)

    def _save_soon(self) -> None:
        self._due = None
        self._saving.start(self._save_if_possible())

    async def _save_if_possible(self) -> None:
        """A database that is busy or full for a moment costs nothing yet: the end of the answer saves again."""
        try:
            await self._save()
        except StoreError as error:
            log.warning("a partial answer could not be saved yet: %s", error)

    async def _save(self) -> None:
        async with self._one_at_a_time:
            if not self._is_unsaved:
                return
            self._is_unsaved = False
            try:
                if self._row is None:
                    self._row = await self._store.begin_answer(self._turn.frame.id, self._turn.binding)
                await self._store.save_partial(self._row, "".join(self._text), "".join(self._reasoning))
            except StoreError:
                self._is_unsaved = True
                raise

    async def _settle(self) -> None:
        """No more timed saves."""
        if self._due is not None:
            self._due.cancel()
            self._due = None
        await self._saving.finish()

    async def keep(self) -> None:
        """It was cut: store what had arrived. Raises: StoreError."""
        await self._settle()
        await self._save()

    async def void(self) -> None:
        """Take back what `keep` stored: another answer comes in its place. Raises: StoreError."""
        if self._row is not None:
            await self._store.void_answer(self._row)

    async def finish(self, answer: Answer, calls: Sequence[ToolCall], cost: float | None, duration_s: float) -> Message:
        """Store the whole answer with all its calls, in one transaction."""
        await self._settle()
        ends_turn = not calls
        if self._row is not None:
            return await self._store.finish_answer(
                self._row, answer, calls, cost=cost, duration_s=duration_s, ends_turn=ends_turn
            )
        frame_id, binding = self._turn.frame.id, self._turn.binding
        return await self._store.add_answer(
            frame_id, binding, answer, calls, cost=cost, duration_s=duration_s, ends_turn=ends_turn
        )
