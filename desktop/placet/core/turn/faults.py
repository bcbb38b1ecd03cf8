"""The boundary around tools."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from placet.core.domain.errors import PlacetError, ToolFailure
from placet.core.domain.stopping import TurnStopped

log = logging.getLogger(__name__)


@contextmanager
def faults_become_failures(name: str) -> Iterator[None]:
    """What a tool did not foresee fails its call and nothing else (`T-9`)."""
    try:
        yield
    except (PlacetError, TurnStopped):
        raise
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        raise ToolFailure(f"{name}: {error.strerror or error}{where}.") from error
    except Exception as error:
        log.exception("tool %s failed in a way it does not know", name)
        raise ToolFailure(f"{name} failed unexpectedly: {type(error).__name__}: {error}") from error
