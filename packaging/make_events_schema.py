"""Writes resources/events.schema.json from the event classes:  python packaging/make_events_schema.py"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import msgspec

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "resources" / "events.schema.json"


def schema_text() -> str:
    """Return the JSON schema of one line of `--output events`."""
    sys.path.insert(0, str(ROOT / "desktop"))
    from placet.core.domain.events import Envelope

    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A line of Placet's events"}
    schema |= msgspec.json.schema(Envelope)
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    TARGET.write_text(schema_text(), "utf-8")
