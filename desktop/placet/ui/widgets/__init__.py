"""Reusable widgets without knowledge of sessions."""
