"""Writes under review against another program: `python tests/perf/race_writes.py [races] [seed]`, 10,000 and 1 if left out.

Ends with 1 if a byte was written that was not shown, or the other program's work is neither there nor in the journal.
"""

from __future__ import annotations

import asyncio
import platform
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "desktop"), str(ROOT / "tests")]

from support.race_campaign import campaign


def main() -> int:
    count, seed = (int(word) for word in [*sys.argv[1:], "10000", "1"][:2])
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="placet-race-") as folder:
        races = asyncio.run(campaign(Path(folder).resolve(), seed, count))
    endings = Counter((race.kind, race.ending) for race in races)
    for kind in sorted({race.kind for race in races}):
        counts = ", ".join(f"{endings[kind, ending]} {ending}" for ending in ("refused", "first", "conflict"))
        print(f"{kind:26} {counts}")
    print(f"{count} races, seed {seed}, {time.monotonic() - began:.0f} s, {platform.platform()}")
    faults = [race for race in races if race.fault]
    for race in faults[:20]:
        print(f"FAULT: {race.kind}: {race.fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
