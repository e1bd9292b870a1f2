"""`pubweave completion`."""
