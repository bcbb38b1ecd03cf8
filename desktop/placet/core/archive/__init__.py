"""Sessions as files: to read, to keep, and to bring back. Pure."""
