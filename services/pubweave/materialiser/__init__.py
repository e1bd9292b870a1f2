"""The materialiser: hears publications; writes each version into the store that is looked up.

Hears   publications
Asks    nobody
Says    nothing
Never   decides what is in a record; an older version cannot hide a newer one
"""
