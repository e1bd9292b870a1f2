"""What is said: one event a file, its topics, schemas and upcasts.

Events are facts in the past tense (or, where somebody is asked, a question) as msgspec Structs. Their
names on the wire are hyphenated and stand in `kinds.py`; how they become bytes stands in `codec.py`.
"""
