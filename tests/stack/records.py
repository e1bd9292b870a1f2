"""Stored records for tests of what is made of them."""

from typing import Any

from pubweave.contract.values import VisitedSite
from pubweave.core.record import Part, Record, encode_record
from pubweave.ports import StoredRecord

DAY_MS = 86_400_000


def stored(
    name: str, version: int = 1, hosts: tuple[str, ...] = (), day: int = 0, **fields: Any
) -> StoredRecord:
    sites = tuple(VisitedSite(url=f"https://www.{host}/x", type="webpage") for host in hosts)
    body = encode_record(Record(publication=name, visited_sites=sites, **fields))
    return StoredRecord(name, version, body, "fetched", day * DAY_MS + version)


TITLE = Part(type="europepmc", size=200, text="T" * 200)
FULL = {"title": TITLE, "theAbstract": TITLE, "fulltext": Part(type="europepmc_xml", size=9000, text="F")}
