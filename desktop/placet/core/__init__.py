"""The program without its window: imports and runs where Qt is not installed."""
