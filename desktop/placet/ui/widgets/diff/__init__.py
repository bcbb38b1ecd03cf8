"""Painted, virtual text that tells the truth: diffs, commands and arguments with nothing hidden in them."""
