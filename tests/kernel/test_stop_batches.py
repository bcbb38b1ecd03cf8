"""A batch of eight sub-agents over a real server, stopped at any moment: nothing runs on, and a resume completes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.stop_campaign import moments, stop_once
from support.wire_server import WireServer


@pytest.mark.parametrize("dialect", ["openai", "anthropic"])
async def test_t1_t8_nothing_of_a_stopped_batch_runs_on(placet_home: Path, tmp_path: Path, dialect: str) -> None:
    with WireServer() as server:
        for number, moment in enumerate(moments(7, 5, 0.6)):
            stopped = await stop_once(tmp_path / str(number), server, dialect, moment)
            assert stopped.left == [], f"stopped after {moment:.3f} s"
