"""`placet run` and `placet resume`: one turn without a window."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Awaitable, Callable

from placet.core.domain import events
from placet.core.domain.agents import DEFAULT_AGENT
from placet.core.domain.errors import ProviderFault, UsageError
from placet.core.domain.ids import SessionId
from placet.core.domain.messages import RunContext
from placet.core.domain.tools import QUESTION_TOOL
from placet.core.hub.bus import BusSubscription
from placet.core.hub.core import Core
from placet.core.hub.folders import checked_folder, current_folder
from placet.headless.approval import NO_ANSWER, Approver
from placet.headless.output import Output, output_for
from placet.headless.session import (
    DONE,
    EXHAUSTED,
    FAILED,
    PROVIDER_FAILED,
    STOPPED,
    UNAPPROVED,
    complain,
    on_interrupt,
    run_verb,
)
from placet.headless.terminal import has_terminal, one_line, read_input


def run_prompt(options: argparse.Namespace) -> int:
    """Send one message and wait for the end of its turn."""

    async def work(core: Core) -> int:
        for problem in core.hub.problems():
            complain(problem, 0)
        prompt = await read_input(sys.stdin.read) if options.prompt == "-" else options.prompt
        if not prompt.strip():
            raise UsageError("The prompt is empty.")
        await core.hub.catalogue.resolve(options.model)
        source, session_id = await _session(core, options)

        async def begin() -> None:
            await core.hub.send_message(source, prompt)

        return await _follow(core, source, session_id, options, begin)

    return run_verb(work)


def resume_session(options: argparse.Namespace) -> int:
    """Go on with the interrupted turn of a session."""

    async def work(core: Core) -> int:
        session = await core.hub.history.session(SessionId(options.session))

        async def begin() -> None:
            await core.hub.resume(session.id)

        return await _follow(core, session.source, session.id, options, begin)

    return run_verb(work)


async def _session(core: Core, options: argparse.Namespace) -> tuple[str, SessionId]:
    """Return the source and session to talk in. A folder that was named holds for it, else the one it has."""
    hub = core.hub
    named = checked_folder(options.workdir) if options.workdir else ""
    if options.session:
        session = await hub.history.session(SessionId(options.session))
        await hub.continue_session(session.source, session.id)
        source, session_id = session.source, session.id
    else:
        source = options.source
        context = RunContext(workdir=named or current_folder())
        agent = options.agent or DEFAULT_AGENT
        session_id = await hub.provision_session(source, agent=agent, context=context, reset=not options.go_on)
    if named:
        await hub.set_policy(source, workdir=named)
    if options.model:
        await hub.select_model(source, options.model)
    if options.agent and options.agent != (await hub.history.session(session_id)).agent:
        await hub.select_agent(source, options.agent)
    return source, session_id


async def _follow(
    core: Core, source: str, session_id: SessionId, options: argparse.Namespace, begin: Callable[[], Awaitable[None]]
) -> int:
    """Start the turn, write what it tells, answer what it asks; returns the exit code."""
    hub = core.hub
    session = await hub.history.session(session_id)
    stream = hub.events(capacity=None)
    approver = Approver(hub, options.approve, session.context.workdir, core.home)
    follower = _Follower(output=output_for(options.output, session_id), approver=approver)
    interrupted = False

    async def stopped() -> None:
        await hub.cancel(source)
        await hub.cancel_session(session_id)  # its turn may run for another source, which talks in it now

    def stop() -> None:
        nonlocal interrupted
        interrupted = True
        core.scope.start(stopped(), name="interrupt")

    on_interrupt(stop)
    await begin()
    try:
        code = await follower.until_the_end(stream, session_id)
    finally:
        stream.close()
        await approver.aclose()
    follower.finish()
    return STOPPED if interrupted else code


class _Follower:
    """Reads one session's events to the end of its turn."""

    def __init__(self, output: Output, approver: Approver) -> None:
        self._output, self._approver = output, approver
        self._code = DONE
        self._has_begun = False
        self._is_refused = False

    async def until_the_end(self, stream: BusSubscription, session_id: SessionId) -> int:
        async for envelope in stream:
            if envelope.session_id not in (session_id, None):
                continue
            self._output.write(envelope)
            if self._is_the_end(envelope.event):
                break
        return UNAPPROVED if self._code == DONE and self._is_refused else self._code

    def _is_the_end(self, event: events.AnyEvent) -> bool:
        match event:
            case events.PendingWrite() | events.PendingCommand() | events.ApprovalRequired() | events.AgentQuestion():
                return self._is_left(event)
            case events.ToolRejected(by="policy"):  # nobody could allow it, or --approve did not
                self._is_refused = True
            case events.Error(code=code):
                self._code = _exit_code(code)
                return code == "not_begun"
            case events.Done():
                self._code = DONE
            case events.TurnRunning(running=running):
                self._has_begun |= running
                return self._has_begun and not running
        return False

    def _is_left(
        self, asked: events.PendingWrite | events.PendingCommand | events.ApprovalRequired | events.AgentQuestion
    ) -> bool:
        """Have the request answered; a question that nobody can answer stays asked, and is left to a resume."""
        if not isinstance(asked, events.AgentQuestion) or asked.name != QUESTION_TOOL or has_terminal():
            self._approver.start(asked.request_id)
            return False
        complain(f"{one_line(asked.title)}: {one_line(asked.question)} {NO_ANSWER}", 0)
        self._is_refused = True
        return True

    def finish(self) -> None:
        self._output.finish()


_PROVIDER_CODES = frozenset(fault.value for fault in ProviderFault)


def _exit_code(code: str) -> int:
    if code == "interrupted":
        return STOPPED
    if code == "rounds_exhausted":
        return EXHAUSTED
    return PROVIDER_FAILED if code in _PROVIDER_CODES else FAILED
