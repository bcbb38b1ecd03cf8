"""`read_file`, `list_files`, `grep_files`: bounded, honest about what is left out, and the same with ripgrep or without."""

from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path

import pytest

from placet.core.domain.errors import ToolFailure
from placet.core.domain.tools import ToolIO
from placet.core.tools import file_reading, read_file, ripgrep, searching


async def refused(bench, name, **arguments):
    with pytest.raises(ToolFailure) as caught:
        await bench.run(name, **arguments)
    return str(caught.value)


@pytest.fixture(params=["ripgrep", "own"])
def searcher(request, monkeypatch):
    """Run a test with either searcher; the one of ripgrep only where it is installed."""
    if request.param == "own":
        monkeypatch.setattr(ripgrep, "ripgrep", lambda: None)
    elif shutil.which("rg") is None:
        pytest.skip("ripgrep is not installed")
    return request.param


async def test_read_file_numbers_lines_and_says_where_it_is(bench):
    bench.write("a.txt", "x\r\ny\r\nz")
    assert await bench.text("read_file", path="a.txt") == (
        "[a.txt: lines 1-3 of 3; mixed LF and CRLF line endings; no newline at the end]\n1\tx\n2\ty\n3\tz"
    ).replace("mixed LF and CRLF", "CRLF")


async def test_read_file_pages_by_lines(bench):
    bench.write("a.txt", "".join(f"l{number}\n" for number in range(1, 5001)))
    first = await bench.run("read_file", path="a.txt")
    assert first.facts == {"lines": read_file.MAX_LINES, "total_lines": 5000}
    assert first.text.endswith("2000\tl2000\n[3000 more lines. Continue with offset=2001.]")
    part = await bench.text("read_file", path="a.txt", offset=4999, limit=10)
    assert part == "[a.txt: lines 4999-5000 of 5000]\n4999\tl4999\n5000\tl5000"
    assert "5000 lines" in await refused(bench, "read_file", path="a.txt", offset=5001)


async def test_read_file_is_bounded_in_bytes(bench):
    bench.write("wide.txt", ("x" * 9_000 + "\n") * 100)
    text = await bench.text("read_file", path="wide.txt")
    assert len(text) < read_file.MAX_BYTES + 200 and "Continue with offset=12" in text
    bench.write("one.txt", "x" * 1_000_000)
    text = await bench.text("read_file", path="one.txt")
    assert len(text) < 11_000 and "cut: the line has 1,000,000 characters" in text


async def test_read_file_of_an_empty_file(bench):
    bench.write("a.txt", "")
    assert await bench.text("read_file", path="a.txt") == "[a.txt is empty]"


async def test_read_file_shows_other_encodings_and_names_them(bench):
    bench.write("wide.txt", "größe\r\n".encode("utf-16"))
    assert await bench.text("read_file", path="wide.txt") == (
        "[wide.txt: lines 1-1 of 1; CRLF line endings; UTF-16 LE]\n1\tgröße"
    )
    bench.write("old.txt", b"gr\xf6\xdfe\n")
    text = await bench.text("read_file", path="old.txt")
    assert "no UTF-8; shown as Windows-1252" in text and "1\tgröße" in text


async def test_read_file_explains_what_it_cannot_read(bench):
    bench.write("README.md", "x")
    bench.write("picture.png", b"\x89PNG\r\n\x1a\n\0\0\0")
    assert "README.md" in await refused(bench, "read_file", path="REDME.md")
    assert "readme" in (await refused(bench, "read_file", path="readme.md")).lower()
    assert str(bench.folder) in await refused(bench, "read_file", path="no/such/folder/x")
    assert "a PNG image, 11 bytes" in await refused(bench, "read_file", path="picture.png")
    assert "is a folder" in await refused(bench, "read_file", path=".")


async def test_read_file_never_opens_a_pipe_a_socket_or_a_device(bench):
    os.mkfifo(bench.folder / "pipe")
    assert "is a pipe" in await refused(bench, "read_file", path="pipe")
    assert "is a character device" in await refused(bench, "read_file", path="/dev/zero")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(bench.folder / "s"))
        assert "cannot be read" in await refused(bench, "read_file", path="s")


def project(bench):
    bench.write(".gitignore", "*.log\nbuild/\n")
    bench.write("src/app.py", "import os\n\n\ndef needle():\n    return 1\n\n\nneedle()\n")
    bench.write("src/deep/page.ts", "const needle = 1\r\nconst b = 2\r\n")
    bench.write("src/deep/.gitignore", "!kept.log\n")
    bench.write("src/deep/kept.log", "needle\n")
    bench.write("noise.log", "needle\n")
    bench.write("build/out.py", "needle\n")
    bench.write(".git/config", "needle\n")
    bench.write("secrets/key.txt", "needle\n")
    bench.write(".env", "needle\n")
    bench.write("binary.bin", b"needle\0\n")
    bench.write("wide.txt", "needle wide\n".encode("utf-16"))
    (bench.folder / "link.txt").symlink_to(bench.folder / "secrets/key.txt")
    bench.denied = {bench.folder / "secrets", bench.folder / ".env"}


async def test_list_files_shows_two_levels_without_what_is_ignored(bench):
    project(bench)
    assert await bench.text("list_files") == "\n".join([
        ".gitignore", "binary.bin", "link.txt", "src/", "src/app.py", "src/deep/", "wide.txt",
        "[Not shown: 2 ignored by .gitignore and 2 that the rules deny.]",
    ])  # fmt: skip


async def test_list_files_with_a_pattern_looks_everywhere(bench):
    project(bench)
    assert (await bench.text("list_files", pattern="*.{py,ts}")).startswith("src/app.py\nsrc/deep/page.ts\n[")
    assert (await bench.text("list_files", path="src", pattern="deep/*.log")) == "deep/kept.log"
    assert "Nothing in 'src' fits *.c" in await bench.text("list_files", path="src", pattern="*.c")


async def test_list_files_of_an_ignored_folder_that_is_named(bench):
    project(bench)
    assert await bench.text("list_files", path="build") == "out.py"


async def test_a_senseless_line_of_gitignore_is_passed_over(bench):
    bench.write(".gitignore", "!\n*.log\n\n# note\n")
    bench.write("a.log", "")
    bench.write("b.txt", "")
    assert "b.txt\n[Not shown: 1 ignored" in await bench.text("list_files")


async def test_the_gitignore_of_the_repository_holds_in_its_folders(bench, searcher):
    project(bench)
    (bench.folder / ".git").mkdir(exist_ok=True)
    bench.write("src/other.log", "needle\n")
    assert "other.log" not in await bench.text("list_files", path="src")
    assert "other.log" not in await bench.text("grep_files", path="src", pattern="needle")


async def test_list_files_is_bounded(bench):
    for number in range(1_005):
        bench.write(f"many/{number:04}", "")
    lines = (await bench.text("list_files", path="many")).split("\n")
    assert len(lines) == 1_001 and lines[-1].startswith("[More than 1000")


async def test_list_files_explains(bench):
    bench.write("file", "")
    assert "is a file" in await refused(bench, "list_files", path="file")
    assert "did you mean" in (await refused(bench, "list_files", path="fil")).lower()


async def test_r3_grep_skips_what_is_ignored_or_denied(bench, searcher):
    project(bench)
    text = await bench.text("grep_files", pattern="needle")
    assert text.split("\n")[:-1] == [
        "src/app.py:4:def needle():",
        "src/app.py:8:needle()",
        "src/deep/kept.log:1:needle",
        "src/deep/page.ts:1:const needle = 1",
        "wide.txt:1:needle wide",
    ]
    assert "rules deny" in text.split("\n")[-1]


async def test_grep_shows_context_once(bench, searcher):
    bench.write("a.txt", "".join(f"{number}\n" for number in range(1, 21)))
    assert await bench.text("grep_files", pattern="^(3|5|15)$", context_lines=1) == (
        "a.txt-2-2\na.txt:3:3\na.txt-4-4\na.txt:5:5\na.txt-6-6\n--\na.txt-14-14\na.txt:15:15\na.txt-16-16"
    )


async def test_grep_parts_the_context_of_two_files(bench, searcher):
    bench.write("a.txt", "hit\n1\n2\n")
    bench.write("b.txt", "hit\n1\n2\n")
    text = await bench.text("grep_files", pattern="hit", context_lines=1)
    assert text == "a.txt:1:hit\na.txt-2-1\n--\nb.txt:1:hit\nb.txt-2-1"


async def test_grep_modes_and_globs(bench, searcher):
    project(bench)
    arguments = {"pattern": "needle", "path": "src", "glob": "*.{py,ts}"}
    assert await bench.text("grep_files", **arguments, output_mode="files_with_matches") == "app.py\ndeep/page.ts"
    assert await bench.text("grep_files", **arguments, output_mode="count") == "app.py: 2\ndeep/page.ts: 1"
    assert await bench.text("grep_files", pattern="b = 2$", path="src/deep/page.ts") == "src/deep/page.ts:2:const b = 2"
    assert await bench.text("grep_files", pattern="absent", path="src") == "[Nothing in 'src' matches 'absent'.]"


async def test_a_glob_brings_back_nothing_that_is_ignored(bench, searcher):
    project(bench)
    for glob in ("*.log", "src/**/*.log", "./src/deep/*"):
        found = await bench.text("grep_files", pattern="needle", glob=glob, output_mode="files_with_matches")
        assert found.split("\n")[0] == "src/deep/kept.log"
        assert "noise.log" not in found
    assert "kept.log" not in await bench.text("grep_files", pattern="needle", glob="!*.log")


async def test_an_ignored_folder_that_is_named_is_searched(bench, searcher):
    project(bench)
    assert await bench.text("grep_files", pattern="needle", path="build") == "out.py:1:needle"


async def test_what_lies_above_a_folder_without_repository_ignores_nothing_in_it(bench, searcher):
    bench.write(".gitignore", "*\n")
    bench.write("work/a.txt", "needle\n")
    assert await bench.text("grep_files", pattern="needle", path="work") == "a.txt:1:needle"


async def test_grep_pages(bench, searcher):
    for name in ("a", "b"):
        bench.write(name, "".join(f"hit {number}\n" for number in range(1, 151)))
    first = (await bench.text("grep_files", pattern="hit")).split("\n")
    assert first[-2:] == ["b:50:hit 50", "[More results. Continue with offset=200.]"]
    rest = (await bench.text("grep_files", pattern="hit", offset=200)).split("\n")
    assert (rest[0], rest[-1], len(rest)) == ("b:51:hit 51", "b:150:hit 150", 100)


async def test_grep_cuts_long_lines_around_the_match(bench, searcher):
    bench.write("min.js", "a" * 15_000 + "needle" + "b" * 15_000 + "\n")
    text = await bench.text("grep_files", pattern="needle")
    assert "needle" in text and "30,006 characters" in text and len(text) < 600


async def test_grep_explains_a_bad_pattern(bench, searcher):
    assert "no regular expression" in await refused(bench, "grep_files", pattern="a(")


async def test_own_search_gives_up_a_pattern_that_would_take_for_ever(bench, monkeypatch):
    monkeypatch.setattr(ripgrep, "ripgrep", lambda: None)
    bench.write("a.txt", "a" * 60 + "!\n")
    for pattern in ("(a|aa)+$", r"^(a|aa|aaa)+\d$"):
        assert "takes too long" in await refused(bench, "grep_files", pattern=pattern)
    assert "Nothing" in await bench.text("grep_files", pattern=r"(\w+\.)+py")


async def test_lookaround_works_with_either_searcher(bench, searcher):
    bench.write("a.txt", "foobar\nfoobaz\n")
    assert await bench.text("grep_files", pattern="foo(?!bar)") == "a.txt:2:foobaz"


def test_a_result_of_a_search_is_bounded_in_bytes():
    query = searching.Query(pattern="x", root=Path(), label=".")
    findings = searching.Findings(query)
    findings.add(searching.FileHits("f" * 2000, list(range(1, 200)), dict.fromkeys(range(1, 200), "x")))
    text, count = findings.text()
    assert len(text) < 110_000 and f"offset={count}." in text


@pytest.mark.parametrize("hidden", [".env", "secret [a]{b}*?!", "\\\\odd", "two\nlines"])
async def test_r3_nothing_in_a_result_depends_on_what_is_denied(bench, searcher, hidden):
    bench.write("a.txt", "needle\n")
    bench.write(f"deep/{hidden}", "API_KEY=sk-abc\n")
    bench.write(f"folder/{hidden}/in/it", "API_KEY=sk-abc\n")
    bench.denied = {bench.folder / "deep" / hidden, bench.folder / "folder" / hidden}
    said = {
        (await bench.text("grep_files", pattern=pattern)).replace(pattern, "X")
        for pattern in ("sk-a", "sk-b", "(?=K)..")
    }
    assert len(said) == 1 and "[Not searched: 2 files or folders that the rules deny.]" in "".join(said)
    assert await bench.text("grep_files", pattern="sk-a", path="deep") == (
        "[Nothing in 'deep' matches 'sk-a'.]\n[Not searched: 1 files or folders that the rules deny.]"
    )


async def test_r3_ripgrep_never_searches_what_is_denied(bench, monkeypatch):
    if shutil.which("rg") is None:
        pytest.skip("ripgrep is not installed")
    project(bench)
    seen = []
    add = ripgrep._JsonReader._end_file
    monkeypatch.setattr(
        ripgrep._JsonReader, "_end_file", lambda reader: (seen.append(reader._hits.relative), add(reader))[1]
    )
    await bench.text("grep_files", pattern="needle")
    assert "src/app.py" in seen and not [name for name in seen if "key.txt" in name or ".env" in name]


async def test_r1_a_link_that_appears_after_the_check_is_refused(bench, searcher):
    bench.write("private/f", "PRIVATE\n")
    calls = [
        ("read_file", {"path": "o/f"}),
        ("list_files", {"path": "o"}),
        ("grep_files", {"path": "o", "pattern": "P"}),
        ("grep_files", {"path": "o/f", "pattern": "P"}),
    ]
    bench.write("o/f", "harmless\n")
    folder = bench.folder / "o"
    ready = [bench.prepare(name, **arguments) for name, arguments in calls]
    (folder / "f").unlink()
    (folder / "f").symlink_to(bench.folder / "private/f")
    for operation in (ready[0], ready[3]):
        with pytest.raises(ToolFailure, match="not the place any more"):
            await execute(bench, operation)
    (folder / "f").unlink()
    folder.rmdir()
    folder.symlink_to(bench.folder / "private")
    for operation in ready:
        with pytest.raises(ToolFailure, match="not the place any more"):
            await execute(bench, operation)


async def execute(bench, operation):
    return await operation.run(ToolIO(stop=bench.stop, emit_output=bench.live.append, is_denied=lambda _path: False))


def test_r1_a_file_that_takes_the_place_while_it_is_opened_is_refused(bench, monkeypatch):
    path, other = bench.write("f", "harmless"), bench.write("g", "PRIVATE")
    real_open = os.open
    monkeypatch.setattr(os, "open", lambda name, flags: real_open(other if name == path else name, flags))
    with pytest.raises(ToolFailure, match="not the place any more"):
        file_reading.read_regular(path, "f")


async def test_a_gitignore_that_is_no_plain_file_counts_as_none(bench):
    bench.write("a.txt", "")
    ignore = bench.folder / ".gitignore"
    os.mkfifo(ignore)
    assert "a.txt" in await bench.text("list_files")
    for target in ("/dev/zero", bench.write("patterns", "*.txt\n")):
        ignore.unlink()
        ignore.symlink_to(target)
        assert "a.txt" in await bench.text("list_files")
    ignore.unlink()
    bench.write(".gitignore", "*.txt\n" + "#" * 300_000)
    assert "a.txt" in await bench.text("list_files")


async def test_a_search_survives_a_gitignore_that_is_no_plain_file(bench, searcher, monkeypatch):
    monkeypatch.setattr(ripgrep, "_LISTING_S", 0.5)
    bench.write("sub/a.txt", "needle\n")
    ignore = bench.folder / "sub/.gitignore"
    os.mkfifo(ignore)
    assert await bench.text("grep_files", pattern="needle") == "sub/a.txt:1:needle"
    ignore.unlink()
    ignore.symlink_to("/dev/zero")
    assert await bench.text("grep_files", pattern="needle") == "sub/a.txt:1:needle"


@pytest.mark.timeout(30)  # a pattern that is tried in every way takes hours
async def test_no_pattern_takes_for_ever(bench):
    glob = "*a" * 9 + "b"
    bench.write(".gitignore", f"{glob}\n" + f"!{'?*(*' * 20}x\n" + "**/a" * 50)
    for number in range(50):
        bench.write("d/" + "a" * 250 + str(number), "")
        bench.write("d/" + "(" * 250 + str(number), "")
    assert "fits" in await bench.text("list_files", pattern=glob)
    assert "d/" in await bench.text("list_files")


async def test_a_very_deep_folder_is_walked_to_a_bound_and_says_so(bench):
    bench.write("d/" * 230 + "far.txt", "")
    bench.write("d/near.txt", "")
    assert await bench.text("list_files", pattern="*.txt") == "d/near.txt\n[Not shown: what is below 200 levels.]"


def test_r1_the_slower_check_of_what_was_opened_agrees(bench, monkeypatch):
    path, other = bench.write("f", "harmless"), bench.write("g", "PRIVATE")
    monkeypatch.setattr(os, "readlink", _unknown)
    assert file_reading.read_regular(path, "f") == b"harmless"
    real_open = os.open
    monkeypatch.setattr(os, "open", lambda name, flags: real_open(other if name == path else name, flags))
    with pytest.raises(ToolFailure, match="not the place any more"):
        file_reading.read_regular(path, "f")


def _unknown(_path):
    raise OSError


async def test_r3_a_hint_names_nothing_that_is_denied(bench, searcher):
    bench.write(".env", "x")
    bench.denied = {bench.folder / ".env"}
    for name, arguments in {
        "read_file": {"path": ".envv"}, "list_files": {"path": ".envv"}, "grep_files": {"path": ".envv", "pattern": "x"},
        "execute_cmd": {"workdir": ".envv", "command": "true"},
    }.items():  # fmt: skip
        assert "nearest folder" in await refused(bench, name, **arguments)
