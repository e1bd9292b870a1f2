"""doi.org: a redirect with a short body, a page for what it does not know, the registration agency."""

import json
from html import escape


def redirect(location: str) -> bytes:
    """The body of a 302."""
    shown = escape(location)
    return (
        f'<html><head><title>Handle Redirect</title></head>\n<body><a href="{shown}">{shown}</a></body></html>'
    ).encode()


def values(doi: str) -> bytes:
    """The page of a DOI that has values but leads nowhere."""
    return (
        f"<!DOCTYPE html>\n<html><head><title>Handle values</title></head><body><h1>{escape(doi)}</h1>"
        "<table><tr><th>Index</th><th>Type</th><th>Data</th></tr></table></body></html>"
    ).encode()


def not_found(doi: str) -> bytes:
    """The body of a 404."""
    return (
        "<!DOCTYPE html>\n<html><head><title>Error: DOI Not Found</title></head><body><h1>DOI Not Found</h1>"
        f"<h2>{escape(doi)}</h2><p>This DOI cannot be found in the DOI System.</p></body></html>"
    ).encode()


def agency(prefix: str, known: bool) -> bytes:
    """doi.org/ra/<prefix>: 200 for unknown prefixes too."""
    answer = {"DOI": prefix, "RA": "Crossref"} if known else {"DOI": prefix, "status": "DOI does not exist"}
    return json.dumps([answer]).encode()
