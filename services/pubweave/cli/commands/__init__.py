"""One folder a command, named like it: `command.py` has its options, the modules beside it do the work."""
