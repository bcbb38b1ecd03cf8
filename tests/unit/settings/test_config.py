"""`config.toml`: everything it can say, and everything that can be wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placet.core.domain.model_calls import Dialect, Model, Provider
from placet.core.settings.config import Config, load_config
from placet.core.settings.options import Compaction, Inbox, Llm, McpServer, Tic, described

WHOLE = """
[llm]
max_tool_rounds = 30
max_parallel_subagents = 2
max_tool_result_chars = 30000

[llm.compaction]
keep_recent = 8
strength = "high"

[hub]
coalesce_debounce_ms = 250

[tic]
enabled = false
interval_minutes = 5

[[providers]]
name = "local"
type = "openai"
base_url = "http://127.0.0.1:8080/v1"
api_key_env = "LOCAL_KEY"
idle_timeout_s = 60

[[providers]]
name = "claude"
type = "anthropic"
api_key_keyring = "claude"

[[models]]
name = "small"
provider = "local"
model_id = "smollm2"
context_length = 32768
max_output_tokens = 2048
strength = "low"
scopes = ["basic"]
default = true
price_input_per_million = 0

[mcp.servers.everything]
command = "npx"
args = ["-y", "server"]
"""


def load(tmp_path: Path, text: str | bytes) -> Config:
    path = tmp_path / "config.toml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return load_config(path)


def test_no_file_declares_nothing(tmp_path: Path) -> None:
    assert load_config(tmp_path / "config.toml") == Config()


def test_everything_that_the_file_can_say(tmp_path: Path) -> None:
    config = load(tmp_path, WHOLE)
    assert config.problems == []
    compaction = Compaction(keep_recent=8, strength="high")
    assert config.llm == Llm(
        max_tool_rounds=30, max_parallel_subagents=2, max_tool_result_chars=30_000, compaction=compaction
    )
    assert config.hub == Inbox(coalesce_debounce_ms=250)
    assert config.tic == Tic(enabled=False, interval_minutes=5)
    assert config.providers == (
        Provider(
            name="local",
            type=Dialect.OPENAI,
            base_url="http://127.0.0.1:8080/v1",
            api_key_env="LOCAL_KEY",
            idle_timeout_s=60,
            declared=True,
        ),
        Provider(name="claude", type=Dialect.ANTHROPIC, api_key_keyring="claude", declared=True),
    )
    assert config.models == (
        Model(
            name="small",
            provider="local",
            model_id="smollm2",
            context_length=32768,
            max_output_tokens=2048,
            strength="low",
            scopes=("basic",),
            default=True,
            price_input_per_million=0.0,
            declared=True,
        ),
    )
    assert config.mcp.servers == {"everything": McpServer(command="npx", args=("-y", "server"))}


@pytest.mark.parametrize(
    ("text", "key", "words"),
    [
        ("[lmm]\nx = 1", "lmm", "“llm”"),
        ("[llm]\nmax_tool_round = 3", "llm.max_tool_round", "“max_tool_rounds”"),
        ("[llm]\nzzz = 3", "llm.zzz", "known here: compaction"),
        ("[llm.compaction]\nkeep_recents = 3", "llm.compaction.keep_recents", "“keep_recent”"),
        ("[[providers]]\nname='a'\ntype='openai'\nbase_uri='x'", "providers[1].base_uri", "“base_url”"),
        ("[[models]]\nname='a'\nprovider='p'\nmodel_id='m'\ndeclared=true", "models[1].declared", "unknown key"),
        ("[mcp.server.x]\ncommand='y'", "mcp.server", "“servers”"),
        ("[mcp.servers.x]\ncomand='y'", "mcp.servers.x.comand", "“command”"),
    ],
)
def test_an_unknown_key_is_reported_with_the_nearest_name(tmp_path: Path, text: str, key: str, words: str) -> None:
    (problem,) = load(tmp_path, text).problems
    assert f"config.toml: {key}: " in problem
    assert words in problem


@pytest.mark.parametrize(
    ("text", "key", "words"),
    [
        ("[llm]\nmax_tool_rounds = 'many'", "llm.max_tool_rounds", "the default 20 is used"),
        ("[llm]\nmax_parallel_subagents = 0", "llm.max_parallel_subagents", ">= 1"),
        ("[llm]\ncompaction = 3", "llm.compaction", "a table"),
        ("llm = 3", "llm", "a table"),
        ("[tic]\nenabled = 1", "tic.enabled", "true or false"),
        ("providers = 3", "providers", "[[providers]]"),
        ("[providers]\nname='a'", "providers", "[[providers]]"),
        ("[[providers]]\nname='a'\ntype='opnai'", "providers[1].type", "openai, anthropic, demo"),
        ("[[providers]]\nname='a'\ntype='ollama'", "providers[1].type", "11434"),
        ("[[providers]]\ntype='openai'", "providers[1]", "name must be given"),
        ("[[models]]\nname='a'", "models[1]", "provider and model_id must be given"),
        ("[[models]]\nname='a'\nprovider='p'\nmodel_id='m'\nscopes='basic'", "models[1].scopes", "a list"),
        ("[mcp.servers]\nx = 1", "mcp.servers.x", "a table"),
    ],
)
def test_a_wrong_value_is_reported_with_its_key_and_costs_only_itself(
    tmp_path: Path, text: str, key: str, words: str
) -> None:
    config = load(tmp_path, text)
    (problem,) = config.problems
    assert f"config.toml: {key}: " in problem
    assert words in problem
    assert config.llm == Llm()


def test_an_unusable_entry_leaves_the_others(tmp_path: Path) -> None:
    config = load(tmp_path, WHOLE + "\n[[providers]]\nname = 'x'\ntype = 3\n[[models]]\nname = 'y'\n")
    assert [provider.name for provider in config.providers] == ["local", "claude"]
    assert [model.name for model in config.models] == ["small"]
    assert len(config.problems) == 2


def test_a_name_declared_twice_and_two_places_for_a_key_are_reported(tmp_path: Path) -> None:
    entry = "[[providers]]\nname='a'\ntype='openai'\nbase_url='http://{}'\napi_key_env='A'\napi_key_keyring='a'\n"
    config = load(tmp_path, entry.format("first") + entry.format("second"))
    assert [(each.base_url, each.api_key_keyring) for each in config.providers] == [("http://first", "")]
    assert any("declared twice" in problem for problem in config.problems)
    assert any("exclude each other" in problem for problem in config.problems)


def test_a_file_that_does_not_parse_is_reported_with_its_place_and_the_other_sections_hold(tmp_path: Path) -> None:
    broken = WHOLE.replace("enabled = false", "enabled = no")
    config = load(tmp_path, broken)
    line = broken.splitlines().index("enabled = no") + 1
    assert f"line {line}, column 11" in config.problems[0]
    assert config.tic == Tic()
    assert config.llm.max_tool_rounds == 30
    assert config.llm.compaction.keep_recent == 8
    assert [provider.name for provider in config.providers] == ["local", "claude"]


def test_an_unfinished_end_has_a_place_too(tmp_path: Path) -> None:
    config = load(tmp_path, "[llm]\nmax_tool_rounds = 5\n[tic]\ninterval_minutes = ")
    assert "line 4, column 20" in config.problems[0]
    assert config.llm.max_tool_rounds == 5


def test_bytes_that_are_no_text_and_a_folder_in_its_place(tmp_path: Path) -> None:
    assert "byte 2 is not UTF-8" in load(tmp_path, b"a\xff").problems[0]
    (tmp_path / "d").mkdir()
    assert "cannot be read" in load_config(tmp_path / "d").problems[0]


@pytest.mark.parametrize("value", ["9" * 5000, "[" * 3000])
def test_a_value_beyond_the_parser_is_reported_and_the_other_sections_hold(tmp_path: Path, value: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(f"[tic]\ninterval_minutes = {value}\n\n[llm]\nmax_tool_rounds = 7\n")
    config = load_config(path)
    assert config.llm.max_tool_rounds == 7
    assert "ignored" in config.problems[0]


def test_a_byte_order_mark_and_crlf_do_no_harm(tmp_path: Path) -> None:
    config = load(tmp_path, b"\xef\xbb\xbf[llm]\r\nmax_tool_rounds = 5\r\n")
    assert (config.problems, config.llm.max_tool_rounds) == ([], 5)


@settings(deadline=None)
@given(text=st.text(alphabet="[]=\"'\n.lmtic1{}, #providesnama_") | st.text())
def test_no_text_whatever_raises(text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    config = load(tmp_path_factory.getbasetemp(), text.encode("utf-8", "surrogatepass"))
    assert isinstance(config, Config)


@pytest.mark.parametrize("section", [Llm, Compaction, Inbox, Tic, McpServer])
def test_every_option_says_what_it_means(section: type) -> None:
    for name, default, meaning in described(section):
        assert meaning or name == "compaction", name
        assert default is not None
