"""Which proxy an address is asked through: HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY, in either case."""

import ipaddress
from collections.abc import Mapping
from urllib.parse import urlsplit

from yarl import URL


class Proxies:
    """`for_host` gives the proxy's address, or None for a direct connection."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """:raises ValueError: a proxy that cannot be used, with the name of its variable"""
        every = _proxy(environment, "all_proxy")
        self._by_scheme = {
            "http": _proxy(environment, "http_proxy") or every,
            "https": _proxy(environment, "https_proxy") or every,
        }
        self._direct_all = False
        self._direct_names: list[tuple[str, int]] = []
        self._direct_networks: list[ipaddress.IPv4Network | ipaddress.IPv6Network] = []
        for raw in _either(environment, "no_proxy").split(","):
            self._add_direct(raw.strip().lower())

    def _add_direct(self, entry: str) -> None:
        if entry == "*":
            self._direct_all = True
        elif entry:
            try:
                self._direct_networks.append(ipaddress.ip_network(entry.strip("[]"), strict=False))
            except ValueError:
                name, _, port = (
                    entry.rpartition(":") if entry.rpartition(":")[2].isdigit() else (entry, "", "0")
                )
                self._direct_names.append((name.removeprefix("*").lstrip("."), int(port)))

    def for_host(self, scheme: str, host: str, port: int) -> URL | None:
        proxy = self._by_scheme[scheme]
        if proxy is None or self._direct_all:
            return None
        for name, only_port in self._direct_names:
            if (host == name or host.endswith("." + name)) and only_port in (0, port):
                return None
        if self._direct_networks and (":" in host or host[-1:].isdigit()):
            try:
                address = ipaddress.ip_address(host)
            except ValueError:
                return proxy
            if any(address.version == net.version and address in net for net in self._direct_networks):
                return None
        return proxy

    def places(self) -> frozenset[tuple[str, int]]:
        """Host and port of the proxies themselves."""
        return frozenset((proxy.host or "", proxy.port or 0) for proxy in self._by_scheme.values() if proxy)


def _either(environment: Mapping[str, str], name: str) -> str:
    return environment.get(name) or environment.get(name.upper()) or ""


def _proxy(environment: Mapping[str, str], name: str) -> URL | None:
    # A web server hands a request header named Proxy to its programs as HTTP_PROXY (CVE-2016-5385).
    if name == "http_proxy" and "REQUEST_METHOD" in environment:
        text = environment.get(name, "")
    else:
        text = _either(environment, name)
    if not text:
        return None
    if "://" not in text:
        text = f"http://{text}"
    if urlsplit(text).scheme not in ("http", "https") or not urlsplit(text).hostname:
        raise ValueError(
            f"{name.upper()} is {text.partition('@')[2] or text}, but only http:// proxies are spoken"
        )
    return URL(text)
