"""An editor for plain text that gives back exactly what it was given."""
