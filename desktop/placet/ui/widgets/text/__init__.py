"""Text that is painted, hit, selected and searched without being a widget: lines, code, Markdown."""
