"""`pubweave report`."""
