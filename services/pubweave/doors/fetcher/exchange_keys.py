"""By what a recorded exchange is found again: method, address and form, without secrets."""

import hashlib
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

_MASK = "***"


class Secrets:
    """Masks the values of query and form fields that must not stand in a recording.

    Two asks that differ in nothing else have the same key: somebody else's e-mail finds the same reply.
    """

    def __init__(self, fields: tuple[str, ...]) -> None:
        self._fields = frozenset(fields)

    def url(self, url: str) -> str:
        """The address with masked values; everything else stays byte for byte."""
        parts = urlsplit(url)
        if not parts.query:
            return url
        pairs = [self._pair(pair) for pair in parts.query.split("&")]
        return urlunsplit(parts._replace(query="&".join(pairs)))

    def form(self, form: bytes | None) -> bytes | None:
        if not form:
            return form
        pairs = parse_qsl(form.decode("ascii", "replace"), keep_blank_values=True)
        if not any(name in self._fields for name, _ in pairs):
            return form
        return urlencode([(name, _MASK if name in self._fields else value) for name, value in pairs]).encode()

    def without(self, form: bytes) -> bytes:
        """The form without its secret fields."""
        pairs = parse_qsl(form.decode("ascii", "replace"), keep_blank_values=True)
        kept = [(name, value) for name, value in pairs if name not in self._fields]
        return form if len(kept) == len(pairs) else urlencode(kept).encode()

    def key(self, method: str, url: str, form: bytes | None) -> str:
        """32 hexadecimal digits."""
        hasher = hashlib.blake2b(digest_size=16)
        for piece in (method.encode(), self.url(url).encode(), self.form(form) or b""):
            hasher.update(len(piece).to_bytes(8, "big"))
            hasher.update(piece)
        return hasher.hexdigest()

    def _pair(self, pair: str) -> str:
        name, equals, _ = pair.partition("=")
        return f"{name}={_MASK}" if equals and name in self._fields else pair
