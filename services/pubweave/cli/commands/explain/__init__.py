"""`pubweave explain`."""
