"""Process start to first paint: of the window, and of the chat with a session of 10,000 messages open.

Both are judged against a bare qasync + QMainWindow program.

    python tests/perf/bench_start.py [runs]

Also: memory at rest (PSS), processor at rest, `placet --version`, `import placet.core`.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "desktop")]

from placet.core.hub.core import open_core
from support.stores import fill

RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 12

BARE = """
import asyncio, os, sys, time
from PySide6.QtWidgets import QApplication, QMainWindow, QSplitter, QListView, QTextEdit, QPlainTextEdit
import qasync
app = QApplication([])
class Window(QMainWindow):
    def paintEvent(self, event):
        super().paintEvent(event)
        print((time.time() - float(os.environ["BEGAN"])) * 1000, flush=True)
        os._exit(0)
window = Window()
window.resize(1440, 900)
parts = QSplitter()
for part in (QListView(), QTextEdit(), QPlainTextEdit()):
    parts.addWidget(part)
window.setCentralWidget(parts)
loop = qasync.QEventLoop(app)
asyncio.set_event_loop(loop)
window.show()
with loop:
    loop.run_forever()
"""

PLACET = """
import os, sys, time
from placet import cli, garbage
garbage.not_yet()  # as `cli.main` does before all else
import placet.ui
from placet.ui.frame import Frame

def tell():
    print((time.time() - float(os.environ["BEGAN"])) * 1000, flush=True)

class Watched(Frame):
    def __init__(self, preferences):
        super().__init__(preferences)
        self.painted.connect(self._on_painted)

    def _on_painted(self):
        self.painted.disconnect(self._on_painted)
        tell()

    def fill(self, content):
        from PySide6.QtCore import QEvent, QObject, QTimer

        def painted():
            tell()
            if os.environ.get("REST") != "1":
                os._exit(0)

        class FirstPaint(QObject):
            def eventFilter(self, watched, event):
                if event.type() == QEvent.Type.Paint and watched.parent().message_count() > 0:
                    watched.removeEventFilter(self)
                    QTimer.singleShot(0, painted)
                return False

        super().fill(content)
        self.watch = FirstPaint()
        self.findChild(QObject, "chatView").viewport().installEventFilter(self.watch)

import placet.start
placet.start.Frame = Watched
sys.exit(cli.main([]))
"""


async def prepare(home: Path) -> None:
    (home / "config.toml").write_text(
        '[[providers]]\nname = "demo"\ntype = "demo"\n[[models]]\nname = "demo"\nprovider = "demo"\nmodel_id = "demo"\n'
    )
    core = open_core(home)
    await core.start()
    session = await core.hub.provision_session("desktop")
    frame = await core.store.turns.root_frame(session)
    await fill(core.store, frame.id, 10_000)
    await core.store.search.index_all()
    await core.aclose()


def environment(home: Path) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return {
        **kept,  # an installed program has its bytecode
        "QT_QPA_PLATFORM": os.environ.get("QT_QPA_PLATFORM", "offscreen"),
        "PLACET_HOME": str(home),
        "PYTHONPATH": str(ROOT / "desktop"),
        "BEGAN": repr(time.time()),
    }


def first_paints_ms(code: str, home: Path) -> list[float]:
    """When things were painted first, in ms since the process began: of Placet the empty window, then the filled."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
    )
    return [float(line) for line in done.stdout.split()]


def at_rest(home: Path) -> None:
    """PSS and processor of the program some seconds after its start, over ten seconds."""
    env = environment(home) | {"REST": "1"}
    child = subprocess.Popen(
        [sys.executable, "-c", PLACET], env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert child.stdout is not None
    for _ in ("empty", "filled"):
        child.stdout.readline()
    time.sleep(20)
    before, began = _ticks(child.pid), time.monotonic()
    time.sleep(30)
    share = (_ticks(child.pid) - before) / os.sysconf("SC_CLK_TCK") / (time.monotonic() - began)
    rollup = Path(f"/proc/{child.pid}/smaps_rollup").read_text()
    pss = next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))
    child.kill()
    child.wait()
    print(f"at rest: {pss / 1024:.0f} MB PSS, processor {share * 100:.3f} %")


def _ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def median_ms(arguments: list[str], home: Path) -> float:
    taken = []
    for _ in range(RUNS):
        began = time.perf_counter()
        subprocess.run([sys.executable, *arguments], env=environment(home), capture_output=True, check=True)
        taken.append((time.perf_counter() - began) * 1000)
    return statistics.median(taken)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        asyncio.run(prepare(home))
        bare, empty, filled = [], [], []
        first_paints_ms(PLACET, home)  # writes the bytecode
        for _ in range(RUNS):  # in turn, so that both meet the same machine
            bare += first_paints_ms(BARE, home)
            for taken, ms in zip((empty, filled), first_paints_ms(PLACET, home), strict=True):
                taken.append(ms)
        floor = statistics.median(bare)
        print(f"first paint of a bare program: {floor:.0f} ms")
        for what, taken in (("the window, still empty", empty), ("the chat, with 10,000 messages", filled)):
            ms = statistics.median(taken)
            print(f"first paint of {what}: {ms:.0f} ms (fastest {min(taken):.0f}), ratio {ms / floor:.2f}")
        nothing = median_ms(["-c", "pass"], home)
        print(f"python -c pass {nothing:.0f} ms")
        print(f"placet --version {median_ms(['-m', 'placet', '--version'], home):.0f} ms")
        print(f"import placet.core.hub.core {median_ms(['-c', 'import placet.core.hub.core'], home):.0f} ms")
        at_rest(home)


if __name__ == "__main__":
    main()
