"""A toolbox on a temporary folder, driven as the engine does it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from placet.core.domain.errors import ToolFailure
from placet.core.domain.ids import CallId, SessionId
from placet.core.domain.messages import RunContext
from placet.core.domain.review import Action, CallRef, DecidedBy, Permit, Verdict
from placet.core.domain.stopping import StopFlag
from placet.core.domain.tools import FileWrite, Operation, PlannedWrite, ToolResult
from placet.core.tools.toolbox import BuiltinToolbox

_VERDICT = Verdict(action=Action.ALLOW, by=DecidedBy.PERSON, because="test")


class Workbench:
    """Prepares and runs calls in `folder`; `live` gathers what commands print."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.live: list[str] = []
        self.denied: set[Path] = set()
        self.secrets: list[str] = []
        self.stop = StopFlag()
        self.context = RunContext(workdir=str(folder))
        self.box = BuiltinToolbox(
            emit_output=lambda _call, text: self.live.append(text),
            denied_paths=self._denied_paths,
            secret_env_names=lambda: self.secrets,
        )

    async def _denied_paths(self, _context: RunContext) -> Callable[[Path], bool]:
        return lambda path: any(path.is_relative_to(hidden) for hidden in self.denied)

    async def _denied_paths(self, _context: RunContext) -> Callable[[Path], bool]:
        return lambda path: any(path.is_relative_to(hidden) for hidden in self.denied)

    def prepare(self, name: str, **arguments: Any) -> Operation:
        return self.box.prepare(name, arguments, self.context)

    async def run(self, name: str, **arguments: Any) -> ToolResult:
        operation = self.prepare(name, **arguments)
        call = CallRef(
            session_id=SessionId("s"), call_id=CallId(1), name=name, arguments="{}", agent="assistant", source="desktop"
        )
        return await self.box.run(Permit(operation=operation, verdict=_VERDICT), self.stop, call, self.context)

    async def text(self, name: str, **arguments: Any) -> str:
        return (await self.run(name, **arguments)).text

    def plan(self, name: str, old: bytes | None, **arguments: Any) -> PlannedWrite:
        """Plan a write of `file.txt` with these bytes in it."""
        operation = self.prepare(name, path="file.txt", **arguments)
        assert isinstance(operation, FileWrite)
        return operation.plan(old)

    def failure(self, name: str, old: bytes | None, **arguments: Any) -> str:
        with pytest.raises(ToolFailure) as caught:
            self.plan(name, old, **arguments)
        return str(caught.value)

    def write(self, name: str, data: bytes | str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    bench = Workbench(tmp_path.resolve())
    yield bench
    bench.box.close()
    left = [thread.name for thread in threading.enumerate() if thread.name.startswith("placet-")]
    assert not [name for name in left if name.startswith("placet-tools")]
