"""`pubweave fetch`."""
