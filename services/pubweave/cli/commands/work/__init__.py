"""`pubweave work`."""
