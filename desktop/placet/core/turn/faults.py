"""The boundary around tools."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from placet.core.domain.errors import PlacetError, StalePreview, StoreError, ToolFailure
from placet.core.domain.stopping import TurnStopped

log = logging.getLogger(__name__)


@contextmanager
def faults_become_failures(name: str) -> Iterator[None]:
    """What goes wrong in a tool fails its call and nothing else (`T-9`).

    Passed on: a stop, a preview that went stale, and a store that fails, for then nothing can be recorded.
    """
    try:
        yield
    except (ToolFailure, StalePreview, StoreError, TurnStopped):
        raise
    except PlacetError as error:
        raise ToolFailure(error.message, hint=error.hint) from error
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        raise ToolFailure(f"{name}: {error.strerror or error}{where}.") from error
    except Exception as error:
        log.exception("tool %s failed in a way it does not know", name)
        raise ToolFailure(f"{name} failed unexpectedly: {type(error).__name__}: {error}") from error
