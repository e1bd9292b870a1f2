"""From a PMCID to Europe PMC's page, and from the page to what it says."""

from functools import cache
from typing import Final

from pubweave.contract.exchange import Reply, Work
from pubweave.core.reading.rules import RuleFile, load_rules
from pubweave.core.toolkit.page_answers import Sought
from pubweave.core.toolkit.page_asking import page_of_pmcid
from pubweave.core.toolkit.service import Context, Said

SELECTORS: Final = """\
"^": europepmc
---
europepmc:
  pmid: "#article--current--id, [data-pmid], .pmid"
  pmcid: ".pmcid"
  doi: "#article--current--doi, a[href*='doi.org/10.']"
  title: "h1#article--current--title, h1.content-title, h1.article-title, .fm-title"
  keywords: ".kwd-text > a, .keyword"
  keywords_split: "span.kwd-text:not(:has(a))"
  abstract: "#article--abstract--content p, div#eng-abstract p, div.abstract p, div.jig-ncbiinpagenav > div.sec[id*=abstract] p"
  fulltext: "#free-full-text section p, #free-full-text section h3, div.fulltext div.sec p,
    div.jig-ncbiinpagenav > div.sec:not([id*=abstract]):not([id*=ref-list]):not([id*=fn-group]):not(:has(> h2:matches((?i)^acknowledg))) p"
  pdf_a: "a[href*='pdf=render']"
---
[]
"""
"""Built in, no part of the files of rules (F-PMH-04). Those of the layout of 2014, PMC's own inside Europe PMC's page, are
verified on a recorded page; those of today's pages are not: none is at hand."""


@cache
def page() -> Sought:
    """What is read, wherever the address leads; without meta tags (F-META-01), and no visited site."""
    rules = load_rules([RuleFile("journals", "europepmc_html", SELECTORS)])
    return Sought("europepmc_html", rules=rules, meta=False, is_led=True)


def step(work: Work, reply: Reply | None, context: Context) -> list[Said]:
    """Ask for the page; read it."""
    return page_of_pmcid(
        work, reply, page(), lambda pmcid: f"{context.addresses.europepmc_pages}/articles/{pmcid}"
    )
