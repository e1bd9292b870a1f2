"""`pubweave topics`."""
