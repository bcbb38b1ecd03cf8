"""`placet models`: what is configured, and whether it answers."""

from __future__ import annotations

import argparse
import sys

import msgspec

from placet.core.domain.errors import NoModel
from placet.core.domain.hidden import visible
from placet.core.hub.core import Core
from placet.headless.session import DONE, PROVIDER_FAILED, print_list, run_verb


def list_models(options: argparse.Namespace) -> int:
    async def work(core: Core) -> int:
        models = await core.hub.catalogue.models()
        start = (options.page - 1) * options.per_page
        shown = models[start : start + options.per_page]
        if options.json:
            print_list([msgspec.to_builtins(model) for model in shown], len(models), options.page, options.per_page)
            return DONE
        for model in shown:
            default = "  (default)" if model.default else ""
            sys.stdout.write(
                f"{visible(model.name):<24} {visible(model.provider)} {visible(model.model_id)}{default}\n"
            )
        if not models:
            sys.stdout.write("No model is configured. Declare one in config.toml or in the window's Settings.\n")
        return DONE

    return run_verb(work)


def test_models(options: argparse.Namespace) -> int:
    async def work(core: Core) -> int:
        models = await core.hub.catalogue.models()
        names = [options.name] if options.name else [model.name for model in models]
        if not names:
            raise NoModel("No model is configured.", hint="Declare one in config.toml or in the window's Settings.")
        if options.name:
            await core.hub.catalogue.resolve(options.name)
        results = [await core.hub.catalogue.test(name) for name in names]
        if options.json:
            print_list([msgspec.to_builtins(result) for result in results], len(results), 1, max(len(results), 1))
        else:
            for result in results:
                said = f"works, first token after {result.first_token_ms:.0f} ms" if result.works else result.message
                sys.stdout.write(f"{visible(result.model):<24} {visible(said)} {visible(result.hint)}\n")
        return DONE if all(result.works for result in results) else PROVIDER_FAILED

    return run_verb(work)
