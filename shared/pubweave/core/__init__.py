"""What is decided. Pure: no I/O, clock, environment or randomness; sees only `contract`."""
