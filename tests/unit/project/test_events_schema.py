"""The published schema of events and the event classes are one."""

from __future__ import annotations

import json
import re
import runpy
from typing import get_args

import jsonschema

from placet.core.domain.events import AnyEvent, Envelope, Event, TextDelta, to_json
from placet.core.domain.ids import SessionId
from unit.project.tree import ROOT

SCHEMA = ROOT / "resources" / "events.schema.json"


def test_the_published_schema_is_the_one_the_code_makes() -> None:
    made = runpy.run_path(str(ROOT / "packaging" / "make_events_schema.py"))["schema_text"]()
    assert SCHEMA.read_text("utf-8") == made, "run: python packaging/make_events_schema.py"


def test_every_event_class_is_in_the_union() -> None:
    assert set(Event.__subclasses__()) == set(get_args(AnyEvent))


def test_every_type_is_named_in_snake_case_and_once() -> None:
    names = [cls.__struct_config__.tag for cls in get_args(AnyEvent)]
    assert len(names) == len(set(names))
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", name) for name in names)


def test_an_emitted_line_is_valid_under_the_schema() -> None:
    line = to_json(Envelope(source="cli", session_id=SessionId("s"), seq=1, event=TextDelta(text="hé")))
    jsonschema.validate(json.loads(line), json.loads(SCHEMA.read_text("utf-8")))
