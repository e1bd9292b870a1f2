"""`pubweave jats`."""
