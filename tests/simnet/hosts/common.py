"""Answers every host has."""

from simnet.messages import Ask, Reply, Request, plain

ROBOTS_OPEN = "User-agent: *\nDisallow:\n"


def robots(text: str = ROBOTS_OPEN) -> Ask:
    """robots.txt."""
    return Ask("robots", (), lambda weather: plain(200, text, "text/plain"))


def not_found(request: Request, resource: str = "unknown-path", ids: tuple[str, ...] = ()) -> Ask:
    """A 404 page."""
    page = "<html><head><title>404 Not Found</title></head><body><h1>Not Found</h1></body></html>"
    return Ask(resource, ids, lambda weather: Reply(404, page.encode()), request.target)
