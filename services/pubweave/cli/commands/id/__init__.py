"""`pubweave id`."""
