"""What a provider's refusal means: HTTP status and error words to a `ProviderError` for a person. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from time import time
from typing import Any

from placet.core.domain.errors import ProviderError, ProviderFault
from placet.core.domain.model_calls import Binding
from placet.core.domain.text import clean_text

# Compiled when something went wrong, not at every start.
_CONTEXT = (
    r"context_length_exceeded|exceed_context_size|model_context_window|context[ _](?:length|window|size|limit)"
    r"|prompt (?:is )?too long|input (?:is )?too long|too many input tokens|reduce the length of"
    r"|input token count .*exceeds|exceeds? the (?:available|maximum|model).{0,40}(?:context|tokens)"
    r"|maximum (?:input|prompt) length|input length.{0,60}exceed|request_too_large|tokens? (?:in|for) the prompt exceed"
)
_NOT_CONTEXT = r"max_(?:completion_|output_)?tokens.{0,20}(?:too large|must be|at most)"
_CREDIT = (
    r"insufficient[_ ](?:quota|credit|balance|funds)|credit balance|exceeded your current quota|out of credits"
    r"|(?:more|no|requires) credits|billing|payment required|arrears"
)
_MODEL = (
    r"model_not_found|not_found_error.{0,40}model|invalid model|not a valid model|unknown model|no such model|no model named"
    r"|model[^.\n]{0,120}(?:not found|does(?: not|n't) exist|is not available|isn't available|not supported|not loaded)"
    r"|no endpoints found|models/[\w.-]+ is not found"
)
_AUTH = (
    r"invalid[_ ](?:x-)?api[_ -]?key|incorrect api key|api key not valid|authentication|unauthori[sz]ed|no auth cred"
    r"|invalid bearer|missing api key"
)
_RATE = r"rate[_ ]limit|too many requests|resource_exhausted|tokens per minute"
_OVERLOADED = r"overloaded|at capacity|no slot available|loading model|currently unavailable"
_KEYS = r"\b(?:sk|pk|gsk|xai|hf|nvapi)[-_][\w.*•…-]{6,}|\bBearer [\w.-]{6,}|\bAIza[\w-]{10,}"

_BY_STATUS = {
    401: ProviderFault.AUTH, 402: ProviderFault.CREDIT, 403: ProviderFault.AUTH, 408: ProviderFault.TIMEOUT,
    413: ProviderFault.CONTEXT_TOO_LONG, 429: ProviderFault.RATE_LIMITED, 503: ProviderFault.OVERLOADED,
    504: ProviderFault.TIMEOUT, 524: ProviderFault.TIMEOUT, 529: ProviderFault.OVERLOADED,
}  # fmt: skip


def hide_keys(text: str, key: str = "") -> str:
    """Return `text` without `key` and without what looks like a key: servers like to repeat them."""
    if len(key) >= 4:
        text = text.replace(key, "•••")
    return clean_text(re.sub(_KEYS, "•••", text))


def error_in_stream(value: Mapping[str, Any]) -> ProviderError:
    """Return the error that an error object inside a 200 stream stands for; the caller adds the names."""
    words, kind, code = _words(value)
    fault = _classify(f"{kind} {code} {words}", code if isinstance(code, int) else None, ProviderFault.SERVER)
    return ProviderError(fault, words or "The server reported an error without words.", detail=_short(value))


def error_of_response(
    status: int, headers: Mapping[str, str], text: str, *, binding: Binding, key: str = ""
) -> ProviderError:
    """Return the error of a reply whose status is not 200. Names in `headers` are asked for in lower case."""
    name = binding.provider.name
    if 300 <= status < 400:
        target = headers.get("location", "an unnamed place")
        return _redirected(name, status, target)
    if _is_html(text):
        fault = _BY_STATUS.get(status, ProviderFault.SERVER if status >= 500 else ProviderFault.BAD_REQUEST)
        if fault is ProviderFault.BAD_REQUEST or status in (401, 403):
            return _not_a_model_server(binding, status, text, key)
        words, kind, code = "", "", ""
    else:
        words, kind, code = _words(_parsed(text))
    other = ProviderFault.SERVER if status >= 500 else ProviderFault.BAD_REQUEST
    fault = _classify(f"{kind} {code} {words}", status, other)
    if status == 404 and fault is ProviderFault.BAD_REQUEST and not words:
        return _not_a_model_server(binding, status, text, key)
    raw = ProviderError(fault, words, detail=_short(text), status=status, retry_after_s=retry_after(headers))
    return in_words(raw, binding, key)


def in_words(error: ProviderError, binding: Binding, key: str = "") -> ProviderError:
    """Return `error`, whose message is the server's own, told to a person: what happened and what to do."""
    name, model = binding.provider.name, binding.model.model_id
    said = hide_keys(error.message, key).strip().rstrip(".")
    tail = f": {said[:400]}." if said else "."
    status = f" (HTTP {error.status})" if error.status else ""
    what, hint = {
        ProviderFault.AUTH: (
            (f"{name} refused the key{status}{tail}" if key else f"{name} wants a key and has none{status}{tail}"),
            f"Set the right key of {name} in Settings > Providers and models.",
        ),
        ProviderFault.CREDIT: (
            f"The account at {name} has no credit left{tail}",
            f"Add credit at {name}, or choose a model of another provider.",
        ),
        ProviderFault.MODEL_UNKNOWN: (
            f"{name} does not offer the model “{model}”{tail}",
            "Choose a model that it lists in Settings > Providers and models.",
        ),
        ProviderFault.CONTEXT_TOO_LONG: (
            f"The conversation is longer than “{model}” can take{tail}",
            "Begin a new conversation, or choose a model with a larger window.",
        ),
        ProviderFault.RATE_LIMITED: (
            f"{name} allows no more requests for now{tail}",
            _wait_hint(error.retry_after_s),
        ),
        ProviderFault.OVERLOADED: (f"{name} is overloaded{status}{tail}", _wait_hint(error.retry_after_s)),
        ProviderFault.SERVER: (
            f"{name} failed while answering{status}{tail}",
            "The fault is on its side: try again, or choose another model.",
        ),
        ProviderFault.TIMEOUT: (f"{name} took too long{status}{tail}", "Try again, or choose another model."),
    }.get(error.fault, (f"{name} refused the request{status}{tail}", "Look at the details, then try another model."))
    detail = hide_keys(error.detail, key)
    return ProviderError(
        error.fault, what, hint=hint, detail=detail, status=error.status, retry_after_s=error.retry_after_s
    )


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return how many seconds a server asks to wait, given in seconds, milliseconds or as a date."""
    if (exact := headers.get("retry-after-ms")) is not None and _number(exact) is not None:
        return (_number(exact) or 0.0) / 1000
    value = headers.get("retry-after")
    if value is None:
        return None
    if (seconds := _number(value)) is not None:
        return seconds
    try:
        return max(parsedate_to_datetime(value).timestamp() - time(), 0.0)
    except (ValueError, OverflowError):
        return None


def page_instead_of_answer(binding: Binding, text: str, key: str = "") -> ProviderError:
    """Return the error for a 200 whose body is a web page."""
    return _not_a_model_server(binding, 200, text, key)


def _classify(words: str, status: int | None, other: ProviderFault) -> ProviderFault:
    """The words say more than the status where both are known: a 400 may be anything."""
    if status not in (401, 402, 429) and _says(words, _CONTEXT) and not _says(words, _NOT_CONTEXT):
        return ProviderFault.CONTEXT_TOO_LONG
    if status in (None, 400, 402, 403, 429) and _says(words, _CREDIT):
        return ProviderFault.CREDIT
    if status in (None, 400, 403, 404, 422, 500) and _says(words, _MODEL):
        return ProviderFault.MODEL_UNKNOWN
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if _says(words, _AUTH):
        return ProviderFault.AUTH
    if _says(words, _RATE):
        return ProviderFault.RATE_LIMITED
    if _says(words, _OVERLOADED):
        return ProviderFault.OVERLOADED
    if status is not None and 400 <= status < 500:
        return ProviderFault.BAD_REQUEST
    return ProviderFault.BAD_REQUEST if re.search("invalid_request", words) else other


def _words(value: Any) -> tuple[str, str, Any]:
    """Return message, type and code of an error body in any of the shapes that servers use."""
    if isinstance(value, list) and value:
        value = value[0]  # Gemini's compatible endpoint
    if isinstance(value, str):
        return value, "", ""
    if not isinstance(value, Mapping):
        return "", "", ""
    inner = value.get("error")
    if isinstance(inner, str):
        return inner, str(value.get("type") or ""), value.get("code") or ""
    error = inner if isinstance(inner, Mapping) else value
    message = error.get("message") or error.get("detail") or error.get("msg") or ""
    if not isinstance(message, str):
        message = json.dumps(message, ensure_ascii=False)
    metadata = error.get("metadata")
    upstream = metadata.get("raw") if isinstance(metadata, Mapping) else None
    if upstream:  # OpenRouter: what the provider behind it said
        message = f"{message} {upstream if isinstance(upstream, str) else json.dumps(upstream, ensure_ascii=False)}"
    kind = error.get("type") or error.get("status") or ""
    return message.strip(), str(kind), error.get("code") or ""


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text.strip()[:400]


def _is_html(text: str) -> bool:
    return text.lstrip()[:200].lower().startswith(("<!doctype", "<html", "<head", "<?xml"))


def _redirected(name: str, status: int, target: str) -> ProviderError:
    return ProviderError(
        ProviderFault.BAD_REQUEST,
        f"{name} sends this address on to {hide_keys(target)}; a key is never sent after such a redirect.",
        hint="Put the new address into Settings > Providers and models if you trust it.",
        status=status,
    )


def _not_a_model_server(binding: Binding, status: int, text: str, key: str) -> ProviderError:
    return ProviderError(
        ProviderFault.BAD_REQUEST,
        f"{binding.provider.base_url} answered, but not as a model server does (HTTP {status}).",
        hint="Check the address in Settings > Providers and models; many servers want it to end in /v1.",
        detail=hide_keys(_short(text), key),
        status=status,
    )


def _wait_hint(seconds: float | None) -> str:
    if seconds is None:
        return "Wait a little and try again, or choose another model."
    return f"Try again in {max(round(seconds), 1)} s, or choose another model."


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < 1e9 else None


def _short(value: Any) -> str:
    return (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str))[:2000]


def _says(words: str, pattern: str) -> bool:
    return re.search(pattern, words, re.IGNORECASE) is not None
