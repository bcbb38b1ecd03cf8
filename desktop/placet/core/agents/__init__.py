"""Agents from files: the shipped ones, and a person's own that replace or add to them."""
