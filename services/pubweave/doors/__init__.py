"""The only places that touch the world outside (design law 6): the fetcher asks over HTTP, the renderer runs a
browser, the pdf reader opens PDFs. What comes through a door is bounded in size, time and address (law 7)."""
