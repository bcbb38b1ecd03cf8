"""Refuses files over 600 kB and lines that look like credentials:  python packaging/commit_guard.py FILE…"""

from __future__ import annotations

import re
import sys
from pathlib import Path

LIMIT_BYTES = 600_000
SECRET = re.compile(
    r"""
      \bsk-[A-Za-z0-9_-]{32,} | \bAKIA[0-9A-Z]{16}\b | \bgh[pousr]_[A-Za-z0-9]{36,} | \bxox[abprs]-[A-Za-z0-9-]{20,}
    | \bAIza[0-9A-Za-z_-]{35}\b | -----BEGIN\ (?:[A-Z]+\ )?PRIVATE\ KEY-----
    """,
    re.VERBOSE,
)


def complaints(path: Path) -> list[str]:
    """Return what speaks against committing the file, a sentence each."""
    content = path.read_bytes()
    found = [f"{path}: {len(content):,} bytes, over {LIMIT_BYTES:,}"] if len(content) > LIMIT_BYTES else []
    if b"\0" in content[:8192]:
        return found
    lines = content.decode("utf-8", "replace").splitlines()
    return found + [
        f"{path}:{number}: looks like a secret" for number, line in enumerate(lines, 1) if SECRET.search(line)
    ]


if __name__ == "__main__":
    problems = [problem for name in sys.argv[1:] for problem in complaints(Path(name))]
    print("\n".join(problems), end="\n" if problems else "")
    sys.exit(bool(problems))
