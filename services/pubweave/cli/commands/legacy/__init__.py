"""`pubweave legacy`."""
