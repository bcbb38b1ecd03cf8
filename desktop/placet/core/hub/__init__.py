"""The façade of the core: conversations, inboxes, the event bus; wires the parts of a session."""
