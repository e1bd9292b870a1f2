"""`pubweave doc`."""
