"""The one JATS reader: bytes in, Structs out; no socket, no file, no clock.

`xml` makes a safe tree, `plain` reads what the merger's parts need, `read` makes the structured document
and proves that no word of the article was lost.
"""
