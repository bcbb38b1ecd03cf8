"""Values and ports that everything else meets through. Pure: no I/O, no import of the rest of the core."""
