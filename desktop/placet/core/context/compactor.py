"""Making room in the requests of a session's frames: what is planned, asked of a model, and stored."""

from __future__ import annotations

import msgspec

from placet.core.context.builder import RequestBuilder
from placet.core.context.planning import row_size, shape
from placet.core.context.summary import carried_by, pieces_of, question
from placet.core.context.wellformed import UserTurn
from placet.core.context.window import room
from placet.core.context.wire import body, wire_for
from placet.core.domain.compaction import NO_ROW, TARGET, Compaction, CompactionPlan
from placet.core.domain.ids import FrameId, MessageId
from placet.core.domain.messages import Frame, Message
from placet.core.domain.model_calls import Binding, ModelRequest
from placet.core.domain.ports import Compactions, TurnStore

PAGE = 200
MOST_PIECES = 12  # what is older than these is left out of the summary
MOST_KEPT = 0.75  # of the budget, for the newest rows
SUMMARY_SHARE = 0.1  # of the budget
FEWEST, MOST = 200, 2_000  # tokens of a summary
PIECE_SHARE = 0.5  # of the window of the model that summarises
GAIN = 0.1  # of the budget, that a compaction should free
REST = 10  # full requests after an attempt that failed or freed less, before the next one
LEFT_OUT = "[What came before this is too old and too long to be summarised.]"
_WORDS, _CHARACTERS = 0.7, 5  # of a token
_INTRODUCTION = 600  # bytes around a summary


class HistoryCompactor:
    """Implements the port `Compactor` for one session, beside the builder of its requests."""

    def __init__(
        self, builder: RequestBuilder, store: TurnStore, compactions: Compactions, prompt: str, keep_recent: int
    ) -> None:
        self._builder, self._store, self._compactions = builder, store, compactions
        self._prompt, self._keep_recent = prompt, keep_recent
        self._poor: dict[FrameId, int] = {}  # attempts in a row that freed next to nothing
        self._rests: dict[FrameId, int] = {}  # full requests that still go out without another attempt

    async def plan(
        self, frame: Frame, request: ModelRequest, *, summariser: Binding | None, forced: bool = False
    ) -> CompactionPlan | None:
        held = await self._compactions.of_frame(frame.id) or Compaction(frame_id=frame.id)
        rows = await self._rows(frame, held, summariser)
        divided = self._divided(rows, held, request, summariser, forced=forced)
        if divided is None:
            return None
        covered, short = divided
        kept = rows[len(covered) :]
        facts = self._builder.facts(frame)
        plan = CompactionPlan(
            frame_id=frame.id,
            based_on=held.id,
            covers_to=covered[-1].id if covered else held.covers_to,
            shortened_to=max(short, held.shortened_to),
            carried=carried_by(covered, kept, facts, held.carried) if covered else held.carried,
            previous=held.content,
            pieces=self._pieces(covered, summariser),
            tokens_before=request.tokens,
        )
        is_same = (plan.covers_to, plan.shortened_to) == (held.covers_to, held.shortened_to)
        return None if is_same else plan

    async def _rows(self, frame: Frame, held: Compaction, summariser: Binding | None) -> list[Message]:
        """The rows behind what is covered, from the end: as many as could be summarised, or are sent anyway."""
        most = MOST_PIECES * self._piece_size(summariser) if summariser is not None else 0
        rows: list[Message] = []
        size, before = 0, None
        while not rows or size <= max(most, 1_000_000):
            page = await self._store.newest_messages(frame.id, before, PAGE)
            sent = [row for row in page if row.id > held.covers_to]
            rows[:0] = sent
            if len(sent) < len(page) or not page:
                break
            before = page[0].id
            size += sum(row_size(row, short=False) for row in sent)
        return rows

    def _divided(
        self, rows: list[Message], held: Compaction, request: ModelRequest, summariser: Binding | None, *, forced: bool
    ) -> tuple[list[Message], MessageId] | None:
        """Which rows are covered, and up to which one those behind them are short; None where nothing changes."""
        if not rows:
            return None
        binding, budget = request.binding, request.budget
        in_bytes = self._builder.calibration.size
        history = sum(row_size(row, short=row.id <= held.shortened_to) for row in rows)
        around = max(len(request.body) - history, 0) if not request.is_cut else 0
        target = in_bytes(binding, round(budget * TARGET))
        summary = self.most_characters(binding) + _INTRODUCTION
        facts = len(msgspec.json.encode(held.carried)) if held.covers_to else 0
        divided = shape(
            rows,
            held.shortened_to,
            excess=history + 1 if forced else max(len(request.body), around + history) - target,
            room=0 if forced else max(target - around - summary - facts, 0),
            most=max(in_bytes(binding, round(budget * MOST_KEPT)) - around - summary - facts, 0),
            keep_recent=self._keep_recent,
        )
        cut = divided.cut if summariser is not None else 0
        if not cut and not divided.freed:
            return None
        whole = max(divided.whole, cut)
        return rows[:cut], rows[whole - 1].id if whole > cut else NO_ROW

    def _pieces(self, covered: list[Message], summariser: Binding | None) -> tuple[str, ...]:
        if summariser is None or not covered:
            return ()
        pieces = pieces_of(covered, self._piece_size(summariser))
        return pieces if len(pieces) <= MOST_PIECES else (LEFT_OUT, *pieces[-MOST_PIECES:])

    def _piece_size(self, summariser: Binding) -> int:
        return self._builder.calibration.size(summariser, round(room(summariser.model) * PIECE_SHARE))

    def question(self, plan: CompactionPlan, piece: str, previous: str, focus: str, binding: Binding) -> ModelRequest:
        words = round(self._summary_tokens(binding) * _WORDS)
        wire = wire_for(binding.provider.type)
        asked = UserTurn(texts=[question(piece, previous, focus, words)])
        built = body(wire.head(binding, self._prompt, ()), [wire.turn(asked, binding.provider.name)])
        tokens = self._builder.calibration.tokens(binding, len(built))
        return ModelRequest(binding=binding, body=built, tokens=tokens, budget=room(binding.model))

    def most_characters(self, binding: Binding) -> int:
        return self._summary_tokens(binding) * _CHARACTERS

    @staticmethod
    def _summary_tokens(binding: Binding) -> int:
        return min(max(round(room(binding.model) * SUMMARY_SHARE), FEWEST), MOST)

    async def publish(self, frame: Frame, plan: CompactionPlan, content: str | None) -> Compaction:
        wanted = Compaction(
            frame_id=plan.frame_id,
            covers_to=plan.covers_to,
            shortened_to=plan.shortened_to,
            content=plan.previous if content is None else content,
            carried=plan.carried,
            tokens_before=plan.tokens_before,
        )
        added = await self._compactions.add(wanted, based_on=plan.based_on)
        self._builder.shortened(frame)
        return added

    def is_due(self, frame: Frame, request: ModelRequest) -> bool:
        if not request.is_full:
            return False
        if rests := self._rests.pop(frame.id, 0):
            self._rests[frame.id] = rests - 1
        return rests == 0

    def judge(self, frame: Frame, before: ModelRequest, after: ModelRequest, *, failed: bool) -> bool:
        has_gained = before.tokens - after.tokens >= GAIN * after.budget
        is_poor = after.is_full and not has_gained
        if failed or is_poor:
            self._rests[frame.id] = REST
        if has_gained:
            self._poor.pop(frame.id, None)
        if failed or not is_poor:
            return True
        self._poor[frame.id] = (self._poor.get(frame.id, 0) + 1) % 2
        return self._poor[frame.id] > 0
