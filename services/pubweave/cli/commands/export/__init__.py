"""`pubweave export`."""
