"""The resource services: one folder each, pure, without state (design law 5).

A folder's `__init__.py` tells what the service hears, asks and says, and what it never does; `declaration.py` is everything that it
is (from there `make generate` makes the rest); `handler.py` is the pure step; `fixtures/<situation>/` show it.
"""
