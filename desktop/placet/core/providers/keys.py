"""Keys of providers: environment, the system's keychain, or a file that only its owner can read.

A key is in no repr, no message, no log, no database and no child process.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Protocol, TypeVar

from placet.core.domain.errors import StoreError
from placet.core.domain.model_calls import Provider

T = TypeVar("T")
SERVICE = "placet"
USUAL_VARIABLES = frozenset({
    "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "AZURE_OPENAI_API_KEY", "CEREBRAS_API_KEY", "COHERE_API_KEY",
    "DASHSCOPE_API_KEY", "DEEPSEEK_API_KEY", "FIREWORKS_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "GROQ_API_KEY",
    "HF_TOKEN", "HUGGINGFACE_API_KEY", "MISTRAL_API_KEY", "MOONSHOT_API_KEY", "NVIDIA_API_KEY", "OPENAI_API_KEY",
    "OPENROUTER_API_KEY", "PERPLEXITY_API_KEY", "TOGETHER_API_KEY", "XAI_API_KEY", "ZAI_API_KEY",
})  # fmt: skip


class KeyPlace(StrEnum):
    """Where stored keys lie."""

    KEYCHAIN = "keychain"
    FILE = "file"


class Keychain(Protocol):
    """What is used of a keychain; the backends of `keyring` have it."""

    def get_password(self, service: str, username: str) -> str | None: ...

    def set_password(self, service: str, username: str, password: str) -> None: ...

    def delete_password(self, service: str, username: str) -> None: ...


def secret_variables(providers: Iterable[Provider]) -> frozenset[str]:
    """Return the environment variables that a child process must not get."""
    return USUAL_VARIABLES | {provider.api_key_env for provider in providers if provider.api_key_env}


class KeyRing:
    """Finds and keeps keys. `keychain` None takes the system's, on first use.

    A keychain may ask the person for a password and then takes its time: it is used in a thread.
    """

    def __init__(
        self, home: Path, *, environ: Mapping[str, str] | None = None, keychain: Keychain | None = None
    ) -> None:
        self._file = home / "keys.json"
        self._environ = os.environ if environ is None else environ
        self._keychain = keychain
        self._looked = keychain is not None
        self._known: dict[str, str] = {}

    def __repr__(self) -> str:
        return f"KeyRing({str(self._file)!r})"

    async def key_of(self, provider: Provider) -> str:
        """Return the provider's key, empty if it has none. Raises: StoreError for an unreadable key file."""
        if provider.api_key_env:
            return self._environ.get(provider.api_key_env, "").strip()
        if not provider.api_key_keyring:
            return ""
        name = provider.api_key_keyring
        if name not in self._known:
            self._known[name] = await asyncio.to_thread(self._read, name)
        return self._known[name]

    async def store(self, name: str, key: str) -> KeyPlace:
        """Keep `key` under `name`, the value of a provider's `api_key_keyring`; returns where it went."""
        place = await asyncio.to_thread(self._write, name, key.strip())
        self._known[name] = key.strip()
        return place

    async def forget(self, name: str) -> None:
        """Remove the key wherever it is; nothing happens if there is none."""
        await asyncio.to_thread(self._remove, name)
        self._known.pop(name, None)

    async def place(self) -> KeyPlace:
        """Where a key stored now would go. Asks the keychain nothing about any key."""
        return KeyPlace.KEYCHAIN if await asyncio.to_thread(self._with_keychain, lambda _: True) else KeyPlace.FILE

    def note(self, place: KeyPlace) -> str:
        """Return the sentence that tells a person where their keys are."""
        if place is KeyPlace.KEYCHAIN:
            return "Keys are kept in the system's keychain."
        return f"This system has no keychain. Keys are kept in {self._file}, which only you can read."

    # ---- in a thread -----------------------------------------------------------------------------------------

    def _with_keychain(self, verb: Callable[[Keychain], T]) -> T | None:
        """Return what `verb` gives; None without a keychain that works. One that failed is not asked again."""
        try:
            if not self._looked:
                self._looked = True
                self._keychain = _system_keychain()
            return None if self._keychain is None else verb(self._keychain)
        except Exception:  # noqa: BLE001 - the boundary to keychain backends, which raise anything at all
            self._keychain = None
            return None

    def _read(self, name: str) -> str:
        found = self._with_keychain(lambda keychain: keychain.get_password(SERVICE, name))
        return found.strip() if found else self._kept().get(name, "")

    def _write(self, name: str, key: str) -> KeyPlace:
        def keep(keychain: Keychain) -> bool:
            keychain.set_password(SERVICE, name, key)
            return True

        if self._with_keychain(keep):
            self._drop(name)
            return KeyPlace.KEYCHAIN
        self._keep(self._kept() | {name: key})
        return KeyPlace.FILE

    def _remove(self, name: str) -> None:
        def remove(keychain: Keychain) -> None:
            if keychain.get_password(SERVICE, name) is not None:
                keychain.delete_password(SERVICE, name)

        self._with_keychain(remove)
        self._drop(name)

    def _drop(self, name: str) -> None:
        kept = self._kept()
        if kept.pop(name, None) is not None:
            self._keep(kept)

    def _kept(self) -> dict[str, str]:
        try:
            text = self._file.read_text("utf-8")
        except FileNotFoundError:
            return {}
        except (OSError, UnicodeDecodeError) as error:
            raise StoreError(
                f"The key file {self._file} cannot be read: {error}.", hint="Repair or remove it."
            ) from None
        try:
            value = json.loads(text)
        except ValueError:
            value = None
        if not isinstance(value, dict):
            raise StoreError(f"The key file {self._file} is damaged.", hint="Remove it and enter the keys again.")
        return {str(name): str(key) for name, key in value.items()}

    def _keep(self, keys: dict[str, str]) -> None:
        """Replace the file's content, in one step and never readable by others; no keys, no file."""
        if not keys:
            self._file.unlink(missing_ok=True)
            return
        self._file.parent.mkdir(parents=True, exist_ok=True)
        temporary = self._file.with_name(f".keys-{os.urandom(4).hex()}.tmp")
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(keys, file, indent=1)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(self._file)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            raise StoreError(f"The key cannot be stored in {self._file}: {error.strerror}.") from None


def _system_keychain() -> Keychain | None:
    """Return the system's keychain, or None where there is no usable one."""
    import keyring
    from keyring.backends import fail, null

    found = keyring.get_keyring()
    if isinstance(found, fail.Keyring | null.Keyring) or found.priority <= 0:
        return None
    return found
