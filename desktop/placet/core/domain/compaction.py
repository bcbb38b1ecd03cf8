"""How an old part of a history is sent in short form. The rows themselves always stay."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from placet.core.domain.ids import FrameId, MessageId

NO_ROW = MessageId(0)
FULL, TARGET = 0.8, 0.5  # of the prompt budget: when room is made, and what a request then comes down to


class CompactedBy(StrEnum):
    MODEL = "model"
    PERSON = "person"  # written or taken back by hand (`C-7`)


class Carried(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What outlives every summary word for word, as it was when the compaction was made. Empty: still in the rows."""

    objective: str = ""  # the last request of the person, or the task of a sub-agent
    todos: str = ""
    facts: str = ""  # folder, system, scratchpad


class Compaction(msgspec.Struct, frozen=True, kw_only=True):
    """What stands for the old rows of a frame in its requests; the newest one of a frame holds.

    Rows up to `covers_to` are not sent: `content` is their summary. Later rows up to `shortened_to` are sent with
    notices in the place of long results, and without reasoning.
    """

    id: int = 0
    frame_id: FrameId
    covers_to: MessageId = NO_ROW
    shortened_to: MessageId = NO_ROW
    content: str = ""
    carried: Carried = Carried()
    by: CompactedBy = CompactedBy.MODEL
    tokens_before: int = 0
    tokens_after: int = 0
    created_at: float = 0.0


class CompactionPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What a compaction of a frame would do, bound to what it was planned on.

    `based_on` is the compaction that held then, 0 for none: if another holds by now, the plan is stale (`C-5`).
    `pieces` are the rows to be summarised as text, in order, each short enough for one request; none where notices
    are enough.
    """

    frame_id: FrameId
    based_on: int = 0
    covers_to: MessageId = NO_ROW
    shortened_to: MessageId = NO_ROW
    carried: Carried = Carried()
    previous: str = ""
    pieces: tuple[str, ...] = ()
    tokens_before: int = 0
