"""The command line: one application on top of the runtimes.

`main` dispatches and says what went wrong; one module per command; `idlines` and `idfile` read what users
give, `outfile` and `shape` write what they get. Heavy imports stay inside functions: help must be instant.
"""
