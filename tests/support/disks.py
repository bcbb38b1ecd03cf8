"""File systems of their own, for tests of what happens when one is full or read-only."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


@contextlib.contextmanager
def small_disk(at: Path) -> Iterator[Path]:
    """A disk of 512 KB in memory; the test is skipped where none may be mounted."""
    at.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=512k", "none", str(at)], capture_output=True, check=False
    ).returncode:
        pytest.skip("this process may not mount a file system")
    try:
        yield at.resolve()
    finally:
        subprocess.run(["umount", str(at)], check=True)
