"""What providers say when they refuse, in their own words, and what a person is told."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from placet.core.domain.errors import ProviderError, ProviderFault
from placet.core.domain.model_calls import Binding, Dialect, Model, Provider
from placet.core.providers.faults import error_of_response, hide_keys, retry_after

BINDING = Binding(
    provider=Provider(name="Acme", type=Dialect.OPENAI, base_url="http://127.0.0.1:8080/v1"),
    model=Model(name="m", provider="Acme", model_id="acme-1"),
)


def error_of(status: int, body: Any, *, key: str = "", **headers: str) -> ProviderError:
    text = body if isinstance(body, str) else json.dumps(body)
    return error_of_response(status, headers, text, binding=BINDING, key=key)


def openai(message: str, code: Any = None, kind: str = "invalid_request_error") -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def anthropic(kind: str, message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}}


TOO_LONG = [
    (400, openai("This model's maximum context length is 8192 tokens.", "context_length_exceeded")),
    (400, openai("Your input exceeds the context window of this model.", "context_length_exceeded")),
    (400, anthropic("invalid_request_error", "prompt is too long: 210123 tokens > 200000 maximum")),
    (400, anthropic("invalid_request_error", "input length and `max_tokens` exceed context limit: 1 + 2 > 3")),
    (413, anthropic("request_too_large", "Request exceeds the maximum size")),
    (
        400,
        {
            "error": {
                "code": 400,
                "message": "the request exceeds the available context size",
                "type": "exceed_context_size_error",
                "n_prompt_tokens": 9,
                "n_ctx": 8,
            }
        },
    ),
    (400, {"object": "error", "message": "This model's maximum context length is 4096 tokens. However, you requested"}),
    (400, {"detail": "Please reduce the length of the messages or completion."}),
    (
        400,
        {
            "error": {
                "message": "Provider returned error",
                "code": 400,
                "metadata": {"raw": '{"error":{"message":"prompt is too long"}}'},
            }
        },
    ),
    (400, [{"error": {"code": 400, "message": "The input token count (9) exceeds the maximum number of tokens (8)"}}]),
    (400, {"error": "Trying to keep the first 9 tokens when context the overflows. context length of only 8 tokens"}),
    (500, {"error": "input length exceeds the context length"}),
]
OTHERS = [
    (401, openai("Incorrect API key provided", "invalid_api_key"), ProviderFault.AUTH),
    (401, anthropic("authentication_error", "invalid x-api-key"), ProviderFault.AUTH),
    (
        400,
        [{"error": {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT"}}],
        ProviderFault.AUTH,
    ),
    (429, openai("You exceeded your current quota", "insufficient_quota"), ProviderFault.CREDIT),
    (400, anthropic("invalid_request_error", "Your credit balance is too low"), ProviderFault.CREDIT),
    (402, {"error": {"message": "Insufficient Balance"}}, ProviderFault.CREDIT),
    (403, {"error": {"message": "This request requires more credits"}}, ProviderFault.CREDIT),
    (404, openai("The model `acme-1` does not exist", "model_not_found"), ProviderFault.MODEL_UNKNOWN),
    (404, anthropic("not_found_error", "model: acme-1"), ProviderFault.MODEL_UNKNOWN),
    (404, {"error": 'model "acme-1" not found, try pulling it first'}, ProviderFault.MODEL_UNKNOWN),
    (400, {"error": {"message": "acme-1 is not a valid model ID", "code": 400}}, ProviderFault.MODEL_UNKNOWN),
    (404, {"error": {"message": "No endpoints found for acme-1."}}, ProviderFault.MODEL_UNKNOWN),
    (429, openai("Rate limit reached for tokens per minute", "rate_limit_exceeded"), ProviderFault.RATE_LIMITED),
    (529, anthropic("overloaded_error", "Overloaded"), ProviderFault.OVERLOADED),
    (503, {"error": {"message": "Loading model", "type": "unavailable_error"}}, ProviderFault.OVERLOADED),
    (503, "<html><body>503 Service Unavailable</body></html>", ProviderFault.OVERLOADED),
    (502, "<html>Bad gateway</html>", ProviderFault.SERVER),
    (500, "", ProviderFault.SERVER),
    (408, "", ProviderFault.TIMEOUT),
    (504, "upstream timed out", ProviderFault.TIMEOUT),
    (400, openai("max_tokens is too large: 99999. This model supports at most 16384"), ProviderFault.BAD_REQUEST),
    (400, openai("Invalid schema for function 'f'"), ProviderFault.BAD_REQUEST),
    (422, {"detail": [{"loc": ["body"], "msg": "field required"}]}, ProviderFault.BAD_REQUEST),
    (404, "404 page not found", ProviderFault.BAD_REQUEST),
]


@pytest.mark.parametrize(("status", "body"), TOO_LONG)
def test_p6_context_too_long_in_any_providers_words(status: int, body: Any) -> None:
    assert error_of(status, body).fault is ProviderFault.CONTEXT_TOO_LONG


@pytest.mark.parametrize(("status", "body", "fault"), OTHERS)
def test_each_refusal_has_its_fault_and_advice(status: int, body: Any, fault: ProviderFault) -> None:
    error = error_of(status, body, key="k123456")
    assert error.fault is fault
    assert error.status == status
    assert "Acme" in error.message
    assert error.hint


def test_retriable_is_what_waiting_can_help_with() -> None:
    assert {fault for _, _, fault in OTHERS if fault.is_retriable} == {
        ProviderFault.RATE_LIMITED,
        ProviderFault.OVERLOADED,
        ProviderFault.SERVER,
        ProviderFault.TIMEOUT,
    }


def test_the_words_name_what_matters() -> None:
    assert "acme-1" in error_of(404, openai("The model does not exist", "model_not_found")).message
    assert "wants a key and has none" in error_of(401, "").message
    assert "refused the key" in error_of(401, "", key="k123456").message
    assert "Settings > Providers" in error_of(401, "").hint
    assert "http://127.0.0.1:8080/v1" in error_of(404, "").message
    assert "/v1" in error_of(404, "<html>nginx</html>").hint
    assert "7 s" in error_of(429, "", **{"retry-after": "7"}).hint


def test_keys_are_hidden_even_where_the_server_repeats_them() -> None:
    error = error_of(401, openai("Incorrect API key provided: topsecret-1. sk-proj-abcdef12345"), key="topsecret-1")
    assert "topsecret" not in f"{error.message}{error.detail}"
    assert "abcdef" not in f"{error.message}{error.detail}"
    assert hide_keys("key AIzaSyA1234567890abc used") == "key ••• used"
    assert hide_keys("skill-based routing, keyword search") == "skill-based routing, keyword search"


def test_a_redirect_names_its_target() -> None:
    error = error_of(301, "", location="https://elsewhere.invalid/v1")
    assert "https://elsewhere.invalid/v1" in error.message
    assert not error.fault.is_retriable


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({}, None),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


def test_retry_after_may_be_a_date() -> None:
    later = retry_after({"retry-after": format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)})
    assert later is not None
    assert 50 < later <= 60
    assert retry_after({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0
