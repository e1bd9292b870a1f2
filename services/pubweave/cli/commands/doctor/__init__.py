"""`pubweave doctor`."""
