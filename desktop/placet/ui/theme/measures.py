"""Sizes of the window's large parts, in pixels. The frame draws the parts with these before they are there."""

SIDEBAR_WIDTH = 232
SIDEBAR_FOLDS = 900  # width of the window; below it the sidebar comes over the page when asked for
HEAD_HEIGHT = 48
STATUS_HEIGHT = 24
