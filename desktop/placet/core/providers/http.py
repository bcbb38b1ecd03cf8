"""HTTP for all providers: connections that are kept, one TLS context, transport faults in words.

httpx is imported on first use: it costs more than the rest of the core together.
"""

from __future__ import annotations

import asyncio
import ssl
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from placet.core.domain.errors import ProviderError, ProviderFault
from placet.core.providers.chunk_joining import join_chunks
from placet.core.providers.dialects import is_local
from placet.core.providers.faults import hide_keys

if TYPE_CHECKING:
    import httpx

CONNECT_S = 10.0
CLOSE_S = 0.5
MAX_BODY_BYTES = 8 * 1024 * 1024
_EXTENSIONS = {"trace": join_chunks}


class Reply:
    """One reply: its head, and its body as it arrives."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        is_packed = "content-encoding" in response.headers  # not asked for, but some proxies do it
        self._reads = response.aiter_bytes() if is_packed else response.aiter_raw()

    @property
    def status(self) -> int:
        return self._response.status_code

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers; names in any case."""
        return self._response.headers

    async def read(self, limit_s: float | None = None) -> bytes | None:
        """Return the next bytes, None at the end. Raises: `broken_reads()`."""
        if limit_s is None:
            return await anext(self._reads, None)
        async with asyncio.timeout(limit_s):
            return await anext(self._reads, None)

    async def text(self) -> str:
        """Return the whole body, or as much of it as anyone would look at."""
        body = bytearray()
        while len(body) < MAX_BODY_BYTES and (data := await self.read()) is not None:
            body += data
        return body.decode("utf-8", "replace")

    async def drain(self, limit_s: float) -> None:
        """Read the rest, if it comes within `limit_s`, so that the connection can serve the next call too."""
        with suppress(*broken_reads()):
            async with asyncio.timeout(limit_s):
                async for _ in self._reads:
                    pass

    async def close(self) -> None:
        """Drop what is unread and the connection with it.

        The generators inside httpx are run to their end: left suspended, each would be closed by a task of the
        garbage collector's that nobody owns.
        """
        await self._response.aclose()
        await self.drain(CLOSE_S)


class Connections:
    """The process's HTTP connections. Use and close them on one event loop."""

    def __init__(self, *, connect_timeout_s: float = CONNECT_S) -> None:
        # httpx would bring its own command line, with the whole of rich and pygments where they are installed.
        sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]  # None: "cannot be imported"
        self._connect_s = connect_timeout_s
        self._clients: dict[tuple[bool, bool], httpx.AsyncClient] = {}
        self._tls: ssl.SSLContext | None = None

    @asynccontextmanager
    async def send(
        self, method: str, url: str, headers: dict[str, str], body: bytes | None, *, idle_s: float
    ) -> AsyncGenerator[Reply, None]:
        """Give the reply once its head is here. Leaving the block drops the connection if anything was left unread.

        Redirects are not followed: the key would go along. Raises: httpx errors and ValueError for a broken URL.
        """
        import httpx

        client = self._client(url)
        limits = httpx.Timeout(idle_s, connect=min(self._connect_s, idle_s))
        request = client.build_request(
            method, url, headers=headers, content=body, timeout=limits, extensions=_EXTENSIONS
        )
        reply = Reply(await client.send(request, stream=True))
        try:
            yield reply
        finally:
            await reply.close()

    async def close(self) -> None:
        """Close all connections. The object may be used again afterwards."""
        clients, self._clients = list(self._clients.values()), {}
        for client in clients:
            await client.aclose()

    def _client(self, url: str) -> httpx.AsyncClient:
        """Local addresses bypass proxies; plain HTTP needs no TLS context, which takes 20 ms to build."""
        import httpx

        local, secure = is_local(url), urlsplit(url).scheme == "https"
        client = self._clients.get((local, secure))
        if client is None:
            verify = self._context() if secure or not local else False  # a proxy may be spoken to by TLS
            client = httpx.AsyncClient(
                verify=verify,
                trust_env=not local,
                limits=httpx.Limits(max_connections=None, max_keepalive_connections=20, keepalive_expiry=60),
                headers={"User-Agent": "placet", "Accept-Encoding": "identity"},
            )
            self._clients[local, secure] = client
        return client

    def _context(self) -> ssl.SSLContext:
        """One context for all: the system's authorities, which may include a company's own, and the usual ones."""
        if self._tls is None:
            import certifi

            self._tls = ssl.create_default_context()
            self._tls.load_verify_locations(certifi.where())
        return self._tls


def transport_errors() -> tuple[type[Exception], ...]:
    """Return what sending and reading may raise; for `except` clauses."""
    import httpx

    return (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError)


def broken_reads() -> tuple[type[Exception], ...]:
    """The same, and a limit of one's own that ran out."""
    return (TimeoutError, *transport_errors())


def error_of_transport(error: Exception, url: str, name: str, *, idle_s: float, key: str = "") -> ProviderError:
    """Return the error of a connection that failed before or during an answer."""
    import httpx

    place = _place(url)
    detail = hide_keys(f"{type(error).__name__}: {error}", key)
    if isinstance(error, httpx.ConnectTimeout | httpx.PoolTimeout):
        message = f"{name} at {place} cannot be reached: no connection within {min(CONNECT_S, idle_s):g} s."
        return _unreachable(message, url, detail)
    if isinstance(error, httpx.TimeoutException):
        return ProviderError(
            ProviderFault.TIMEOUT,
            f"{name} sent nothing for {idle_s:g} s; the answer was given up.",
            hint="Try again, or allow more time with idle_timeout_s of this provider.",
            detail=detail,
        )
    if isinstance(error, httpx.ConnectError):
        if "CERTIFICATE" in str(error).upper() or "SSL" in str(error).upper():
            return ProviderError(
                ProviderFault.UNREACHABLE,
                f"The secure connection to {name} at {place} failed; nothing was sent.",
                hint="Check the address (http or https?), this machine's clock, and its certificates.",
                detail=detail,
            )
        return _unreachable(f"{name} cannot be reached: nothing answers at {place}.", url, detail)
    if isinstance(error, httpx.InvalidURL | httpx.UnsupportedProtocol):
        return no_address(url, name, detail)
    return ProviderError(
        ProviderFault.BROKEN_STREAM,
        f"The connection to {name} broke; the answer is incomplete and nothing that it asked for was run.",
        hint="Check the network connection or the server, then try again.",
        detail=detail,
    )


def no_address(url: str, name: str, detail: str) -> ProviderError:
    """Return the error of a provider whose configured address is none."""
    return ProviderError(
        ProviderFault.BAD_REQUEST,
        f"The address of {name} cannot be used: “{url}” is no web address.",
        hint="Correct it in Settings > Providers and models.",
        detail=detail,
    )


def _unreachable(message: str, url: str, detail: str) -> ProviderError:
    hint = "Start the server there" if is_local(url) else "Check the internet connection"
    return ProviderError(
        ProviderFault.UNREACHABLE,
        message,
        hint=f"{hint}, or correct the address in Settings > Providers and models.",
        detail=detail,
    )


def _place(url: str) -> str:
    """Return the part of `url` that names a server, without a user or password in it."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
