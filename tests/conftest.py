"""What every test runs under: throw-away home, no keychain, no screen, no network, nothing left behind."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import ExitStack
from pathlib import Path

import pytest

from support import strict

# Before Qt and keyring are imported: both look once.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "expected_logs(*patterns): log records at WARNING that this test provokes")


@pytest.fixture(autouse=True)
def placet_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The test's own `PLACET_HOME`, not yet made, as on a first start."""
    home = tmp_path_factory.getbasetemp() / f"home-{os.urandom(6).hex()}"
    monkeypatch.setenv("PLACET_HOME", str(home))
    return home


@pytest.fixture
def expected_logs() -> list[str]:
    """Patterns of log records at WARNING or above that the test provokes; append to it."""
    return []


@pytest.fixture(autouse=True)
def _strict(request: pytest.FixtureRequest) -> Generator[None]:
    # A test that takes `caplog` looks at the records itself.
    patterns: list[str] = [".*"] if "caplog" in request.fixturenames else []
    for marker in request.node.iter_markers("expected_logs"):
        patterns.extend(marker.args)
    if "expected_logs" in request.fixturenames:
        declared: list[str] = request.getfixturevalue("expected_logs")
    else:
        declared = []
    with ExitStack() as guards:
        guards.enter_context(strict.closed_network())
        guards.enter_context(strict.quiet_logs(lambda: [*patterns, *declared]))
        guards.enter_context(strict.no_threads_left())
        guards.enter_context(strict.no_tasks_left())
        guards.enter_context(strict.no_windows_left())
        yield
