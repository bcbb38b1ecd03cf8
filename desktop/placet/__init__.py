"""Placet: a desktop agent that shows what it would change before anything happens."""

__version__ = "0.1.0"
