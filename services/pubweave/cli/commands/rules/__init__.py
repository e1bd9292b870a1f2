"""`pubweave rules`."""
