"""The whole of a long result, compressed while it comes."""

from __future__ import annotations

import hashlib

from placet.core.domain.tools import Remainder

MAX_BYTES = 16_000_000
_LEVEL = 3


class RemainderWriter:
    """Takes UTF-8 as it comes; what is beyond 16 MB is counted by others and not kept."""

    def __init__(self) -> None:
        import zstandard  # only where something is cut

        self._digest = hashlib.sha256()
        self._compressor = zstandard.ZstdCompressor(level=_LEVEL).compressobj()
        self._parts: list[bytes] = []
        self._size = 0
        self._is_cut = False

    def add(self, data: bytes | bytearray) -> None:
        room = MAX_BYTES - self._size
        self._is_cut |= len(data) > room
        data = bytes(data[:room])
        self._size += len(data)
        self._digest.update(data)
        self._parts.append(self._compressor.compress(data))

    def finish(self) -> Remainder:
        """Return what was added; nothing may be added afterwards."""
        self._parts.append(self._compressor.flush())
        return Remainder(
            digest=self._digest.hexdigest(), size=self._size, data=b"".join(self._parts), is_cut=self._is_cut
        )


def text_of(data: bytes) -> str:
    """The text of a remainder; half a character at its end is dropped. For a worker thread."""
    import zstandard

    return zstandard.ZstdDecompressor().decompress(data, max_output_size=MAX_BYTES).decode("utf-8", "ignore")
