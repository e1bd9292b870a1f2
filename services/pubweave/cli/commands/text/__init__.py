"""`pubweave text`."""
