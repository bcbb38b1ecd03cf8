"""A patch is exact: whoever applies it to the old bytes has the new ones."""

from __future__ import annotations

import subprocess
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from placet.core.review.patches import new_text, patch_text

LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\r\n", "\n", "- x\n", "+ y\n", "é\n"]), max_size=30)
ENDS = st.sampled_from(["", "end without a newline"])


@settings(max_examples=25, deadline=None)
@given(old=LINES, new=LINES, old_end=ENDS, new_end=ENDS)
def test_applying_a_patch_gives_the_new_bytes(
    tmp_path_factory: object, old: list[str], new: list[str], old_end: str, new_end: str
) -> None:
    before, after = ("".join(old) + old_end).encode(), ("".join(new) + new_end).encode()
    text = patch_text("x.txt", before, after)
    if before == after:
        assert text == ""
        return
    folder = Path(tmp_path_factory.mktemp("patch"))  # type: ignore[attr-defined]
    (folder / "x.txt").write_bytes(before)
    subprocess.run(["git", "apply", "--whitespace=nowarn"], cwd=folder, input=text.encode(), check=True)
    assert (folder / "x.txt").read_bytes() == after


def test_a_new_and_a_deleted_file_are_said_to_be() -> None:
    assert patch_text("/x.txt", None, b"a\n") == "--- /dev/null\n+++ b/x.txt\n@@ -0,0 +1,1 @@\n+a\n"
    assert patch_text("x.txt", b"a\n", None) == "--- a/x.txt\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n"


def test_what_is_no_text_has_no_patch() -> None:
    assert patch_text("x", b"\0\1\2\3", b"\0\1\2\4") == ""
    assert new_text(b"\0\1\2\3") == ""
