"""The command line's verbs without a window."""
