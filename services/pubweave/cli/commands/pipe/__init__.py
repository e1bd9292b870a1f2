"""`pubweave pipe`."""
