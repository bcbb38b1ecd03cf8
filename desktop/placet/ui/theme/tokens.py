"""The colours of `resources/tokens.json`, as they are written there. Imports no Qt."""

from __future__ import annotations

import json
from functools import cache

from placet.core.settings.resources import read_resource


@cache
def color_tokens() -> dict[str, dict[str, str]]:
    """Colours by role, for "light" and for "dark"."""
    colors: dict[str, dict[str, str]] = json.loads(read_resource("tokens.json"))["color"]
    return colors
