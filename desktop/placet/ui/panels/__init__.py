"""One folder an area of the window."""
