"""`pubweave escape`."""
