"""The Inbox: what waits in all sessions, and the list of writes that wait together."""
