"""What a model can call, one module a tool; pure plans apart from their effects."""
