"""The command line: one application on top of the runtimes.

`main` dispatches and says what went wrong; `commands` has a folder for each command; what several commands share lies
beside. Heavy imports stay inside functions: help must be instant.
"""
