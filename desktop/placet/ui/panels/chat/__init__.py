"""The chat: head, transcript, empty page, composer."""
