"""The client of all providers: one answer streamed, or one list fetched. No retry here: that is the engine's choice."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any

import msgspec

from placet.core.domain.errors import ProviderError, ProviderFault
from placet.core.domain.model_calls import Binding, Dialect, Model, ModelPiece, ModelRequest, Provider
from placet.core.providers.accumulating import decode_event
from placet.core.providers.delta_joining import joined
from placet.core.providers.demo import PACE_S, demo_stream
from placet.core.providers.dialects import WIRE_DIALECTS, WireDialect, idle_timeout_s
from placet.core.providers.event_reader import EventReader, NoEvents
from placet.core.providers.faults import error_of_response, in_words, page_instead_of_answer
from placet.core.providers.http import Connections, Reply, error_of_transport, no_address, transport_errors

KeySource = Callable[[Provider], Awaitable[str]]


class _Call(msgspec.Struct, frozen=True):
    """One exchange: where to, for whom, with which key. The key is in no repr."""

    binding: Binding
    dialect: WireDialect
    url: str
    key: str
    idle_s: float

    def __repr__(self) -> str:
        return f"_Call({self.url!r})"

    @property
    def headers(self) -> dict[str, str]:
        return self.dialect.headers(self.key)

    def check(self, reply: Reply, text: str) -> None:
        """Raise the error that a status other than 200 stands for."""
        if reply.status != 200:
            raise error_of_response(reply.status, reply.headers, text, binding=self.binding, key=self.key)

    def transport_error(self, error: Exception) -> ProviderError:
        name = self.binding.provider.name
        return error_of_transport(error, self.url, name, idle_s=self.idle_s, key=self.key)


class ProviderClient:
    """Implements the port `ModelClient` for every dialect. Used on one event loop; `aclose` at the end.

    `key_of` gives a provider's key, empty for none. `demo_pace_s` is the time between two pieces of the demo.
    """

    def __init__(self, key_of: KeySource, *, demo_pace_s: float = PACE_S, connect_timeout_s: float = 10.0) -> None:
        self._key_of = key_of
        self._demo_pace_s = demo_pace_s
        self._connections = Connections(connect_timeout_s=connect_timeout_s)

    async def aclose(self) -> None:
        await self._connections.close()

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelPiece, None]:
        """Give the pieces of one answer and, last, the `Answer`. Closing closes the connection at once.

        Raises: ProviderError, also when the stream ends without its end mark (`P-6`).
        """
        if request.binding.provider.type is Dialect.DEMO:
            return demo_stream(request.body, self._demo_pace_s)
        return self._over_http(request)

    async def _over_http(self, request: ModelRequest) -> AsyncGenerator[ModelPiece, None]:
        call = await self._call(request.binding)
        accumulator = call.dialect.accumulator()
        try:
            async with self._connections.send(
                "POST", call.url, _SENDING | call.headers, request.body, idle_s=call.idle_s
            ) as reply:
                if reply.status != 200:
                    call.check(reply, await reply.text())
                reader = EventReader(reply, accumulator)
                while (events := await reader.next()) is not None:
                    for piece in joined(piece for event in events for piece in accumulator.feed(event)):
                        yield piece
                for piece in accumulator.finish():
                    yield piece
        except NoEvents as page:
            raise page_instead_of_answer(call.binding, page.text, call.key) from None
        except ProviderError as error:
            raise (in_words(error, call.binding, call.key) if _is_the_servers(error) else error) from None
        except transport_errors() as error:
            raise call.transport_error(error) from None

    async def fetch(self, provider: Provider, path: str, *, key: str | None = None, idle_s: float | None = None) -> Any:
        """Return the JSON value at `path` of the provider's server. `key` is used instead of the stored one.

        Raises: ProviderError.
        """
        call = await self._call(_unbound(provider), path=path, key=key, idle_s=idle_s)
        try:
            async with self._connections.send("GET", call.url, call.headers, None, idle_s=call.idle_s) as reply:
                text = await reply.text()
                call.check(reply, text)
        except transport_errors() as error:
            raise call.transport_error(error) from None
        try:
            return decode_event(text)
        except ProviderError:
            raise page_instead_of_answer(call.binding, text, call.key) from None

    async def _call(
        self, binding: Binding, *, path: str = "", key: str | None = None, idle_s: float | None = None
    ) -> _Call:
        provider = binding.provider
        dialect = WIRE_DIALECTS[provider.type]
        try:
            url = dialect.address(provider.base_url, path or dialect.call_path)
        except ValueError as error:
            raise no_address(provider.base_url, provider.name, str(error)) from None
        found = (await self._key_of(provider) if key is None else key).strip()
        if not (found.isascii() and found.isprintable()):
            raise ProviderError(
                ProviderFault.AUTH,
                f"The key of {provider.name} holds characters that no key has; nothing was sent.",
                hint=f"Enter the key of {provider.name} anew in Settings > Providers and models.",
            )
        limit = idle_timeout_s(url, provider.idle_timeout_s) if idle_s is None else idle_s
        return _Call(binding, dialect, url, found, limit)


_SENDING = {"Content-Type": "application/json", "Accept": "text/event-stream"}


def _is_the_servers(error: ProviderError) -> bool:
    """Whether the message is the server's own words, still without names and advice."""
    return not error.hint and error.fault not in (ProviderFault.BROKEN_STREAM, ProviderFault.EMPTY)


def _unbound(provider: Provider) -> Binding:
    return Binding(provider=provider, model=Model(name="", provider=provider.name, model_id=""))
