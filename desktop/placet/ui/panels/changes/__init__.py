"""The Changes page: what was done to files, and undoing it."""
