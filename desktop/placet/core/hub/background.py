"""The background as a front end sees it: TIC's state and ticks, the folders that give events, the person's rules."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import msgspec

from placet.core.background.tic import Look, Tic, TicOptions
from placet.core.background.watching import FolderWatcher
from placet.core.domain import events
from placet.core.domain.background import (
    NOTIFY,
    TIC_AGENT,
    TIC_GROUP,
    TIC_SOURCE,
    BackgroundEvent,
    Tick,
    TicState,
    Watch,
)
from placet.core.domain.errors import ToolFailure, UsageError
from placet.core.domain.ids import SessionId, new_session_id
from placet.core.domain.messages import RunContext, Session
from placet.core.domain.notifications import Notification
from placet.core.domain.stopping import StopFlag, TaskScope
from placet.core.hub.bus import EventBus
from placet.core.hub.folders import checked_folder
from placet.core.hub.live import LiveSessions
from placet.core.store.store import Store
from placet.core.turn.incoming import Incoming

TOOLS = ("read_file", "list_files", "grep_files", "read_output", NOTIFY)
"""What the background agent may call, whatever the rules would allow."""

MOST_TOLD = 50
_OPTIONS = "tic"  # key of the settings that a person chose in the window
_MOST_RULES = 100_000


class Background:
    """Implements `BackgroundApi`."""

    def __init__(
        self,
        *,
        store: Store,
        bus: EventBus,
        live: LiveSessions,
        announce: Callable[[Sequence[Notification]], Awaitable[None]],
        home: Path,
        declared: TicOptions,
    ) -> None:
        self._store, self._bus, self._live, self._home, self._declared = store, bus, live, home, declared
        self._told: dict[SessionId, tuple[frozenset[int], list[Notification]]] = {}  # of the ticks that run
        self._stops: dict[SessionId, StopFlag] = {}
        self._tic = Tic(
            store.background,
            look=self._look,
            announce=announce,
            rules=self._read_rules,
            changed=self._tell_change,
            options=declared,
        )
        self._watcher = FolderWatcher(store.background, self._on_noted)

    async def start(self, scope: TaskScope) -> None:
        """For a program that stays: recover what a crash cut, follow the folders, and look whenever it is time."""
        await self._store.background.recover()
        await self._read_options()
        await self._watcher.start()
        self._tic.start(scope)

    async def aclose(self) -> None:
        for stop in self._stops.values():
            stop.set()
        await self._watcher.stop()

    # ---- TIC -----------------------------------------------------------------------------------------------------

    async def state(self) -> TicState:
        await self._read_options()
        return await self._tic.state()

    async def configure(self, *, enabled: bool | None = None, interval_minutes: int | None = None) -> None:
        if interval_minutes is not None and not 1 <= interval_minutes <= 10_080:
            raise UsageError("The interval is between one minute and a week.")
        chosen = dict(await self._store.settings.get(_OPTIONS, {}) or {})
        if enabled is not None:
            chosen["enabled"] = enabled
        if interval_minutes is not None:
            chosen["interval_minutes"] = interval_minutes
        await self._store.settings.set(_OPTIONS, chosen)
        await self._read_options()
        self._tell_change()

    async def run_now(self) -> Tick | None:
        await self._store.background.recover()
        return await self._tic.run_now()

    async def ticks(self, *, page: int = 1, per_page: int = 20) -> tuple[Sequence[Tick], int]:
        return await self._store.background.ticks(page=page, per_page=per_page)

    async def events_of(self, tick_id: int) -> Sequence[BackgroundEvent]:
        return await self._store.background.events_of(tick_id)

    async def put_back(self, tick_id: int) -> int:
        return await self._tic.put_back(tick_id)

    async def forget_lost(self) -> None:
        await self._store.background.forget_lost()
        self._tell_change()

    async def _read_options(self) -> None:
        """What a person chose holds, as far as `config.toml` leaves it."""
        chosen = await self._store.settings.get(_OPTIONS, {})
        options = self._declared
        default = TicOptions()
        if isinstance(chosen, dict):
            try:
                wanted = msgspec.convert({**msgspec.to_builtins(default), **chosen}, TicOptions)
            except msgspec.ValidationError:
                wanted = default
            if options.enabled == default.enabled:
                options = msgspec.structs.replace(options, enabled=wanted.enabled)
            if options.interval_minutes == default.interval_minutes:
                options = msgspec.structs.replace(options, interval_minutes=max(wanted.interval_minutes, 1))
        self._tic.configure(options)

    # ---- rules of the person -------------------------------------------------------------------------------------

    async def rules_text(self) -> str:
        return self._read_rules()

    async def write_rules(self, text: str) -> None:
        if len(text) > _MOST_RULES:
            raise UsageError(f"The rules have {len(text):,} characters; at most {_MOST_RULES:,} are read.")
        try:
            self._rules_file.write_text(text, "utf-8")
        except OSError as error:
            raise UsageError(f"notifications.md cannot be written: {error.strerror or error}.") from error

    @property
    def _rules_file(self) -> Path:
        return self._home / "notifications.md"

    def _read_rules(self) -> str:
        try:
            with self._rules_file.open("rb") as file:
                return file.read(_MOST_RULES).decode("utf-8", "replace")
        except OSError:
            return ""

    # ---- folders -------------------------------------------------------------------------------------------------

    async def watches(self) -> Sequence[Watch]:
        return await self._watcher.watches()

    async def watch(self, folder: str) -> None:
        checked = checked_folder(folder)
        if Path(checked) == Path("/") or Path(checked) == Path.home() or Path(checked) in self._home.parents:
            raise UsageError(f"{checked} is too large to be watched.", hint="Choose a folder inside of it.")
        await self._watcher.add(checked)
        self._tell_change()

    async def unwatch(self, folder: str) -> None:
        await self._watcher.remove(folder)
        self._tell_change()

    def _on_noted(self) -> None:
        self._tic.wake()
        self._tell_change()

    # ---- a turn over events --------------------------------------------------------------------------------------

    async def _look(
        self, tick: Tick, prompt: str, ids: frozenset[int], begun: Callable[[SessionId], Awaitable[None]]
    ) -> Look:
        folders = tuple(watch.folder for watch in await self._watcher.watches())
        words = "1 event" if tick.events == 1 else f"{tick.events} events"
        session = await self._store.sessions.create(
            Session(
                id=new_session_id(),
                title=words,
                source=TIC_SOURCE,
                agent=TIC_AGENT,
                interactive=False,
                ephemeral=True,
                context=RunContext(
                    workdir=str((self._home / "work").resolve()), group=TIC_GROUP, auto_deny=True, readable=folders
                ),
                created_at=time.time(),
            )
        )
        self._live.made_here(session.id)
        await begun(session.id)
        live = await self._live.get(session.id)
        told: list[Notification] = []
        self._told[session.id] = ids, told
        stop = self._stops[session.id] = StopFlag()
        try:
            async with self._live.owned(session.id):
                outcome = await live.handler.handle_message(Incoming(text=prompt, tools=TOOLS), stop=stop)
        finally:
            del self._told[session.id], self._stops[session.id]
        return Look(outcome=outcome, told=tuple(told))

    async def stop(self) -> None:
        """End the look that runs; its events can be put back."""
        for stop in self._stops.values():
            stop.set()

    async def tell(self, session_id: SessionId, title: str, text: str, ids: Sequence[int]) -> str:
        """The tool `notify`: keep a notification until the tick ends. Raises: ToolFailure."""
        if session_id not in self._told:
            raise ToolFailure("Only a look through events can tell something.")
        known, told = self._told[session_id]
        if strange := [each for each in ids if each not in known]:
            raise ToolFailure(f"There is no event {strange[0]} here. Nothing was told.")
        if len(told) >= MOST_TOLD:
            raise ToolFailure(f"{MOST_TOLD} notifications are enough for one look. Nothing more was told.")
        notification = Notification(
            source=TIC_SOURCE,
            event_type=title,
            summary=text,
            event_time=time.time(),
            refs=tuple(f"event {each}" for each in dict.fromkeys(ids)),
        )
        told.append(notification)
        return "The person will be told when you have ended."

    def _tell_change(self) -> None:
        self._bus.publish(TIC_SOURCE, None, events.BackgroundChanged())
