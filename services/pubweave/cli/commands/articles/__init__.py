"""`pubweave articles`."""
