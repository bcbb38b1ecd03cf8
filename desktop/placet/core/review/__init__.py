"""Rules, gate, previews, diffs, atomic writes, journal, undo."""
