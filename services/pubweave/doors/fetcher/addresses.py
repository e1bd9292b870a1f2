"""Which addresses may be asked (design law 7, P-46): none of this machine's or its networks', unless allowed."""

import asyncio
import ipaddress
import socket
from typing import Final
from urllib.parse import quote, urlsplit, urlunsplit

import idna
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import DefaultResolver

from pubweave.doors.fetcher.outcomes import RefusedAddress

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

_PORTS: Final = {"http": 80, "https": 443, "ftp": 21}
_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")
_LOCAL_NAMES: Final = ("localhost", "local", "localdomain", "internal", "intranet", "lan", "home.arpa")
_URL_SAFE: Final = "!#$%&'()*+,/:;=?@[]~-._"


class Address:
    """An address that can be asked (HTTP, HTTPS, FTP): tidy URL, host as it is connected to, port."""

    __slots__ = ("host", "origin", "port", "scheme", "url")

    def __init__(self, url: str, scheme: str, host: str, port: int) -> None:
        self.url = url
        self.scheme = scheme
        self.host = host
        self.port = port
        written = f"[{host}]" if ":" in host else host
        usual = port == _PORTS[scheme]
        self.origin = f"{scheme}://{written}" if usual else f"{scheme}://{written}:{port}"


def parsed(url: str) -> Address:
    """Read an address as a browser would: spaces around it go, what may not stand in it is percent-encoded,
    an international host becomes its ASCII form. What is encoded already stays as it is.

    :raises ValueError: no address that a door speaks; the text says why
    """
    url = url.strip()
    try:
        parts = urlsplit(url)
        port = parts.port
        host = (parts.hostname or "").rstrip(".")
    except ValueError as problem:
        raise ValueError(f"not an address: {problem}") from problem
    scheme = parts.scheme.lower()
    if scheme not in _PORTS:
        raise ValueError(f"no door speaks {scheme}:" if scheme else "no scheme")
    if parts.username is not None or parts.password is not None:
        raise ValueError("an address with a user name in it is not asked")
    if not host:
        raise ValueError("no host")
    if not host.isascii():
        try:
            host = idna.encode(host, uts46=True).decode("ascii")
        except idna.IDNAError as problem:
            raise ValueError(f"not a host name: {problem}") from problem
    elif ":" not in host and not all(char.isalnum() or char in "-._" for char in host):
        raise ValueError("not a host name")
    written = f"[{host}]" if ":" in host else host
    netloc = written if port is None else f"{written}:{port}"
    tidy = urlunsplit((scheme, netloc, _quoted(parts.path) or "/", _quoted(parts.query), ""))
    return Address(tidy, scheme, host, port or _PORTS[scheme])


def _quoted(text: str) -> str:
    return text if text.isalnum() and text.isascii() else quote(text, safe=_URL_SAFE)


class AddressRules:
    """What may be asked, by name before a connection and by number when it is made.

    A name that leads to several addresses is asked only at those allowed. The addresses tested are the very
    ones that are connected to, so a name that changes in between (DNS rebinding) gains nothing.
    """

    def __init__(self, allow: tuple[str, ...] = (), deny_hosts: tuple[str, ...] = ()) -> None:
        """:raises ValueError: an entry that looks like a network is none"""
        self._allowed_names: set[str] = set()
        self._allowed_networks: list[ipaddress.IPv4Network | ipaddress.IPv6Network] = []
        for entry in allow:
            if "/" in entry or _as_ip(entry) is not None:
                self._allowed_networks.append(ipaddress.ip_network(entry, strict=False))
            else:
                self._allowed_names.add(entry.lower().rstrip("."))
        self._denied = frozenset(host.lower().strip(".").removeprefix("*.") for host in deny_hosts)

    def denied(self, host: str) -> str:
        """The entry of the operator's deny list that holds this host; "" if none."""
        labels = host.lower().split(".")
        return next(
            (name for start in range(len(labels)) if (name := ".".join(labels[start:])) in self._denied), ""
        )

    def refused_name(self, host: str) -> str:
        """Why a host may not be asked, before anything is resolved; "" if it may."""
        host = host.lower()
        if host in self._allowed_names:
            return ""
        literal = _as_ip(host)
        if literal is not None:
            return "" if self.allows(literal) else f"{host} is a private or local address"
        if host in _LOCAL_NAMES or host.rpartition(".")[2] in _LOCAL_NAMES or host.endswith(".home.arpa"):
            return "" if self._allowed_networks else f"{host} is a name of a local network"
        return ""

    def allows_name(self, host: str) -> bool:
        return host.lower().rstrip(".") in self._allowed_names

    def allows(self, address: IpAddress) -> bool:
        return is_public(address) or any(
            address.version == network.version and address in network for network in self._allowed_networks
        )


def is_public(address: IpAddress) -> bool:
    """Reachable by everybody; addresses that carry another inside are what they carry."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(address.ipv4_mapped)
        if address.sixtofour is not None:
            return is_public(address.sixtofour)
        if address in _NAT64:
            return is_public(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
        if address.teredo is not None or address.is_site_local:
            return False
    return address.is_global and not address.is_multicast and not address.is_unspecified


def _as_ip(host: str) -> IpAddress | None:
    # Names end in a letter (RFC 3696 2); this spares nearly every request the parsing.
    if ":" not in host and not host[-1:].isdigit() and not host.rpartition(".")[2].lower().startswith("0x"):
        return None
    try:
        return ipaddress.ip_address(host.strip("[]").partition("%")[0])
    except ValueError:
        pass
    try:
        # "127.1", "0x7f000001", "2130706433": whoever resolves names, a proxy for one, takes them for numbers.
        return ipaddress.IPv4Address(socket.inet_aton(host))
    except (OSError, UnicodeEncodeError):
        return None


class CheckedResolver(AbstractResolver):
    """Resolves names and leaves out what may not be asked. The proxy's own name is the operator's choice."""

    def __init__(self, rules: AddressRules, proxies: frozenset[tuple[str, int]] = frozenset()) -> None:
        self._rules = rules
        self._proxies = proxies
        self._resolver = DefaultResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        found = await self._resolver.resolve(host, port, family)
        if (host, port) in self._proxies or self._rules.allows_name(host):
            return found
        allowed = [
            result
            for result in found
            if (address := _as_ip(result["host"])) is not None and self._rules.allows(address)
        ]
        if found and not allowed:
            raise RefusedAddress(f"{host} leads to {found[0]['host']}, a private or local address")
        return allowed

    async def close(self) -> None:
        await asyncio.shield(self._resolver.close())
