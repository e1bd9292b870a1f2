"""The resource services: one folder each, pure, without state (design law 5).

A folder's `__init__.py` tells what the service hears, asks and says, and what it never does, and declares its
`SERVICE`; `handler.py` is the pure step; `fixtures/<situation>/` show it.
"""
