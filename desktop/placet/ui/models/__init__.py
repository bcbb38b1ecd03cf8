"""View-models: what is drawn, without widgets."""
