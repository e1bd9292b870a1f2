"""Everything in one process on one SQLite file: the default way to run Pubweave (P-10)."""
