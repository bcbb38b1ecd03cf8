"""Past sessions, with everything that is stored of them."""
