"""`pubweave man`."""
