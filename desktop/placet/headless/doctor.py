"""`placet doctor`: checks that a person can act on."""

from __future__ import annotations

import argparse
import importlib.util
import platform
import shutil
import sys
from typing import Any

from placet import __version__
from placet.core.domain.errors import PlacetError
from placet.core.domain.hidden import visible
from placet.core.hub.core import Core, open_core
from placet.headless.session import DONE, FAILED, print_json, run_alone


def check_everything(options: argparse.Namespace) -> int:
    """Print what was found; ends with 1 if anything needs a hand."""

    async def work() -> int:
        checks = [
            _fact("version", __version__),
            _fact("python", platform.python_version()),
            *await _of_the_data_folder(),
            _check("window", "" if importlib.util.find_spec("PySide6") else "PySide6 is not installed", "available"),
            _fact("search in files", "ripgrep" if shutil.which("rg") else "built in (ripgrep would be faster)"),
        ]
        if options.json:
            print_json({"ok": all(check["ok"] for check in checks), "checks": checks})
        else:
            for check in checks:
                sys.stdout.write(f"{'ok ' if check['ok'] else '!! '} {check['name']}: {visible(check['message'])}\n")
        return DONE if all(check["ok"] for check in checks) else FAILED

    return run_alone(work)


async def _of_the_data_folder() -> list[dict[str, Any]]:
    """What is wrong with the data folder is what doctor is for: it must not end it."""
    try:
        core = open_core()
    except PlacetError as error:
        return [_check("data folder", f"{error} {error.detail}".strip(), "")]
    try:
        return [
            _fact("home", str(core.home)),
            _check("database", await core.store.database.problem(), "sound"),
            *[_check("config.toml", problem, "") for problem in core.config.problems],
            *[_check("commands", problem, "") for problem in core.hub.commands.problems()],
            *_agents(core),
            await _models(core),
            *await _keys(core),
            _fact("keys", core.keys.note(await core.keys.place())),
        ]
    except PlacetError as error:
        return [_fact("home", str(core.home)), _check("database", f"{error} {error.detail}".strip(), "")]
    finally:
        await core.aclose()


def _fact(name: str, message: str) -> dict[str, Any]:
    return {"name": name, "ok": True, "message": message}


def _check(name: str, problem: str, fine: str) -> dict[str, Any]:
    return {"name": name, "ok": not problem, "message": problem or fine}


def _agents(core: Core) -> list[dict[str, Any]]:
    found = [_check("agents", problem, "") for problem in core.agents.problems()]
    return found or [_fact("agents", ", ".join(agent.id for agent in core.agents.all()))]


async def _models(core: Core) -> dict[str, Any]:
    models = await core.hub.catalogue.models()
    names = ", ".join(model.name for model in models)
    problem = "" if models else "No model is configured. Declare one in config.toml or in the window's Settings."
    return _check("models", problem, names)


async def _keys(core: Core) -> list[dict[str, Any]]:
    """Providers whose key is named and not there."""
    missing = []
    for provider in await core.hub.catalogue.providers():
        place = provider.api_key_env or provider.api_key_keyring
        if place and not await core.keys.key_of(provider):
            kind = "environment variable" if provider.api_key_env else "keychain entry"
            missing.append(_check("keys", f"The key of {provider.name} is not there: {kind} {place} is empty.", ""))
    return missing
