"""Where keys come from, where they go, and where they never are."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from placet.core.domain.errors import StoreError
from placet.core.domain.model_calls import Dialect, Provider
from placet.core.providers.keys import KeyPlace, KeyRing, secret_variables
from placet.core.settings.presets import candidates


class MemoryKeychain:
    """A keychain that works, or raises at everything."""

    def __init__(self, error: Exception | None = None) -> None:
        self.kept: dict[tuple[str, str], str] = {}
        self.error = error

    def get_password(self, service: str, username: str) -> str | None:
        self._fail()
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self._fail()
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self._fail()
        del self.kept[service, username]

    def _fail(self) -> None:
        if self.error is not None:
            raise self.error


def provider(**fields: str) -> Provider:
    return Provider(name="p", type=Dialect.OPENAI, **fields)


async def test_a_key_from_the_environment(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path, environ={"P_KEY": " abc "})
    assert await ring.key_of(provider(api_key_env="P_KEY")) == "abc"
    assert await ring.key_of(provider(api_key_env="OTHER")) == ""
    assert await ring.key_of(provider()) == ""


async def test_a_keychain_is_used_where_there_is_one(tmp_path: Path) -> None:
    keychain = MemoryKeychain()
    ring = KeyRing(tmp_path, environ={}, keychain=keychain)
    assert await ring.place() is KeyPlace.KEYCHAIN
    assert await ring.store("p", " abc ") is KeyPlace.KEYCHAIN
    assert keychain.kept == {("placet", "p"): "abc"}
    assert list(tmp_path.iterdir()) == []
    again = KeyRing(tmp_path, environ={}, keychain=keychain)
    assert await again.key_of(provider(api_key_keyring="p")) == "abc"
    await again.forget("p")
    await again.forget("p")
    assert keychain.kept == {}
    assert await again.key_of(provider(api_key_keyring="p")) == ""


@pytest.mark.parametrize("keychain", [None, MemoryKeychain(RuntimeError("no bus"))])
async def test_without_a_keychain_a_file_that_only_the_owner_reads(
    tmp_path: Path, keychain: MemoryKeychain | None
) -> None:
    ring = KeyRing(tmp_path / "home", environ={}, keychain=keychain)  # None: the tests' null backend
    place = await ring.store("p", "abc")
    await ring.store("q", "def")
    assert place is KeyPlace.FILE
    file = tmp_path / "home" / "keys.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in file.parent.iterdir()] == ["keys.json"]
    assert str(file) in ring.note(place)
    again = KeyRing(tmp_path / "home", environ={}, keychain=keychain)
    assert await again.key_of(provider(api_key_keyring="p")) == "abc"
    assert await again.place() is KeyPlace.FILE
    await again.forget("p")
    assert "abc" not in file.read_text()
    await again.forget("q")
    assert not file.exists()


async def test_a_key_that_moves_to_the_keychain_leaves_the_file(tmp_path: Path) -> None:
    await KeyRing(tmp_path, environ={}, keychain=MemoryKeychain(OSError())).store("p", "old")
    await KeyRing(tmp_path, environ={}, keychain=MemoryKeychain()).store("p", "new")
    assert not (tmp_path / "keys.json").exists()


@pytest.mark.parametrize("content", [b"{", b"[]", b"\xff"])
async def test_a_damaged_key_file_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "keys.json").write_bytes(content)
    with pytest.raises(StoreError) as raised:
        await KeyRing(tmp_path, environ={}).key_of(provider(api_key_keyring="p"))
    assert "keys.json" in raised.value.message


async def test_a_key_is_in_no_repr(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path, environ={}, keychain=MemoryKeychain())
    await ring.store("p", "topsecret")
    assert "topsecret" not in f"{ring!r}{ring}"


def test_children_get_neither_declared_nor_usual_key_variables() -> None:
    names = secret_variables([provider(api_key_env="MY_OWN"), provider(api_key_keyring="x"), provider()])
    assert {"MY_OWN", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"} <= names
    assert "" not in names
    assert {each.api_key_env for each in candidates() if each.api_key_env} <= secret_variables([])
