"""What a round costs beside the model: the end of an answer to the next request, in the real `placet run`.

    python tests/perf/bench_round.py [rounds]

The floor is a bare loop over one httpx client that sends the very same bodies to the same server in the same run.
"""

from __future__ import annotations

import asyncio
import itertools
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[2] / "desktop")]

import httpx
import msgspec

from placet.core.domain.messages import RunContext
from placet.core.hub.core import open_core
from support.placet_process import Program, write_config
from support.stores import fill
from support.wire_server import Recorded, WireServer, call, text

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 60


def gaps_ms(requests: list[Recorded]) -> list[float]:
    """Milliseconds from the end of each answer to the arrival of the next request."""
    return [
        (later.arrived_at - earlier.answered_at) * 1000
        for earlier, later in itertools.pairwise(requests)
        if earlier.answered_at is not None
    ]


def report(name: str, gaps: list[float]) -> float:
    gaps = sorted(gaps)
    median = statistics.median(gaps)
    print(f"{name:<52} median {median:6.2f} ms   p90 {gaps[int(len(gaps) * 0.9)]:6.2f} ms   n {len(gaps)}")
    return median


async def prepare(home: Path, work: Path, messages: int) -> str:
    core = open_core(home)
    await core.start()
    session_id = await core.hub.provision_session("cli", context=RunContext(workdir=str(work)), reset=True)
    frame = await core.store.turns.root_frame(session_id)
    await fill(core.store, frame.id, messages)
    await core.store.search.index_all()
    await core.aclose()
    return session_id


def placet(server: WireServer, folder: Path, messages: int) -> tuple[list[float], list[bytes], float]:
    """Gaps and bodies of a turn of `ROUNDS` rounds, each with one read_file, and seconds to its first request."""
    home, work = folder / f"home{messages}", folder / "work"
    work.mkdir(exist_ok=True)
    (work / "a.txt").write_text("one\ntwo\nthree\n")
    write_config(home, server.url)
    session = asyncio.run(prepare(home, work, messages))
    server.requests.clear()
    server.script(
        *[[text("reading"), call("read_file", {"path": "a.txt", "limit": n + 3})] for n in range(ROUNDS)],
        [text("done")],
    )
    config = home / "config.toml"
    config.write_text("[llm]\nmax_tool_rounds = 0\n\n" + config.read_text())
    began = time.perf_counter()
    ended = Program(home, {"PYTHONWARNINGS": "ignore"}).call("run", "go", "--session", session, "--output", "json")
    assert ended.code == 0, ended.err
    first = server.requests[0].arrived_at - began
    return gaps_ms(server.requests), [request.body for request in server.requests], first


FLOOR = """
import sys, httpx, pathlib
url, bodies = sys.argv[1], pathlib.Path(sys.argv[2]).read_bytes().split(b"\\n")
with httpx.Client(timeout=60) as client:
    for body in bodies:
        with client.stream("POST", url + "/chat/completions", content=body, headers={"content-type": "application/json"}) as r:
            for _ in r.iter_raw():
                pass
"""


def floor(server: WireServer, folder: Path, bodies: list[bytes]) -> list[float]:
    saved = folder / "bodies"
    saved.write_bytes(b"\n".join(bodies))
    server.requests.clear()
    server.script(*[[text("reading"), call("read_file", {"path": "a.txt"})] for _ in bodies])
    subprocess.run([sys.executable, "-c", FLOOR, server.url, str(saved)], check=True)
    return gaps_ms(server.requests)


def main() -> None:
    print(f"{ROUNDS} rounds, httpx {httpx.__version__}, msgspec {msgspec.__version__}, Python {sys.version.split()[0]}")
    medians: dict[int, float] = {}
    with tempfile.TemporaryDirectory() as name, WireServer() as server:
        folder = Path(name)
        for messages in (10, 1_000, 20_000):
            gaps, bodies, first = placet(server, folder, messages)
            size = f"{len(bodies[-1]) // 1024} KB"
            medians[messages] = report(f"placet, {messages:,} stored messages, body {size}", gaps)
            bare = report("  bare httpx loop with the same bodies", floor(server, folder, bodies))
            print(f"  overhead {medians[messages] - bare:.2f} ms a round; start to first request {first * 1000:.0f} ms")
    print(f"20,000 messages against 10: {medians[20_000] / medians[10]:.2f}")


if __name__ == "__main__":
    main()
