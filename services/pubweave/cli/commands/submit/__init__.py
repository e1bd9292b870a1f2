"""`pubweave submit`."""
