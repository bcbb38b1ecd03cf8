"""What is unusual about a command, in words: facts, not verdicts. The whole text is looked at, however long it is."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator
from pathlib import Path

from placet.core.domain.hidden import find_hidden, token
from placet.core.review.commands import program_of, read_command

_NETWORK = frozenset({
    "curl", "dig", "ftp", "gh", "nc", "ncat", "netcat", "nslookup", "pip", "pipx", "npm", "npx", "rsync", "scp",
    "sftp", "ssh", "telnet", "wget",
})  # fmt: skip
_NETWORK_GIT = frozenset({"clone", "fetch", "pull", "push", "ls-remote", "submodule"})
_SHELLS = frozenset({"ash", "bash", "dash", "fish", "ksh", "sh", "tcsh", "zsh", "python", "python3", "perl", "node"})
_ROOT = frozenset({"sudo", "doas", "su", "pkexec", "runas"})
_WORD = r"""(?:"[^"]*"|'[^']*'|\\.|[^\s;&|<>()"'\\])+"""
_REDIRECT = re.compile(rf"(?:&>>?|>[>|&]?)[ \t]*(?P<path>{_WORD})")
_TEE = re.compile(rf"(?<![\w.-])tee(?P<words>(?:[ \t]+{_WORD})+)")
_ONE_WORD = re.compile(_WORD)
_QUOTING = re.compile(r"\\(.)|[\"']")
_PIPE_INTO_SHELL = re.compile(rf"\|&?\s*(?:sudo\s+)?(?:[^\s|;&]*/)?(?:{'|'.join(sorted(_SHELLS))})\b")
_WORD_SPLIT = re.compile(r"[\s;&|()<>`$\"'{}]+")
_FORCE_OR_RECURSIVE = re.compile(r"^-(?:\w*[rRf]\w*|-recursive|-force)$")
_LONG = 400
_MOST_TARGETS = 20
_STREAMS = frozenset({"-", "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"})


def command_facts(command: str, workdir: Path) -> tuple[str, ...]:
    """Return one sentence for each thing worth a second look, in a fixed order."""
    line = read_command(command)
    found = [*_about_text(command), *_about_programs(command, line.commands)]
    found += _about_targets(command, workdir)
    if _PIPE_INTO_SHELL.search(command):
        found.append("Pipes text into a program that runs it")
    if line.doubt:
        found.append(f"Not fully understood: {line.doubt}")
    return tuple(dict.fromkeys(found))


def _about_text(command: str) -> list[str]:
    facts = []
    lines = command.rstrip("\n").count("\n") + 1
    if lines > 1:
        facts.append(f"{lines} lines")
    if len(command) > _LONG:
        facts.append(f"{len(command):,} characters long")
    hidden = sorted({character for _, character in find_hidden(command)})
    if hidden:
        count = len(find_hidden(command))
        names = ", ".join(token(character) for character in hidden[:5])
        facts.append(f"{count} control or hidden character{'s' if count > 1 else ''}: {names}")
    return facts


def _about_programs(command: str, parsed: tuple[tuple[str, ...], ...]) -> list[str]:
    """Look at what was parsed, and at every word as well: a command hidden in a string is still named."""
    loose = [word.rpartition("/")[2] for word in _WORD_SPLIT.split(command) if word]
    words = set(loose) | {simple[0].rpartition("/")[2] for simple in parsed}
    facts = [f"Uses {name}: runs with other rights" for name in sorted(words & _ROOT)]
    facts += [f"Uses the network: {name}" for name in sorted(words & _NETWORK)]
    if any(a == "git" and b in _NETWORK_GIT for a, b in itertools.pairwise(loose)):
        facts.append("Uses the network: git")
    if _removes(loose) or any(_removes([program_of(simple[0]), *simple[1:]]) for simple in parsed):
        facts.append("Removes files without asking, or whole folders (rm with -r or -f)")
    if "find" in words and words & {"-delete", "-exec", "-execdir"}:
        facts.append("Runs or deletes something for each file that find names")
    return facts


def _removes(words: list[str]) -> bool:
    for at, word in enumerate(words):
        if word == "rm" and any(_FORCE_OR_RECURSIVE.match(option) for option in words[at + 1 : at + 8]):
            return True
    return False


def _about_targets(command: str, workdir: Path) -> list[str]:
    """What is written to outside the working folder, as far as redirections and `tee` name it."""
    inside = os.path.realpath(workdir)
    outside = [target for target in dict.fromkeys(_targets(command)) if _is_outside(target, inside)]
    facts = [f"Writes to {target}, outside the working folder" for target in outside[:_MOST_TARGETS]]
    if len(outside) > _MOST_TARGETS:
        facts.append(f"Writes to {len(outside) - _MOST_TARGETS:,} more files outside the working folder")
    return facts


def _targets(command: str) -> Iterator[str]:
    """Without their quotes."""
    words = [match["path"] for match in _REDIRECT.finditer(command)]
    for match in _TEE.finditer(command):
        words += [word for word in _ONE_WORD.findall(match["words"]) if not word.startswith("-")]
    for word in words:
        target = _QUOTING.sub(lambda found: found[1] or "", word)
        if target and not target.isdigit() and target not in _STREAMS:
            yield target


def _is_outside(target: str, folder: str) -> bool:
    """What cannot be told counts as outside: variables, the home of somebody unknown, no valid name."""
    path = os.path.expanduser(target.replace("${HOME}", "~").replace("$HOME", "~"))  # noqa: PTH111 - keeps what it does not know
    if path.startswith("~") or "$" in path or "`" in path or "\0" in path:
        return True
    place = os.path.realpath(os.path.join(folder, path))  # noqa: PTH118 - text, quickly
    return not (place == folder or place.startswith(folder.rstrip(os.sep) + os.sep))
