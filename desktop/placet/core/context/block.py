"""The context block: what the model should know beside a new message, said once and only where it changed."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from datetime import datetime

from placet.core.domain.messages import RunContext

_OPEN, _CLOSE = "<context>", "</context>"


def facts_now(now: datetime, context: RunContext) -> list[str]:
    """Return one line a fact. Time is rounded down to a quarter of an hour, so that it seldom changes."""
    rounded = now.replace(minute=now.minute - now.minute % 15, second=0, microsecond=0)
    lines = [
        f"Date and time: {rounded:%A, %Y-%m-%d %H:%M} {rounded:UTC%z}",
        f"Operating system: {platform.system()} {platform.release()}",
    ]
    if context.workdir:
        lines.append(f"Working directory: {context.workdir} (relative paths and commands start here)")
    lines.extend(f"Note: {line.strip()}" for line in context.extra_prompt.splitlines() if line.strip())
    return lines


def render(lines: Iterable[str]) -> str:
    """Return the block, or nothing where there is nothing to say."""
    body = "\n".join(lines)
    return f"{_OPEN}\n{body}\n{_CLOSE}" if body else ""


def parse(block: str) -> list[str]:
    """Return the lines of a rendered block."""
    lines = block.split("\n")  # no other line break: a fact may hold one
    return lines[1:-1] if lines[:1] == [_OPEN] and lines[-1:] == [_CLOSE] else []


def merge(known: dict[str, str], lines: Iterable[str]) -> list[str]:
    """Return the lines that differ from what is `known`, and make them known. Keys are up to the colon."""
    news = []
    for line in lines:
        key = line if line.startswith("Note:") else line.partition(":")[0]
        if known.get(key) != line:
            known[key] = line
            news.append(line)
    return news
