"""The chat column: rows painted without widgets, with one selection through all of them."""
