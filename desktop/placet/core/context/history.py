"""The sent history of one frame: sealed bytes that never change again, and a short tail that may.

Everything before the newest assistant turn is sealed. So a round costs what is new, and equal prefixes come by
construction (`C-1`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from placet.core.context.calibration import BYTES_PER_TOKEN
from placet.core.context.notices import SHORT
from placet.core.context.summary import opening
from placet.core.context.wellformed import AssistantTurn, CallIds, Turn, ending_with_user, sent_text, well_formed
from placet.core.context.wire import Wire
from placet.core.domain.compaction import Compaction
from placet.core.domain.errors import PlacetError
from placet.core.domain.ids import FrameId, MessageId
from placet.core.domain.messages import Message, MessageStatus, Role
from placet.core.domain.ports import TurnStore

PAGE = 200
SMALLEST_BUDGET = 2_000
KEEP_SHARE = 0.5  # after a cut: room to grow before the next one
OBJECTIVE_LIMIT = 2000


class SentHistory:
    """One frame's history as bytes of one dialect for one provider. Not shared between frames.

    It begins behind what `compaction` covers. `reminder` gives what the model was told about its surroundings, to be
    said again where the beginning is cut off for want of room.
    """

    def __init__(
        self,
        store: TurnStore,
        frame_id: FrameId,
        wire: Wire,
        provider: str,
        reminder: Callable[[], str] = str,
        compaction: Compaction | None = None,
    ) -> None:
        self._store, self._frame_id, self._wire, self._provider = store, frame_id, wire, provider
        self._reminder = reminder
        self._compaction = compaction or Compaction(frame_id=frame_id)
        self._result_limit = SMALLEST_BUDGET
        self.is_cut = False  # rows that no compaction covers were left out
        self._reset()

    def _reset(self) -> None:
        self._sealed = bytearray()  # turns joined by commas
        self._sealed_to: MessageId | None = None
        self._ids = CallIds()

    async def messages(self, budget_bytes: int) -> list[bytes | bytearray]:
        """Return the whole history as serialised turns, within `budget_bytes`. To be used before the next call.

        Raises: PlacetError where even the newest turn does not fit.
        """
        if budget_bytes < SMALLEST_BUDGET:
            raise PlacetError(
                "The model's window is too small for its instructions and tools.",
                hint="Choose a model with a larger window, or correct its context length in Settings or config.toml.",
            )
        self._result_limit = max(budget_bytes // 4, SMALLEST_BUDGET)
        rows = await self._first_rows(budget_bytes) if self._sealed_to is None else await self._new_rows()
        tail = self._advance(rows)
        if len(self._sealed) + _size(tail) <= budget_bytes:
            return self._joined(tail)
        return await self._cut(budget_bytes)

    def _joined(self, tail: Sequence[bytes]) -> list[bytes | bytearray]:
        return [self._sealed, *tail] if self._sealed else list(tail)

    async def _new_rows(self) -> Sequence[Message]:
        return await self._store.messages_after(self._frame_id, self._sealed_to)

    async def _first_rows(self, budget_bytes: int) -> Sequence[Message]:
        """The whole history, or its newest part where it is too long."""
        rows, is_whole = await self._read_back(budget_bytes)
        self.is_cut = not is_whole
        if not is_whole:
            return self._newest(rows, round(budget_bytes * KEEP_SHARE), self._beginning())
        beginning = self._beginning()
        return [_program(self._compaction.covers_to, self._frame_id, beginning), *rows] if beginning else rows

    def _beginning(self) -> str:
        """What stands for the rows that a compaction covers; empty where there is none."""
        return opening(self._compaction) if self._compaction.covers_to else ""

    async def _read_back(self, budget_bytes: int) -> tuple[list[Message], bool]:
        """Read from the end until the budget is full: a long past costs nothing. Also whether that is all."""
        rows: list[Message] = []
        size = 0
        before: MessageId | None = None
        while size <= budget_bytes:
            page = await self._store.newest_messages(self._frame_id, before, PAGE)
            sent = [row for row in page if row.id > self._compaction.covers_to]
            rows[:0] = sent
            if len(sent) < len(page) or not page:
                return rows, True
            before = page[0].id
            size += sum(map(self._row_size, sent))
        return rows, False

    async def _cut(self, budget_bytes: int) -> list[bytes | bytearray]:
        """Begin anew with a newest part that fits; half the budget leaves room to grow before the next cut."""
        rows, _ = await self._read_back(budget_bytes)
        self.is_cut = True
        room = round(budget_bytes * KEEP_SHARE)
        beginning = self._beginning()
        while True:
            kept = self._newest(rows, room, beginning)
            self._reset()
            tail = self._advance(kept)
            size = len(self._sealed) + _size(tail)
            if size <= budget_bytes:
                return self._joined(tail)
            if len(kept) <= 2 and beginning:  # rather what is asked now than what was
                beginning = ""
                continue
            if len(kept) <= 2:
                raise PlacetError(
                    f"The last part of this conversation needs about {size // BYTES_PER_TOKEN:,} tokens, and the "
                    f"model takes {budget_bytes // BYTES_PER_TOKEN:,}.",
                    hint="Choose a model with a larger window, or begin a new chat and name only what is needed.",
                )
            room //= 2  # rows are measured roughly, and escapes can make them longer

    def _newest(self, rows: Sequence[Message], room: int, beginning: str) -> Sequence[Message]:
        """Return the newest rows within `room` behind `beginning` and a note. Calls and results are one row: no pair is split."""
        size, start = 0, len(rows)
        for index in range(len(rows) - 1, -1, -1):
            size += self._row_size(rows[index])
            if size > room and start < len(rows):
                break
            start = index
        kept = list(rows[start:])
        objective = next((sent_text(row) for row in reversed(rows[:start]) if _is_question(row)), "")
        note = "[Earlier messages of this conversation are left out here, because they exceed the model's window.]"
        if objective:
            note += f"\nThe last request before this point was:\n{objective[: min(OBJECTIVE_LIMIT, room // 4)]}"
        note = "\n".join(part for part in (beginning, note, self._reminder()) if part)
        return [_program(kept[0].id, self._frame_id, note), *kept]

    def _advance(self, rows: Sequence[Message]) -> list[bytes]:
        """Seal what can no longer change; return the bytes of the rest. Rows begin after what is sealed."""
        turns = well_formed(
            rows,
            self._ids,
            at_start=self._sealed_to is None,
            result_limit=self._result_limit,
            signs_calls=self._wire.signs_calls,
            short_to=self._compaction.shortened_to,
        )
        settled = max((i for i, turn in enumerate(turns) if isinstance(turn, AssistantTurn)), default=0)
        settled = min(settled, self._count_final(rows, turns))
        for turn in turns[:settled]:
            self._seal(turn)
        open_turns = ending_with_user(turns[settled:])
        last = len(open_turns) - 1
        return [self._wire.turn(t, self._provider, marked=i == last) for i, t in enumerate(open_turns)]

    def _seal(self, turn: Turn) -> None:
        if self._sealed:
            self._sealed += b","
        self._sealed += self._wire.turn(turn, self._provider)
        self._sealed_to = MessageId(turn.last_row)
        if isinstance(turn, AssistantTurn):
            self._ids.seal(call.id for call in turn.calls)

    def _row_size(self, row: Message) -> int:
        size = len(row.content) + len(row.context_block) + len(row.parts) + 60
        limit = SHORT if row.id <= self._compaction.shortened_to else self._result_limit
        results = (min(len(call.result), limit) for call in row.calls)
        return size + sum(results) + sum(len(call.arguments) + 160 for call in row.calls)

    @staticmethod
    def _count_final(rows: Sequence[Message], turns: Sequence[Turn]) -> int:
        """How many leading turns hold only rows whose calls have all ended."""
        open_row = next((row.id for row in rows if any(not call.status.is_final for call in row.calls)), None)
        if open_row is None:
            return len(turns)
        return next((i for i, turn in enumerate(turns) if turn.last_row >= open_row), len(turns))


def _program(row_id: MessageId, frame_id: FrameId, words: str) -> Message:
    """A row of the program's own that is nowhere stored."""
    return Message(id=row_id, frame_id=frame_id, role=Role.USER, content=words, synthetic=True)


def _is_question(row: Message) -> bool:
    return row.role is not Role.ASSISTANT and row.status is MessageStatus.OK and not row.synthetic


def _size(turns: Sequence[bytes]) -> int:
    return sum(len(turn) + 1 for turn in turns)
