"""`pubweave test`."""
