"""From a PMCID to PubMed Central's page, and from the page to what it says."""

from functools import cache
from typing import Final

from pubweave.contract.exchange import Reply, Work
from pubweave.core.reading.rules import RuleFile, load_rules
from pubweave.core.toolkit.page_answers import Sought
from pubweave.core.toolkit.page_asking import page_of_pmcid
from pubweave.core.toolkit.service import Context, Said

SELECTORS: Final = """\
"^": pmc
---
pmc:
  pmid: "section.front-matter a[href*='pubmed.ncbi.nlm.nih.gov/'], .fm-citation-ids .fm-citation-pmid a"
  pmcid: "section.front-matter :matchesOwn(^PMCID), .fm-citation-ids .fm-citation-pmcid span:last-child"
  doi: "section.front-matter a[href*='doi.org/10.'], .fm-citation .doi a"
  title: "main article section.front-matter h1, h1.content-title"
  keywords_split: "section.kwd-group p, span.kwd-text"
  abstract: "section.abstract p, div.jig-ncbiinpagenav > div.sec[id*=abstract] p"
  fulltext: "section.main-article-body > p,
    section.main-article-body > section:not(.abstract):not(.ref-list):not(.kwd-group) p,
    section.main-article-body > section:not(.abstract):not(.ref-list):not(.kwd-group) h2,
    div.jig-ncbiinpagenav > div.sec:not([id*=abstract]):not([id*=ref-list]):not([id*=fn-group]):not(:has(> h2:matches((?i)^acknowledg))) p"
  pdf_a: "a[href^='pdf/'], .format-menu a[href*='/pdf/']"
  corresp_author_emails: "section.front-matter a[href^='mailto:'], .contrib-email a[href^='mailto:']"
---
[]
"""
"""Built in, no part of the files of rules (F-PMH-04). Those of the layout before 2024 are verified on a recorded page of
Europe PMC, which had PMC's markup in 2014, those of today's on five recorded pages of 2024 to 2026."""


@cache
def page() -> Sought:
    """What is read, wherever the address leads; without meta tags (F-META-01), and no visited site."""
    return Sought(
        "pmc_html", rules=load_rules([RuleFile("journals", "pmc_html", SELECTORS)]), meta=False, is_led=True
    )


def step(work: Work, reply: Reply | None, context: Context) -> list[Said]:
    """Ask for the page; read it."""
    return page_of_pmcid(work, reply, page(), lambda pmcid: f"{context.addresses.pmc}/articles/{pmcid}/")
