"""Tokens become palette, style sheet, fonts and icons. Nothing else knows a colour."""
