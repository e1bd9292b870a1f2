"""The library: `from pubweave import api`.

Asynchronous, with the same in plain calls for scripts and threads under `api.sync`; `docs/library.md` tells it by
examples. What a caller gives wrongly is `UserError`, with a sentence for whoever gave it; what goes wrong with a database
file is `StorageProblem`. What sources do is never raised: it is told in outcomes, types and fields.

Sizes of texts are in characters, those of lists in elements. Moments are UNIX milliseconds, 0 or negative where the
specification says so; cooldowns are minutes. What it does is said to the loggers below `pubweave`; nothing is printed.
"""

import logging

from pubweave.api import sync
from pubweave.api.beginning import init_publication, init_webpage
from pubweave.api.checking import (
    check_publication_id,
    check_publication_ids,
    check_url,
    kind_of_id,
    links_of,
)
from pubweave.api.database import Database, Sizes, open_database
from pubweave.api.deciding import can_fetch, update_counters
from pubweave.api.fetching import Answer, Fetched, FetchedPage, Fetcher, open_fetcher
from pubweave.api.lists import read_ids, read_json, read_urls
from pubweave.api.rules import Rules, open_rules
from pubweave.api.running import run
from pubweave.api.showing import as_html, as_json, as_text, escape_html, escape_html_attribute
from pubweave.api.stored import (
    document_of,
    get_doc,
    get_publication,
    get_webpage,
    sections,
    structured_document,
)
from pubweave.api.writing import Output, open_output
from pubweave.contract.values import Cooldowns, Identifiers, Link, Thresholds
from pubweave.contract.vocabulary import PART_NAMES, TYPE_NAMES, EntryKind, PartName, TypeName
from pubweave.core.identifiers import (
    doi_registrant,
    is_doi,
    is_pmcid,
    is_pmid,
    normalise_doi,
    pmcid_digits,
)
from pubweave.core.record import Part, Record
from pubweave.core.webpage_record import WebpageRecord
from pubweave.ports import StorageProblem
from pubweave.problems import UserError
from pubweave.settings import SETTINGS, Setting
from pubweave.version import NAME, URL, VERSION

__all__ = [
    "NAME",
    "PART_NAMES",
    "SETTINGS",
    "TYPE_NAMES",
    "URL",
    "VERSION",
    "Answer",
    "Cooldowns",
    "Database",
    "EntryKind",
    "Fetched",
    "FetchedPage",
    "Fetcher",
    "Identifiers",
    "Link",
    "Output",
    "Part",
    "PartName",
    "Record",
    "Rules",
    "Setting",
    "Sizes",
    "StorageProblem",
    "Thresholds",
    "TypeName",
    "UserError",
    "WebpageRecord",
    "as_html",
    "as_json",
    "as_text",
    "can_fetch",
    "check_publication_id",
    "check_publication_ids",
    "check_url",
    "document_of",
    "doi_registrant",
    "escape_html",
    "escape_html_attribute",
    "get_doc",
    "get_publication",
    "get_webpage",
    "init_publication",
    "init_webpage",
    "is_doi",
    "is_pmcid",
    "is_pmid",
    "kind_of_id",
    "links_of",
    "normalise_doi",
    "open_database",
    "open_fetcher",
    "open_output",
    "open_rules",
    "pmcid_digits",
    "read_ids",
    "read_json",
    "read_urls",
    "run",
    "sections",
    "structured_document",
    "sync",
    "update_counters",
]

logging.getLogger("pubweave").addHandler(
    logging.NullHandler()
)  # or warnings would be printed where nobody listens
