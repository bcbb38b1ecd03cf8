"""What every verb does around its work: open the core, run the loop, turn errors into one line and an exit code."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from placet import garbage
from placet.core.domain.errors import PlacetError, ProviderError, UnknownItem, UsageError
from placet.core.domain.hidden import visible
from placet.core.hub.core import Core, open_core

SWITCH_INTERVAL_S = 0.0005  # the loop, the database and the workers hand over to each other many times a round
DONE, FAILED, USAGE, UNAPPROVED, PROVIDER_FAILED, EXHAUSTED, STOPPED = 0, 1, 2, 3, 4, 5, 130


def run_verb(work: Callable[[Core], Awaitable[int]]) -> int:
    """Run `work` with an open core; returns the exit code."""
    return run_alone(lambda: _with_core(work))


def run_alone(work: Callable[[], Coroutine[Any, Any, int]]) -> int:
    """Run `work` on a loop; returns the exit code. The boundary of the command line."""
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal without UTF-8 is no reason to fail
    logging.basicConfig(level=logging.ERROR, stream=sys.stderr, format="placet: %(message)s")
    try:
        with asyncio.Runner() as runner:
            return runner.run(work())
    except KeyboardInterrupt:
        return STOPPED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # so that closing it says nothing
        return FAILED
    except (UsageError, UnknownItem) as error:
        return complain(error, USAGE)
    except ProviderError as error:
        return complain(error, PROVIDER_FAILED)
    except PlacetError as error:
        return complain(error, FAILED)
    except OSError as error:
        return complain(f"{error.strerror or error}", FAILED)
    except Exception as error:
        logging.getLogger(__name__).debug("unexpected", exc_info=True)
        return complain(f"something unexpected went wrong: {type(error).__name__}: {error}", FAILED)


async def _with_core(work: Callable[[Core], Awaitable[int]]) -> int:
    garbage.later(asyncio.get_running_loop())
    core = open_core()
    try:
        await core.start()
        return await work(core)
    finally:
        await core.aclose()


def complain(error: PlacetError | str, code: int) -> int:
    """Write one line to standard error; returns `code`."""
    line = visible(" ".join(str(error).split()))
    sys.stderr.write(f"placet: {line}\n")
    return code


def print_json(value: Any) -> None:
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def print_list(items: list[dict[str, Any]], total: int, page: int, per_page: int) -> None:
    """The one shape of every list."""
    print_json({"items": items, "total": total, "page": page, "per_page": per_page})


ENDING_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


def on_interrupt(stop: Callable[[], None]) -> None:
    """Call `stop` at Ctrl+C, at SIGTERM and when the terminal is closed; a second one ends the program at once."""
    loop = asyncio.get_running_loop()

    def interrupted() -> None:
        for number in ENDING_SIGNALS:
            loop.remove_signal_handler(number)
        stop()

    for number in ENDING_SIGNALS:
        try:
            loop.add_signal_handler(number, interrupted)
        except NotImplementedError:  # Windows: KeyboardInterrupt comes instead
            return
