"""A file's language by its name, as a pygments alias. A table: asking pygments would import it and its lexers."""

from __future__ import annotations

_BY_NAME = {
    "cmakelists.txt": "cmake", "dockerfile": "docker", "gemfile": "ruby", "makefile": "make", "rakefile": "ruby",
    ".bashrc": "bash", ".profile": "bash", ".zshrc": "bash", "cargo.lock": "toml", "pipfile": "toml",
}  # fmt: skip
_BY_SUFFIX = {
    "bash": "bash", "bat": "bat", "c": "c", "cc": "cpp", "cfg": "ini", "clj": "clojure", "cmake": "cmake",
    "cpp": "cpp", "cs": "csharp", "css": "css", "csv": "", "cxx": "cpp", "dart": "dart", "diff": "diff", "ex": "elixir",
    "exs": "elixir", "fish": "fish", "go": "go", "graphql": "graphql", "h": "c", "hpp": "cpp", "hs": "haskell",
    "htm": "html", "html": "html", "ini": "ini", "java": "java", "jl": "julia", "js": "javascript", "json": "json",
    "jsx": "jsx", "kt": "kotlin", "less": "less", "lua": "lua", "m": "objective-c", "md": "markdown", "mjs": "javascript",
    "ml": "ocaml", "nix": "nix", "patch": "diff", "php": "php", "pl": "perl", "proto": "protobuf", "ps1": "powershell",
    "py": "python", "pyi": "python", "r": "r", "rb": "ruby", "rs": "rust", "rst": "rst", "sass": "sass",
    "scala": "scala", "scss": "scss", "sh": "bash", "sql": "sql", "svelte": "html", "svg": "xml", "swift": "swift",
    "tex": "latex", "tf": "terraform", "toml": "toml", "ts": "typescript", "tsx": "tsx", "vim": "vim", "vue": "html",
    "xml": "xml", "yaml": "yaml", "yml": "yaml", "zig": "zig", "zsh": "bash",
}  # fmt: skip


def language_of(path: str) -> str:
    """Return the alias, empty where the name tells nothing."""
    name = path.replace("\\", "/").rpartition("/")[2].lower()
    return _BY_NAME.get(name) or _BY_SUFFIX.get(name.rpartition(".")[2] if "." in name else "", "")
