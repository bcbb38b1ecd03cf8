"""The usual Chat Completions chunk, one delta of text and nothing else, decoded into types: a third of the time."""

from __future__ import annotations

from typing import Literal

import msgspec


class _Delta(msgspec.Struct, forbid_unknown_fields=True):
    content: str
    role: str | None = None


class _Choice(msgspec.Struct, forbid_unknown_fields=True):
    delta: _Delta
    index: Literal[0] = 0
    finish_reason: None = None
    logprobs: None = None


class _Chunk(msgspec.Struct, forbid_unknown_fields=True):
    choices: tuple[_Choice]
    id: msgspec.Raw = msgspec.Raw()
    object: Literal["chat.completion.chunk"] = "chat.completion.chunk"
    created: msgspec.Raw = msgspec.Raw()
    model: msgspec.Raw = msgspec.Raw()
    system_fingerprint: msgspec.Raw = msgspec.Raw()
    service_tier: msgspec.Raw = msgspec.Raw()
    usage: None = None


_decode = msgspec.json.Decoder(_Chunk).decode


def plain_text(data: str) -> str | None:
    """Return the text of a chunk that holds nothing else, None for all others: they take the lenient way."""
    try:
        return _decode(data).choices[0].delta.content
    except (msgspec.MsgspecError, UnicodeEncodeError):
        return None
