"""Articles of a site: a crawl, a WARC or a list of URLs becomes a stream of articles with their files in roles.

Hears: URLs from files (lists, WARC, CDX, folders, sitemaps, OAI-PMH replies). Asks: nobody.
Says: one ArticleFiles a line, or identifiers and links to a sink. Never: opens a socket.
Decides nothing itself: the semantics are `pubweave.articles.iterator`.
"""
