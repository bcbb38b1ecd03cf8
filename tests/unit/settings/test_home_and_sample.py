"""Where data lies, the presets, and the sample folder."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from placet.core.domain.errors import UsageError
from placet.core.domain.model_calls import Dialect
from placet.core.settings.home import FOLDERS, Home, find_home
from placet.core.settings.presets import candidates, presets
from placet.core.settings.resources import resources_folder
from placet.core.settings.sample import make_sample_folder


def test_the_named_home_wins_over_the_platforms() -> None:
    assert find_home({"PLACET_HOME": "/tmp/x/../y"}).root == Path("/tmp/y").resolve()
    assert find_home({"PLACET_HOME": " "}).root.name == "placet"
    assert find_home({"PLACET_HOME": "~/p"}).root == Path("~/p").expanduser().resolve()


def test_a_home_is_made_for_its_owner_only(tmp_path: Path) -> None:
    home = Home(tmp_path / "a" / "b").ensure().ensure()
    assert {path.name for path in home.root.iterdir()} == set(FOLDERS)
    assert home.folder("logs").is_dir()
    assert home.database.name == "placet.db"
    assert home.config.name == "config.toml"
    if os.name == "posix":
        assert stat.S_IMODE(home.root.stat().st_mode) == 0o700
    with pytest.raises(ValueError, match="nowhere"):
        home.folder("nowhere")


def test_a_home_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError) as raised:
        Home(tmp_path / "file").ensure()
    assert "PLACET_HOME" in raised.value.hint


def test_presets_are_complete_and_local_ones_need_no_key() -> None:
    names = [preset.name for preset in presets()]
    assert len(names) == len(set(names))
    assert {"openai", "anthropic", "openrouter", "ollama", "lmstudio", "llamacpp"} <= set(names)
    for preset in presets():
        assert preset.base_url.startswith("https://" if preset.needs_key else "http://127.0.0.1:")
        assert bool(preset.key_page) is preset.needs_key
        assert preset.type is not Dialect.DEMO
    assert [each.api_key_env for each in candidates() if each.name == "gemini"] == ["GEMINI_API_KEY", "GOOGLE_API_KEY"]


def test_the_sample_folder_is_written_once_and_never_over_changes(tmp_path: Path) -> None:
    folder = make_sample_folder(tmp_path / "sample")
    source = resources_folder() / "demo"
    expected = {path.relative_to(source) for path in source.rglob("*") if path.is_file()}
    assert {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()} == expected
    changed = folder / "notes" / "todo.py"
    changed.write_text("mine")
    (folder / "README.md").unlink()
    make_sample_folder(folder)
    assert changed.read_text() == "mine"
    assert (folder / "README.md").exists()


def test_a_sample_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError):
        make_sample_folder(tmp_path / "file")
