"""What is unusual about a command, in words: facts, not verdicts. The whole text is looked at, however long it is."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

from placet.core.domain.hidden import find_hidden, token
from placet.core.review.commands import read_command

_NETWORK = frozenset({
    "curl", "dig", "ftp", "gh", "nc", "ncat", "netcat", "nslookup", "pip", "pipx", "npm", "npx", "rsync", "scp",
    "sftp", "ssh", "telnet", "wget",
})  # fmt: skip
_NETWORK_GIT = frozenset({"clone", "fetch", "pull", "push", "ls-remote", "submodule"})
_SHELLS = frozenset({"ash", "bash", "dash", "fish", "ksh", "sh", "tcsh", "zsh", "python", "python3", "perl", "node"})
_ROOT = frozenset({"sudo", "doas", "su", "pkexec", "runas"})
_REDIRECT = re.compile(r"(?:&>>?|>[>|]?|\d>>?)\s*(?P<path>\"[^\"]+\"|'[^']+'|[^\s;&|<>()]+)")
_PIPE_INTO_SHELL = re.compile(rf"\|&?\s*(?:sudo\s+)?(?:\S*/)?(?:{'|'.join(sorted(_SHELLS))})\b")
_WORD_SPLIT = re.compile(r"[\s;&|()<>`$\"'{}]+")
_FORCE_OR_RECURSIVE = re.compile(r"^-(?:\w*[rRf]\w*|-recursive|-force)$")
_LONG = 400


def command_facts(command: str, workdir: Path) -> tuple[str, ...]:
    """Return one sentence for each thing worth a second look, in a fixed order."""
    line = read_command(command)
    found = [*_about_text(command), *_about_programs(command, line.commands)]
    found += [f"Writes to {path}, outside the working folder" for path in _outside(command, workdir)]
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
    if _removes(loose):
        facts.append("Removes files without asking, or whole folders (rm with -r or -f)")
    if "find" in words and words & {"-delete", "-exec", "-execdir"}:
        facts.append("Runs or deletes something for each file that find names")
    return facts


def _removes(words: list[str]) -> bool:
    for at, word in enumerate(words):
        if word == "rm" and any(_FORCE_OR_RECURSIVE.match(option) for option in words[at + 1 : at + 8]):
            return True
    return False


def _outside(command: str, workdir: Path) -> list[str]:
    """Targets of redirections that are not below the working folder, as they are written."""
    outside = []
    for match in _REDIRECT.finditer(command):
        target = match["path"].strip("\"'")
        if target.startswith(("&", "/dev/null")) or target.isdigit():
            continue
        path = Path(target).expanduser() if "$" not in target else Path(target.replace("$HOME", str(Path.home())))
        if "$" in str(path) or not (workdir / path).resolve().is_relative_to(workdir.resolve()):
            outside.append(target)
    return outside
