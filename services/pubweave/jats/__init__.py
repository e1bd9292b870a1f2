"""The JATS service: articles in, structured documents out, over HTTP (port 8088) and from files.

Hears: `GET /parse/pmc/{id}`, `GET /getxml/pmc/{id}`, `POST /parse`, `GET /health`; files and folders.
Asks: whoever was given as `get_xml` (the fetcher: budgets and politeness are its affair), once for one article at a time.
Says: the document as JSON, bare or in an envelope; statistics.
Never: opens a connection to the outside, decides what a document means. That is `pubweave.core.reading.jats`.
"""
