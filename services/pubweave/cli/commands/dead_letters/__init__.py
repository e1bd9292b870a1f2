"""`pubweave dead-letters`."""
