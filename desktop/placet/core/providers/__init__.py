"""One small client per wire dialect; streams become domain pieces."""
