"""One open store a test, in a folder of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.stores import OpenStore, opened_store


@pytest.fixture
async def opened(tmp_path: Path) -> AsyncIterator[OpenStore]:
    async with opened_store(tmp_path / "home") as store:
        yield store
