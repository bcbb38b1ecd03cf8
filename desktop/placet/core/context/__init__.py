"""What the model sees: assembly, well-formed history, bytes of each dialect, fitting the window."""
