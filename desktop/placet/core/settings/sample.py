"""The folder that the guided first session works in."""

from __future__ import annotations

from pathlib import Path

from placet.core.domain.errors import UsageError
from placet.core.settings.resources import resources_folder


def make_sample_folder(target: Path) -> Path:
    """Put the sample files into `target` and return it. A file that is there already is never touched.

    Raises: UsageError where the folder cannot be written.
    """
    source = resources_folder() / "demo"
    try:
        for file in sorted(path for path in source.rglob("*") if path.is_file()):
            copy = target / file.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            _write_new(copy, file.read_bytes())
    except OSError as error:
        raise UsageError(
            f"The sample folder {target} cannot be made: {error.strerror}.", hint="Choose another folder."
        ) from None
    return target


def _write_new(path: Path, content: bytes) -> None:
    try:
        with path.open("xb") as file:
            file.write(content)
    except FileExistsError:
        return
