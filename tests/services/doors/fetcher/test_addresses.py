"""Which addresses are asked, and how they are written."""

import ipaddress
import socket

import pytest
from aiohttp.abc import AbstractResolver

from pubweave.doors.fetcher.addresses import AddressRules, CheckedResolver, is_public, parsed
from pubweave.doors.fetcher.outcomes import RefusedAddress
from pubweave.doors.fetcher.proxies import Proxies


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("https://example.org", "https://example.org/"),
        (" https://Example.ORG/a b?q=ä#top \n", "https://example.org/a%20b?q=%C3%A4"),
        (
            "http://example.org:8080/10.1000/<a>%3Cb%3E;2-x",
            "http://example.org:8080/10.1000/%3Ca%3E%3Cb%3E;2-x",
        ),
        ("https://bücher.example/ü", "https://xn--bcher-kva.example/%C3%BC"),
        ("https://example.org./", "https://example.org/"),
        ("https://[2606:4700::1111]:8443/x", "https://[2606:4700::1111]:8443/x"),
        ("HTTPS://example.org/a%2Fb?c=%20+&d", "https://example.org/a%2Fb?c=%20+&d"),
    ],
)
def test_addresses_are_tidied_as_a_browser_does(written: str, asked: str) -> None:
    """What is encoded stays as it is; what may not stand in an address is encoded; fragments stay at home."""
    assert parsed(written).url == asked


@pytest.mark.parametrize(
    "written",
    ["", "example.org", "gopher://example.org/x", "https:///x", "https://", "https://a b/", "http://x:99999/",
     "javascript:alert(1)", "https://user:secret@example.org/", "http://[::1", "https://exa\u2028mple.org/",
     "https://a\r\nHost:evil/"],
)  # fmt: skip
def test_what_is_no_address_of_a_page_is_refused(written: str) -> None:
    """Nothing of it is sent."""
    with pytest.raises(ValueError, match=r"\w"):
        parsed(written)


def test_an_origin_has_no_usual_port() -> None:
    """F-CFG-24: scheme and authority."""
    assert [parsed(url).origin for url in ("https://a.org:443/x", "http://a.org:8080/x")] == [
        "https://a.org",
        "http://a.org:8080",
    ]


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
     "224.0.0.1", "255.255.255.255", "192.0.2.1", "::1", "::", "fe80::1", "fc00::1", "fec0::1", "ff02::1",
     "::ffff:127.0.0.1", "::ffff:10.0.0.1", "2002:7f00:1::", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe"],
)  # fmt: skip
def test_addresses_that_are_not_everybodys_are_refused(address: str) -> None:
    """Private, local, link-local, multicast, reserved, and those that carry such an address inside."""
    assert not is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "130.14.29.110", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]
)
def test_public_addresses_are_asked(address: str) -> None:
    """Also inside the translated forms."""
    assert is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "db.localhost", "printer.local", "::1", "metadata.google.internal"]
)
def test_local_names_and_literals_are_refused_before_anything_is_resolved(host: str) -> None:
    """Also where a proxy would resolve them for us."""
    assert AddressRules().refused_name(host)


def test_an_intranet_can_be_allowed() -> None:
    """By network, or by name."""
    rules = AddressRules(("10.0.0.0/8", "wiki.lan"))

    assert rules.refused_name("10.1.2.3") == ""
    assert rules.refused_name("wiki.lan") == ""
    assert rules.refused_name("192.168.1.1")


@pytest.mark.parametrize(
    ("host", "entry"),
    [("press.example", "press.example"), ("www.Press.example", "press.example"), ("express.example", "")],
)
def test_the_deny_list_holds_for_subdomains(host: str, entry: str) -> None:
    """A takedown request names a host."""
    assert AddressRules(deny_hosts=("*.Press.example",)).denied(host) == entry


class Names(AbstractResolver):
    """Resolves every name to these addresses."""

    def __init__(self, *addresses: str) -> None:
        self.addresses = addresses

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list:  # type: ignore[type-arg]
        return [
            {"hostname": host, "host": address, "port": port, "family": 0, "proto": 0, "flags": 0}
            for address in self.addresses
        ]

    async def close(self) -> None:
        pass


async def resolved(resolver: CheckedResolver, names: Names, host: str = "a.org", port: int = 80) -> list[str]:
    resolver._resolver = names
    return [found["host"] for found in await resolver.resolve(host, port)]


async def test_a_name_is_asked_only_at_its_public_addresses() -> None:
    """A name that leads to both is asked at the public ones; one that leads inside only is refused."""
    resolver = CheckedResolver(AddressRules())

    assert await resolved(resolver, Names("10.0.0.1", "8.8.8.8")) == ["8.8.8.8"]
    with pytest.raises(RefusedAddress, match=r"a\.org leads to 10\.0\.0\.1"):
        await resolved(resolver, Names("10.0.0.1"))


async def test_the_operators_proxy_may_be_inside() -> None:
    """But only at its own port: the exemption is no way in."""
    resolver = CheckedResolver(AddressRules(), frozenset({("proxy.corp", 3128)}))

    assert await resolved(resolver, Names("10.0.0.1"), "proxy.corp", 3128) == ["10.0.0.1"]
    with pytest.raises(RefusedAddress):
        await resolved(resolver, Names("10.0.0.1"), "proxy.corp", 80)


ENVIRONMENT = {
    "HTTPS_PROXY": "http://secure:1",
    "http_proxy": "plain:2",
    "NO_PROXY": "direct.org, .sub.org,*.star.org, 10.0.0.0/8, port.org:8080",
}


@pytest.mark.parametrize(
    ("scheme", "host", "port", "proxy"),
    [
        ("https", "a.org", 443, "http://secure:1"),
        ("http", "a.org", 80, "http://plain:2"),
        ("http", "direct.org", 80, None),
        ("http", "www.direct.org", 80, None),
        ("http", "indirect.org", 80, "http://plain:2"),
        ("http", "x.sub.org", 80, None),
        ("http", "x.star.org", 80, None),
        ("http", "10.9.8.7", 80, None),
        ("http", "11.9.8.7", 80, "http://plain:2"),
        ("http", "port.org", 8080, None),
        ("http", "port.org", 80, "http://plain:2"),
    ],
)
def test_proxies_are_those_of_the_environment(scheme: str, host: str, port: int, proxy: str | None) -> None:
    """Either case of the names; NO_PROXY by domain, port or network."""
    found = Proxies(ENVIRONMENT).for_host(scheme, host, port)

    assert proxy == (None if found is None else str(found).rstrip("/"))


def test_no_proxy_may_be_everything_and_a_proxy_for_everything() -> None:
    """`*` and ALL_PROXY."""
    assert Proxies({"all_proxy": "http://p:1", "no_proxy": "*"}).for_host("https", "a.org", 443) is None
    assert Proxies({"ALL_PROXY": "http://p:1"}).for_host("http", "a.org", 80) is not None


def test_a_request_header_cannot_set_a_proxy() -> None:
    """CVE-2016-5385: below a web server HTTP_PROXY is a visitor's word."""
    assert (
        Proxies({"HTTP_PROXY": "http://evil:1", "REQUEST_METHOD": "GET"}).for_host("http", "a.org", 80)
        is None
    )


def test_a_proxy_that_is_not_spoken_is_named_without_its_password() -> None:
    """One sentence for the user."""
    with pytest.raises(ValueError, match="ALL_PROXY is corp:1080, but only http:// proxies are spoken"):
        Proxies({"all_proxy": "socks5://me:secret@corp:1080"})


@pytest.mark.parametrize(
    "host", ["127.1", "2130706433", "0x7f000001", "0x7f.1", "127.0.0.0x1", "0177.0.0.1", "10.1", "0"]
)
def test_numbers_in_other_clothes_are_numbers(host: str) -> None:
    """A proxy that resolves for us would take them for what they are; they are refused before it is asked."""
    assert AddressRules().refused_name(parsed(f"http://{host}/").host)
    assert not AddressRules(("0.0.0.0/0",)).refused_name(parsed(f"http://{host}/").host)


@pytest.mark.parametrize("host", ["example.org", "1.1.1.1", "press4.example7", "0x.example", "12.0x.org"])
def test_names_with_digits_are_names(host: str) -> None:
    """And public addresses are public."""
    assert AddressRules().refused_name(parsed(f"http://{host}/").host) == ""
