"""`pubweave rebuild`."""
