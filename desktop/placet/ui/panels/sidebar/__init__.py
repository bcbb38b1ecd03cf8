"""The sidebar: places, recent sessions, search over everything."""
