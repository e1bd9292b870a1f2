"""`pubweave tables`."""
