"""What every verb does around its work: open the core, run the loop, turn errors into one line and an exit code."""

from __future__ import annotations

import asyncio
import json
import logging
import signal
import sys
from collections.abc import Awaitable, Callable
from typing import Any

from placet.core.domain.errors import PlacetError, ProviderError, UnknownItem, UsageError
from placet.core.hub.core import Core, open_core

SWITCH_INTERVAL_S = 0.0005  # the loop, the database and the workers hand over to each other many times a round
DONE, FAILED, USAGE, UNAPPROVED, PROVIDER_FAILED, EXHAUSTED, STOPPED = 0, 1, 2, 3, 4, 5, 130


def run_verb(work: Callable[[Core], Awaitable[int]]) -> int:
    """Run `work` with an open core; returns the exit code. The boundary of the command line."""
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    logging.basicConfig(level=logging.ERROR, stream=sys.stderr, format="placet: %(message)s")
    try:
        with asyncio.Runner() as runner:
            return runner.run(_with_core(work))
    except KeyboardInterrupt:
        return STOPPED
    except BrokenPipeError:
        return FAILED
    except (UsageError, UnknownItem) as error:
        return complain(error, USAGE)
    except ProviderError as error:
        return complain(error, PROVIDER_FAILED)
    except PlacetError as error:
        return complain(error, FAILED)


async def _with_core(work: Callable[[Core], Awaitable[int]]) -> int:
    core = open_core()
    try:
        await core.start()
        return await work(core)
    finally:
        await core.aclose()


def complain(error: PlacetError | str, code: int) -> int:
    """Write one line to standard error; returns `code`."""
    line = " ".join(str(error).split())
    sys.stderr.write(f"placet: {line}\n")
    return code


def print_json(value: Any) -> None:
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def print_list(items: list[dict[str, Any]], total: int, page: int, per_page: int) -> None:
    """The one shape of every list."""
    print_json({"items": items, "total": total, "page": page, "per_page": per_page})


def on_interrupt(stop: Callable[[], None]) -> None:
    """Call `stop` at Ctrl+C and at SIGTERM, once; a second one ends the program at once."""
    loop = asyncio.get_running_loop()

    def interrupted() -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
        stop()

    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, interrupted)
        except NotImplementedError:  # Windows: KeyboardInterrupt comes instead
            return
