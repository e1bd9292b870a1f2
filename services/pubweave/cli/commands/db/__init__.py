"""`pubweave db`."""
