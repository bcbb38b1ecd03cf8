"""Stop to everything ended (`T-8`): a batch of eight sub-agents, each of ten rounds, stopped at a random moment.

    python tests/perf/bench_stop.py [runs] [seed]

Fails where anything runs on, a history is not well-formed or a resume does not complete the turn.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "desktop")]

from support.stop_campaign import moments, stop_once
from support.wire_server import WireServer

RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 500
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 1
LONGEST_S = 0.7


async def main() -> int:
    taken, early, bad = [], 0, 0
    with WireServer() as server:
        for number, moment in enumerate(moments(SEED, RUNS, LONGEST_S)):
            with tempfile.TemporaryDirectory() as folder:
                dialect = ("openai", "anthropic")[number % 2]
                stopped = await stop_once(Path(folder), server, dialect, moment)
            if stopped.left:
                bad += 1
                print(f"run {number}, stopped after {moment:.3f} s: {', '.join(stopped.left)}")
            if stopped.had_ended:
                early += 1
            else:
                taken.append(stopped.took_ms)
    taken.sort()
    print(
        f"{RUNS} runs, seed {SEED}: {len(taken)} stopped in the middle, {early} had ended before; "
        f"median {statistics.median(taken):.1f} ms, p99 {taken[int(len(taken) * 0.99)]:.1f} ms, longest {taken[-1]:.1f} ms; "
        f"{bad} left something running"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
