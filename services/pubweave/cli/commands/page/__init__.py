"""`pubweave page`."""
