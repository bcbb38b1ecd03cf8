"""What is known of programs whose arguments make them run, write or fetch something else than their name says. Data.

A rule that lets a command pass by its leading words must not let pass what its later words add.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

# Their arguments are programs or code: knowing the first word says nothing about what runs.
RUNNERS = frozenset({
    ".", "alias", "ash", "at", "awk", "bash", "batch", "builtin", "bun", "bunx", "busybox", "chroot", "chrt", "cmd",
    "command", "csh", "dash", "dbus-run-session", "deno", "doas", "ed", "enable", "env", "eval", "ex", "exec", "expect",
    "fakeroot", "fish", "flock", "gawk", "gdb", "hash", "ionice", "ksh", "lua", "mapfile", "mawk", "mksh", "nawk", "nice",
    "nocorrect", "node", "noglob", "nohup", "npx", "nsenter", "osascript", "parallel", "perl", "php", "pipx", "pkexec",
    "powershell", "pwsh", "pypy", "rbash", "readarray", "ruby", "runuser", "screen", "script", "setarch", "setpriv",
    "setsid", "sh", "source", "ssh", "stdbuf", "strace", "su", "sudo", "systemd-run", "taskset", "tclsh", "tcsh", "time",
    "timeout", "tmux", "toybox", "trap", "unshare", "vi", "vim", "watch", "xargs", "zsh",
})  # fmt: skip
SHELLS = frozenset({"ash", "bash", "dash", "fish", "ksh", "mksh", "rbash", "sh", "tcsh", "csh", "zsh"})

# Options with which a program that else only looks runs something, or writes to a file.
_OPTIONS = {
    "curl": ("-o", "-O", "-K", "--output", "--remote-name", "--config", "--output-dir", "--dump-header", "-D", "-c"),
    "date": ("-s", "--set"),
    "fd": ("-x", "-X", "--exec", "--exec-batch"),
    "fdfind": ("-x", "-X", "--exec", "--exec-batch"),
    "file": ("-C", "--compile"),
    "git": (
        "-c", "--config-env", "--exec-path", "--output", "--ext-diff", "--textconv", "-O", "--open-files-in-pager",
        "--upload-pack", "--receive-pack", "--exec", "--extcmd", "--git-dir", "--work-tree", "-x",
    ),
    "make": ("--eval", "-f", "--file", "--makefile", "-E"),
    "rg": ("--pre", "--hostname-bin"),
    "rsync": ("-e", "--rsh", "--rsync-path"),
    "sort": ("-o", "--output", "--compress-program"),
    "split": ("--filter",),
    "tar": (
        "-I", "-F", "--use-compress-program", "--to-command", "--checkpoint-action", "--info-script", "--rsh-command",
        "--new-volume-script",
    ),
    "tree": ("-o",),
    "wget": ("-O", "-o", "-a", "--output-document", "--output-file", "--append-output", "--use-askpass", "-e", "--execute"),
    "zip": ("-T", "-TT", "--unzip-command"),
}  # fmt: skip
_GIT_RUNS = frozenset({"bisect", "filter-branch", "foreach", "difftool", "mergetool", "hook", "credential"})
_MOST_OPERANDS = {"uniq": 1, "xxd": 1}  # what follows is written to
_SED_SHOWS = re.compile(r"(?:\d+|\$)(?:,(?:\d+|\$))?[pq]")


def is_runner(program: str) -> bool:
    return program in RUNNERS or program.startswith(("python", "pypy"))


def side_effect(program: str, words: Sequence[str]) -> str:
    """Return why later words of a command may do more than its name says, empty where none does.

    `words` are all words of the command, its name among them.
    """
    for option in _OPTIONS.get(program, ()):
        if any(_has_option(word, option) for word in words[1:]):
            return f"{program} may run or write something with {option}"
    if program == "git" and not _GIT_RUNS.isdisjoint(words[1:4]):
        return "git may run something here"
    operands = [word for word in words[1:] if not word.startswith("-")]
    if len(operands) > _MOST_OPERANDS.get(program, len(operands)):
        return f"{program} writes to the second file"
    if program == "sed" and not _only_shows(words):
        return "sed may write or run something"
    return ""


def _has_option(word: str, option: str) -> bool:
    """Also glued to its value, bundled with others, or a long one cut short."""
    if option.startswith("--"):
        name = word.partition("=")[0]
        return len(name) > 2 and option.startswith(name)
    return len(word) > 1 and word[0] == "-" and word[1] != "-" and option[1] in word[1:]


def _only_shows(words: Sequence[str]) -> bool:
    return (
        len(words) >= 3
        and words[1] == "-n"
        and bool(_SED_SHOWS.fullmatch(words[2]))
        and not any(word.startswith("-") for word in words[3:])
    )
