"""`pubweave status`."""
