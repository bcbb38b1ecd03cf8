"""The composition root: the only module that sees both halves. Start-up, and an ordered shutdown."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Sequence
from functools import cache
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TYPE_CHECKING

import placet.ui  # noqa: F401 - before PySide6: see there

# isort: split
from PySide6.QtWidgets import QApplication, QDialog

from placet import garbage
from placet.core.domain.errors import PlacetError, StoreError, UnknownItem, UsageError
from placet.core.domain.ids import SessionId
from placet.core.domain.stopping import TaskScope
from placet.core.hub.core import Core, open_core
from placet.core.hub.hub import HOME_SOURCE, Hub
from placet.core.settings.home import Home
from placet.core.settings.sample import make_sample_folder
from placet.core.store.store import Store, set_aside
from placet.ui.asking import ask
from placet.ui.faults import Faults
from placet.ui.frame import Frame
from placet.ui.loop import make_event_loop
from placet.ui.qt_application import qt_application
from placet.ui.text_choices import chosen_fonts
from placet.ui.theme.fonts import use_families
from placet.ui.theme.theme import Theme
from placet.ui.widgets import accessible
from placet.ui.window import MainWindow
from placet.ui.window_lock import WindowLock
from placet.ui.window_state import Preferences, preferences_in

if TYPE_CHECKING:
    from placet.ui.single_instance import Call, CallListener

SHUTDOWN_S = 3.0  # everything has ended by then (`D-5`)
START_AGAIN = -1  # no exit code: the person wants a new start
SWITCH_INTERVAL_S = 0.001  # beside a busy Python thread the interface's longest gap falls from 19 to 10 ms
LOG_BYTES = 1_000_000
DEMO_MESSAGE = "Show me how you work: look at the sample and mend what is wrong with it."

log = logging.getLogger(__name__)


class Application:
    """The program with its window, under a running qasync loop. The maker awaits `start` and `aclose`.

    `window` is the native window, `content` what is in it.
    """

    def __init__(self, core: Core, frame: Frame, theme: Theme, preferences: Preferences) -> None:
        self._core = core
        self._scope = TaskScope("application")
        self.quit_requested = asyncio.Event()
        self._listener: CallListener | None = None
        self.window = frame
        self.content = MainWindow(frame, core.hub, theme, preferences, source=HOME_SOURCE)
        self.content.quit_requested.connect(self.quit_requested.set)
        self.content.demo_requested.connect(lambda: self._scope.start(self._begin_demo(), name="demo"))

    @property
    def hub(self) -> Hub:
        return self._core.hub

    @property
    def store(self) -> Store:
        return self._core.store

    async def start(self, *, workdir: str = "", session: str = "") -> None:
        """Show the window, then fill it. Raises: nothing for what is in the data folder; it is told in the window."""
        self.window.show()
        await self._core.start()
        if session:
            await self.hub.continue_session(HOME_SOURCE, SessionId(session))
        await self.content.open(SessionId(session) if session else None, goes_back=not workdir)
        self._core.start_chores()
        if workdir:
            await self.hub.set_policy(HOME_SOURCE, workdir=workdir)

    def listen(self, lock: WindowLock, home: Path) -> None:
        """Take what later starts were asked for, until `aclose`."""
        from placet.ui.single_instance import CallListener as Listener

        self._listener = Listener(lock, home, self.content)
        self._listener.called.connect(self._on_called)

    def _on_called(self, call: Call) -> None:
        self.content.inbox.bring_window()
        self._scope.start(self._show_called(call), name="called")

    async def _show_called(self, call: Call) -> None:
        """A session as it is. A folder alone gets a chat of its own: the one that shows keeps the folder it has."""
        try:
            if call.session:
                session = await self.hub.history.session(SessionId(call.session))
                self.content.places.open_session(session.id)
            elif call.workdir:
                await self._begin_chat_in(Path(call.workdir))
        except PlacetError as error:
            self.content.show_error(error)

    async def _begin_chat_in(self, folder: Path) -> None:
        if not folder.is_dir():
            raise UsageError(
                f"There is no folder {folder}. The chat was left as it is.", hint="Choose one at the head of the chat."
            )
        if self.hub.is_running(await self.hub.provision_session(HOME_SOURCE)):
            raise UsageError(
                f"A turn is running, so no chat was begun in {folder}.",
                hint="Stop it or wait for its end, then start a new chat and choose the folder at its head.",
            )
        await self.hub.clear(HOME_SOURCE)
        await self.hub.set_policy(HOME_SOURCE, workdir=str(folder))
        self.content.places.go_home()

    async def _begin_demo(self) -> None:
        """The guided first session: a sample folder, the built-in model, a first message."""
        try:
            folder = make_sample_folder(self._core.home / "work" / "demo")
            model = await self._core.catalogue.add_demo()
            await self.hub.clear(HOME_SOURCE)
            await self.hub.set_policy(HOME_SOURCE, workdir=str(folder))
            await self.hub.select_model(HOME_SOURCE, model)
            await self.hub.send_message(HOME_SOURCE, DEMO_MESSAGE)
        except PlacetError as error:
            self.content.show_error(error)

    async def aclose(self) -> None:
        """Keep what the window shows, end what runs, close the store. At most `SHUTDOWN_S` for what does not end."""
        if self._listener is not None:
            self._listener.close()
        await self._scope.close()
        await self.content.aclose()
        try:
            async with asyncio.timeout(SHUTDOWN_S):
                await self._core.aclose()
        except TimeoutError:
            log.exception("something did not end within %s s and was left", SHUTDOWN_S)


def create_application(home: Path, *, argv: Sequence[str] = (), frame: Frame | None = None) -> Application:
    """Put the program together on `home`; `await start()` shows it. Needs a running qasync loop.

    `frame` is a window that already shows; without one it is made. Raises: UsageError, StoreError.
    """
    qt_application(argv)
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    accessible.install()
    core, preferences = open_core(home), preferences_in(home)
    use_families(*chosen_fonts(preferences))
    application = Application(core, frame or Frame(preferences), _theme(), preferences)
    _theme().dress()
    application.window.fill(application.content)
    return application


@cache
def _theme() -> Theme:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    theme = Theme(app, sheet=False)
    theme.use("light")
    return theme


def run(home: Home, frame: Frame, lock: WindowLock, *, workdir: str, session: str) -> int:
    """Fill `frame` and run until the person quits; returns the exit code, or `START_AGAIN`. Later starts are heard while it runs."""
    _log_to(home.folder("logs"))
    loop = make_event_loop(qt_application())
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        try:
            return runner.run(_until_quit(home.root, frame, lock, workdir, session))
        except (UsageError, UnknownItem) as error:  # a folder or session on the command line that does not exist
            sys.stderr.write(f"placet: {error}\n")
            return 2


async def _until_quit(home: Path, frame: Frame, lock: WindowLock, workdir: str, session: str) -> int:
    loop = asyncio.get_running_loop()
    application = await _opened(home, frame)
    if application is None:
        return 1
    faults = Faults(application.content.show_error)
    faults.watch(loop)
    try:
        await application.start(workdir=workdir, session=session)
        application.listen(lock, home)
        garbage.later(loop)
        await application.quit_requested.wait()
    finally:
        await application.aclose()
        faults.end()
    return START_AGAIN if application.content.closing.starts_again else 0


async def _opened(home: Path, frame: Frame) -> Application | None:
    """Put the program together; where the database cannot be used, ask what to do. None: the person quits."""
    while True:
        try:
            return create_application(home, frame=frame)
        except StoreError as error:
            log.warning("the database cannot be used: %s %s", error, error.detail)
            if not await _is_accepted(error, frame):
                return None
        try:
            log.warning("the database was set aside as %s", set_aside(home))
        except StoreError as error:
            await _is_accepted(error, frame)
            return None


async def _is_accepted(error: StoreError, frame: Frame) -> bool:
    """Tell what is wrong with the database; whether a person wants to go on without it."""
    from placet.ui.start_trouble import StartTrouble

    theme = _theme()
    theme.dress()
    return await ask(StartTrouble(error, theme, frame)) == QDialog.DialogCode.Accepted


def _log_to(folder: Path) -> None:
    handler = RotatingFileHandler(folder / "placet.log", maxBytes=LOG_BYTES, backupCount=3, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
