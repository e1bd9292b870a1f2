"""What resources are made with: how one asks, how it goes on when a reply is lost, and how it says what it found.

`service` is the form of every resource, `answering` says what was found, `batching` asks again or in parts, `page_asking` and
`webpage_asking` get a page through the doors, and `*_answers` say what was read there. Pure like the rest of the core.
"""
