"""What the reader refuses."""


class MalformedJats(ValueError):
    """The document is not well-formed JATS, or so hostile that reading it was refused."""
