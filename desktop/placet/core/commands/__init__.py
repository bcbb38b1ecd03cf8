"""Slash commands that are files: read from the shipped folder and from a person's own."""
