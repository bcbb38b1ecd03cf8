"""Contents of files, addressed by their SHA-256 and compressed; equal contents are stored once."""

from __future__ import annotations

import hashlib

from placet.core.store.connection import Connection

ABSENT = "absent"


def digest_of(content: bytes | None) -> str:
    return ABSENT if content is None else hashlib.sha256(content).hexdigest()


def put_blob(connection: Connection, content: bytes | None) -> str:
    """Store the content unless it is there; returns its digest, `absent` for no file."""
    digest = digest_of(content)
    if content is None or connection.all("SELECT 1 FROM blobs WHERE digest = ?", (digest,)):
        return digest
    import zstandard  # not needed before the first write of a file

    data = zstandard.ZstdCompressor(level=3).compress(content)
    connection.execute("INSERT INTO blobs (digest, size, data) VALUES (?, ?, ?)", (digest, len(content), data))
    return digest


def get_blob(connection: Connection, digest: str) -> bytes | None:
    """The content of a digest; None for `absent`. Raises: LookupError where it was removed."""
    if digest == ABSENT:
        return None
    row = connection.one("SELECT size, data FROM blobs WHERE digest = ?", (digest,))
    if row is None:
        raise LookupError(digest)
    import zstandard

    return zstandard.ZstdDecompressor().decompress(row[1], max_output_size=row[0])
