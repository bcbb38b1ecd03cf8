"""The review pane: what waits, exactly as it would happen, and the two answers to it."""
