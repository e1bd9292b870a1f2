"""`pubweave follow`."""
