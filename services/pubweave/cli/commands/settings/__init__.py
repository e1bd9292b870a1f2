"""`pubweave settings`."""
