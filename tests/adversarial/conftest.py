"""Attempts to make something happen that was not shown or not allowed. None may succeed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.arena import Arena


@pytest.fixture
async def arena(tmp_path: Path) -> AsyncIterator[Arena]:
    arena = Arena(tmp_path)
    yield arena
    await arena.aclose()
