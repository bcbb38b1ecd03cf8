"""`D-10`: what a link in model text may do."""

from __future__ import annotations

import pytest

from placet.ui.widgets.text.links import LinkKind, bare_links, misleads, read_link
from placet.ui.widgets.text.markdown import plain_text


@pytest.mark.parametrize(
    "href", ["http://example.org", "https://example.org/a?b=c#d", "mailto:a@example.org", "HTTPS://EXAMPLE.org/"]
)
def test_web_addresses_may_open(href: str) -> None:
    assert read_link(href).kind is LinkKind.WEB


@pytest.mark.parametrize(
    "href",
    [
        "javascript:alert(1)", "vscode://x", "data:text/html,x", "//127.0.0.1/share/a.png", "\\\\host\\share", "", "#a",
        "file://other-host/share/x", "http://", "http://[", "ssh://host", "https://exa\u202emple.org", "java\nscript:x",
    ],
)  # fmt: skip
def test_everything_else_does_nothing(href: str) -> None:
    assert read_link(href).kind is LinkKind.INERT


@pytest.mark.parametrize(
    ("href", "path"),
    [("file:///usr/bin/xcalc", "/usr/bin/xcalc"), ("src/a%20b.py", "src/a b.py"), ("/etc/hosts", "/etc/hosts")],
)
def test_files_are_told_apart_and_never_opened_by_the_system(href: str, path: str) -> None:
    link = read_link(href)
    assert (link.kind, link.target) == (LinkKind.FILE, path)


def test_a_label_that_reads_like_another_address_misleads() -> None:
    assert misleads("http://good.example", "http://evil.example/")
    assert misleads("good.example/login", "https://evil.example/")
    assert not misleads("www.good.example", "https://good.example/")
    assert not misleads("the grammar", "https://good.example/")


def test_bare_addresses_end_before_the_punctuation() -> None:
    text = "see https://a.example/x, (https://b.example/y_(z)) and https://c.example."
    assert [text[a:b] for a, b in bare_links(text)] == [
        "https://a.example/x", "https://b.example/y_(z)", "https://c.example",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("source", "seen"),
    [
        ("![x](http://127.0.0.1:8099/p.png?leak=SECRET)", "x (127.0.0.1)"),
        ("![x](file:///etc/hostname)", "x (file)"),
        ("![x](//127.0.0.1/share/a.png)", "x (127.0.0.1)"),
        ("![x][r]\n\n[r]: http://127.0.0.1:8099/q", "x (127.0.0.1)"),
        ('<img src="http://127.0.0.1:8099/r">', '<img src="http://127.0.0.1:8099/r">'),
        ("![x](data:image/svg+xml;base64,PHN2Zy8+)", "x (data)"),
        ("[a](javascript:alert(1))", "a"),
    ],
)
def test_images_are_words_and_html_is_text(source: str, seen: str) -> None:
    assert plain_text(source) == seen
