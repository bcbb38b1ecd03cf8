"""The engine: one message becomes rounds of model calls and tool calls."""
