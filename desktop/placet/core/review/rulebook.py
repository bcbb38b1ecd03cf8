"""Changing the rules. An edit is a pure function from rules to rules: the dry run and the saving apply the same one.

Raises UsageError for a rule that would never fit, or not as its writer thinks: a wrong rule must not look like a
right one.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import msgspec

from placet.core.domain.errors import UnknownItem, UsageError
from placet.core.domain.explaining import AddRule, ChangeRule, MoveRule, RemoveRules, RuleEdit
from placet.core.domain.review import Action, Rule
from placet.core.domain.text import clean_text
from placet.core.review.matching import CLASSES, fits_name
from placet.core.review.rules import DEFAULT_GROUP, explain

_COMMAND_TOOL = "execute_cmd"
_LONGEST, _LONGEST_NAME = 4096, 40
_LAST_PRIORITY = 2**31
_CATCH_ALL = ("", "*")


def edited(rules: Sequence[Rule], edit: RuleEdit) -> list[Rule]:
    """Return the rules as the edit would leave them. A new rule has the next free id.

    Raises: UsageError for what cannot be a rule or has no place there, UnknownItem for a rule that is gone.
    """
    match edit:
        case AddRule(rule=rule, before=before):
            rule = msgspec.structs.replace(checked(rule), id=max((each.id for each in rules), default=0) + 1)
            after = [*rules, rule]
            _refuse_contradiction(after, rule)
            return after if before is None else _moved(after, rule, before)
        case ChangeRule(rule=rule):
            _known(rules, rule.id)
            rule = checked(rule)
            after = [rule if each.id == rule.id else each for each in rules]
            _refuse_contradiction(after, rule)
            return after
        case RemoveRules(rule_ids=rule_ids):
            for rule_id in rule_ids:
                _known(rules, rule_id)
            return [each for each in rules if each.id not in rule_ids]
        case MoveRule(rule_id=rule_id, before=before):
            return _moved(list(rules), _known(rules, rule_id), before)


def subject(rules: Sequence[Rule], edit: RuleEdit) -> frozenset[int]:
    """The ids of the rules that an edit is about; a new rule's is the one that `edited` gives it."""
    match edit:
        case AddRule():
            return frozenset({max((each.id for each in rules), default=0) + 1})
        case ChangeRule(rule=rule):
            return frozenset({rule.id})
        case RemoveRules(rule_ids=rule_ids):
            return frozenset(rule_ids)
        case MoveRule(rule_id=rule_id):
            return frozenset({rule_id})


def renamed(rules: Sequence[Rule], old: str, new: str) -> list[Rule]:
    """Return the rules with those of one group in another, which no rule has yet. Raises: UsageError."""
    new = checked_group(new)
    if old == DEFAULT_GROUP:
        raise UsageError("The group default cannot be renamed: every chat without another group uses it.")
    if any(rule.group == new for rule in rules):
        raise UsageError(f"There is a group {new} already.", hint="Choose another name.")
    return [msgspec.structs.replace(rule, group=new) if rule.group == old else rule for rule in rules]


def checked_group(name: str) -> str:
    """Return a name that a group can have. Raises: UsageError."""
    name = name.strip()
    if not name:
        raise UsageError("The group has no name.", hint="Give it one, for example “careful”.")
    if len(name) > _LONGEST_NAME:
        raise UsageError(f"The name of a group has {_LONGEST_NAME} characters at most.")
    _refuse_odd("The name of the group", name)
    return name


def checked(rule: Rule) -> Rule:
    """Return the rule without blanks around its texts. Raises: UsageError for one that cannot work as written."""
    rule = msgspec.structs.replace(
        rule,
        group=checked_group(rule.group),
        tool=rule.tool.strip(),
        path=rule.path.strip(),
        agent=rule.agent.strip(),
        source=rule.source.strip(),
        note=" ".join(rule.note.split()),
    )
    for name, text in (("tool", rule.tool), ("path", rule.path), ("agent", rule.agent), ("source", rule.source)):
        _refuse_odd(f"The {name} of the rule", text)
    _refuse_odd("The note of the rule", rule.note)
    if not 0 <= rule.priority < _LAST_PRIORITY:
        raise UsageError("The priority is a number from 0 on.", hint="Smaller ones are asked first.")
    _check_tool(rule.tool)
    if rule.path:
        _check_path(rule)
    if rule.command:
        _check_command(rule)
    return rule


def _check_tool(tool: str) -> None:
    if not tool:
        raise UsageError("The rule names no tool.", hint="Write a tool's name, a beginning with *, or * for all.")
    if tool.startswith("@") and tool not in CLASSES:
        raise UsageError(f"There is no class of tools {tool}.", hint=f"There are: {', '.join(CLASSES)}.")
    if " " in tool or "*" in tool[:-1]:
        raise UsageError(
            f"“{tool}” is no tool pattern.", hint="It is one name, which may end in * (for example mcp__github__*)."
        )


def _check_path(rule: Rule) -> None:
    path = rule.path
    folder, slash, _ = path.rpartition("/")
    if slash and ("*" in folder or "?" in folder):
        raise UsageError(
            f"In “{path}” a * or ? stands before the last slash; it would be taken literally.",
            hint="Write <folder>/* for all below a folder, a name like *.pem for files anywhere, or several rules.",
        )
    if path.startswith("~") and path != "~" and not path.startswith("~/"):
        raise UsageError(f"“{path}” begins with the home folder of somebody else.", hint="Write the whole path.")
    if rule.command or rule.tool == _COMMAND_TOOL:
        raise UsageError(
            "A command has no path, so a rule with a path would never fit it.",
            hint="Leave the path empty, and write the first words of the command.",
        )


def _check_command(rule: Rule) -> None:
    if rule.tool.startswith("@") or not (rule.tool == "*" or fits_name(rule.tool, _COMMAND_TOOL)):
        raise UsageError(
            f"Words of a command are for commands; {rule.tool} is none.", hint=f"Use the tool {_COMMAND_TOOL}."
        )
    for word in rule.command:
        if not word.strip():
            raise UsageError("A word of the command is empty.")
        _refuse_odd("A word of the command", word)


def _refuse_odd(what: str, text: str) -> None:
    if len(text) > _LONGEST:
        raise UsageError(f"{what} is too long.", hint=f"It has {_LONGEST:,} characters at most.")
    if text != clean_text(text) or any(unicodedata.category(character) in ("Cc", "Cf") for character in text):
        raise UsageError(f"{what} contains characters that cannot be seen.", hint="Type it anew.")


def is_catch_all(rule: Rule) -> bool:
    return rule.tool in _CATCH_ALL and not (rule.agent or rule.source or rule.path or rule.command)


def _refuse_contradiction(rules: Sequence[Rule], rule: Rule) -> None:
    """Of two rules for everything only the first is ever asked; with two actions that misleads."""
    if not is_catch_all(rule):
        return
    for other in rules:
        if other.id != rule.id and other.group == rule.group and is_catch_all(other) and other.action != rule.action:
            raise UsageError(
                f"The group {rule.group} has a rule for everything already: {explain(other)}.",
                hint=f"Change rule {other.id}, or name a tool, a path or a command here.",
            )


def _known(rules: Sequence[Rule], rule_id: int) -> Rule:
    for rule in rules:
        if rule.id == rule_id:
            return rule
    raise UnknownItem(
        f"There is no rule {rule_id} any more.", hint="It was removed meanwhile, maybe in another window."
    )


# ---- order -------------------------------------------------------------------------------------------------------


def _part(rule: Rule) -> tuple[str, bool]:
    """Denials of the group default are asked before all others; within a part priority and id are the order."""
    return rule.group, rule.group == DEFAULT_GROUP and rule.action is Action.DENY


def _moved(rules: list[Rule], rule: Rule, before: int | None) -> list[Rule]:
    """Change as few priorities as will do."""
    order = sorted((each for each in rules if _part(each) == _part(rule) and each.id != rule.id), key=_rank)
    at = len(order)
    if before is not None and before != rule.id:
        other = _known(rules, before)
        if _part(other) != _part(rule):
            raise UsageError(
                f"Rule {before} is in another part of the order.",
                hint="Denials of the group default are always asked first, then the chat's group, then default.",
            )
        at = order.index(other)
    elif before == rule.id:
        return rules
    order.insert(at, msgspec.structs.replace(rule, priority=_priority_between(order, at, rule.id)))
    for index in range(1, len(order)):
        one, two = order[index - 1], order[index]
        if _rank(one) >= _rank(two):
            order[index] = msgspec.structs.replace(two, priority=one.priority + (two.id < one.id))
    placed = {each.id: each for each in order}
    return [placed.get(each.id, each) for each in rules]


def _rank(rule: Rule) -> tuple[int, int]:
    return rule.priority, rule.id


def _priority_between(order: Sequence[Rule], at: int, rule_id: int) -> int:
    """The smallest priority that is behind the rule before `at`."""
    if at == 0:
        first = order[0] if order else None
        if first is None:
            return 100
        return max(0, first.priority - (rule_id > first.id))
    previous = order[at - 1]
    return previous.priority + (rule_id < previous.id)
