"""Rules as a person sees, tests and changes them: edits, explanations of a decision, and what an edit would change."""

from __future__ import annotations

import msgspec

from placet.core.domain.ids import CallId, SessionId
from placet.core.domain.messages import RunContext, ToolCall
from placet.core.domain.review import Action, Rule, Verdict
from placet.core.domain.tools import Category

# ---- edits -------------------------------------------------------------------------------------------------------


class AddRule(msgspec.Struct, frozen=True, kw_only=True, tag="add"):
    """A rule that is not there yet; its id is given when it is saved. `before` puts it in front of another one."""

    rule: Rule
    before: int | None = None


class ChangeRule(msgspec.Struct, frozen=True, kw_only=True, tag="change"):
    """Other values for the rule with this id."""

    rule: Rule


class RemoveRules(msgspec.Struct, frozen=True, kw_only=True, tag="remove"):
    rule_ids: tuple[int, ...]


class MoveRule(msgspec.Struct, frozen=True, kw_only=True, tag="move"):
    """Ask a rule before another one of its part of the order; None: as the last of that part."""

    rule_id: int
    before: int | None = None


RuleEdit = AddRule | ChangeRule | RemoveRules | MoveRule


class RuleGroup(msgspec.Struct, frozen=True, kw_only=True):
    """A group is a name that rules and sessions carry; it is there as long as one of them does."""

    name: str
    rules: int
    sessions: int


# ---- why ---------------------------------------------------------------------------------------------------------


class FolderRules(msgspec.Struct, frozen=True, kw_only=True):
    """What a project's folder says beside a person's own rules; it can only tighten (`R-4`). Their ids are negative."""

    denials: tuple[Rule, ...] = ()
    asks: tuple[Rule, ...] = ()
    problems: tuple[str, ...] = ()


class RuleFit(msgspec.Struct, frozen=True, kw_only=True):
    """One rule beside one call. `place` counts from 1 in the order in which rules are asked.

    `why` says what it matched, or the first condition that does not hold; `kind` says the latter in general ("other
    paths"). `is_near` marks a rule that seems to fit at first sight.
    """

    rule: Rule
    place: int
    fits: bool
    why: str
    kind: str = ""
    is_near: bool = False


class CommandFit(msgspec.Struct, frozen=True, kw_only=True):
    """What the rules say about one simple command of a line."""

    words: tuple[str, ...]
    action: Action
    rule_id: int | None = None


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    """Something a decision looked at: the resolved path, the folder of a command, why a line is in doubt."""

    name: str
    value: str


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """What one of the judges after another said: the rules, the mode, the bypasses, the chat's folders."""

    who: str
    what: str
    decides: bool = False


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """Why a call is asked, allowed or denied (`R-16`).

    `by_rules` is what the rules alone say, `verdict` what holds in the end. `deciding` is the rule that `by_rules`
    comes from, None where none fits. `fits` has every rule that was asked, in order.
    """

    verdict: Verdict
    by_rules: Verdict
    deciding: RuleFit | None
    fits: tuple[RuleFit, ...]
    facts: tuple[Fact, ...] = ()
    commands: tuple[CommandFit, ...] = ()
    said: tuple[Said, ...] = ()

    @property
    def later(self) -> tuple[RuleFit, ...]:
        """Rules that fit too, but were not needed any more."""
        return tuple(fit for fit in self.fits if fit.fits and fit != self.deciding)

    @property
    def near(self) -> tuple[RuleFit, ...]:
        """Rules that seem to fit and do not."""
        return tuple(fit for fit in self.fits if fit.is_near)

    @property
    def misses(self) -> tuple[tuple[str, str], ...]:
        """All other rules that do not fit: their numbers and why, as ("1 to 34, 47", "other paths")."""
        kinds: dict[str, list[int]] = {}
        for fit in self.fits:
            if not fit.fits and not fit.is_near:
                kinds.setdefault(fit.kind, []).append(fit.rule.id)
        return tuple((_ranges(ids), kind) for kind, ids in kinds.items())


def _ranges(ids: list[int]) -> str:
    runs: list[tuple[int, int]] = []
    for number in ids:
        if runs and number == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    texts = (
        str(first) if first == last else f"{first}, {last}" if first + 1 == last else f"{first} to {last}"
        for first, last in runs
    )
    return ", ".join(texts)


class PastCall(msgspec.Struct, frozen=True, kw_only=True):
    """A stored call with what its decision depended on; `context` is what its session has today."""

    call: ToolCall
    session_id: SessionId
    agent: str
    source: str
    context: RunContext
    title: str = ""
    root_agent: str = ""


class ExplainedCall(msgspec.Struct, frozen=True, kw_only=True):
    """A past or waiting call: what was recorded, and what would be decided now.

    `recorded_action` is None where nothing was decided (yet), or where the words do not tell. `explanation` is None
    where the call cannot be judged any more; `trouble` says why.
    """

    past: PastCall
    recorded: str
    recorded_action: Action | None = None
    explanation: Explanation | None = None
    trouble: str = ""

    @property
    def differs(self) -> bool:
        """Whether today's outcome is another one than the recorded."""
        return (
            self.explanation is not None
            and self.recorded_action is not None
            and self.explanation.verdict.action is not self.recorded_action
        )


class TypedCall(msgspec.Struct, frozen=True, kw_only=True):
    """A call that a person typed to see what would happen. `text` is JSON arguments, a path or a command line.

    With a `session_id` what is let pass in that session for a while counts too.
    """

    tool: str
    text: str
    session_id: SessionId | None = None
    context: RunContext = RunContext()
    agent: str = "assistant"
    source: str = "desktop"


# ---- what would change ---------------------------------------------------------------------------------------------


class Effect(msgspec.Struct, frozen=True, kw_only=True):
    """A past call beside an edit: what holds now and what would. `stays_because` where another rule is earlier."""

    call_id: CallId
    session_id: SessionId
    tool: str
    label: str
    created_at: float
    before: Verdict
    after: Verdict
    stays_because: str = ""

    @property
    def changes(self) -> bool:
        return self.before.action is not self.after.action


class DryRun(msgspec.Struct, frozen=True, kw_only=True):
    """The newest past calls under an edit, newest first: those it changes, and those it fits without changing them.

    `looked_at` calls were judged; `is_complete` is False where time ran out before all were. `unjudged` calls cannot
    be judged any more.
    """

    effects: tuple[Effect, ...]
    looked_at: int
    is_complete: bool = True
    unjudged: int = 0

    @property
    def changed(self) -> tuple[Effect, ...]:
        return tuple(effect for effect in self.effects if effect.changes)


class FolderQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """What may be done with each entry of `folder`, by a chat of `group` that works in `workdir`."""

    folder: str
    workdir: str
    group: str = "default"
    category: Category = Category.FS_WRITE
    rule_id: int | None = None  # whose matches are marked


class FolderEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One name in a folder. `leads_to` is where a link ends; `matched` whether the rule asked about fits it."""

    name: str
    path: str
    is_folder: bool
    verdict: Verdict
    leads_to: str = ""
    matched: bool = False


class FolderView(msgspec.Struct, frozen=True, kw_only=True):
    """A folder itself and its entries, folders first. `hidden` entries are more than are shown."""

    itself: FolderEntry
    entries: tuple[FolderEntry, ...]
    hidden: int = 0
    trouble: str = ""


class ToolName(msgspec.Struct, frozen=True, kw_only=True):
    """A tool that there is, for choosing one."""

    name: str
    category: Category
