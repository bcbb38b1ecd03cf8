"""A hub in memory with one model."""

from __future__ import annotations

import pytest

from placet.core.domain.model_calls import Dialect, Model, Provider
from support.window_hub import WindowHub


@pytest.fixture
def hub_with_model() -> WindowHub:
    hub = WindowHub()
    hub.catalogue.by_name["local"] = Provider(name="local", type=Dialect.OPENAI)
    hub.catalogue.by_model["small"] = Model(name="small", provider="local", model_id="s")
    return hub
