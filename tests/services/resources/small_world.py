"""A world of a few articles that answers every question of the API resources, honestly or badly.

Nothing of the product is used but the shape of requests and replies: this is the judge's own understanding of
the services outside.
"""

import json
import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

from pubweave.contract.exchange import Reply
from pubweave.contract.reply_wanted import ReplyWanted

FETCHED_AT = 1_700_000_000_000


@dataclass(frozen=True)
class Article:
    number: int
    has_pmcid: bool = True
    has_doi: bool = True
    in_europepmc: bool = True
    in_pubmed: bool = True
    in_pmc: bool = True
    preprint: bool = False
    """A preprint record has the same DOI."""
    stranger: bool = False
    """A record of another article claims the same DOI."""
    mined: str = "both"
    """Where terms are found: `PMC`, `MED`, `both` or nowhere."""
    efo: bool = True
    go: bool = True
    body: bool = True
    nameless: bool = False
    """Annotations name it by its PMID alone, though it was asked by PMCID."""

    @property
    def pmid(self) -> str:
        return str(31_000_000 + self.number)

    @property
    def pmcid(self) -> str:
        return f"PMC{7_000_000 + self.number}" if self.has_pmcid else ""

    @property
    def doi(self) -> str:
        return f"10.5555/Article({self.number})" if self.has_doi else ""


@dataclass
class World:
    """`faults` decide what is done to the ids of a question, to its reply, or instead of a reply."""

    articles: Sequence[Article]
    faults: "Faults" = field(default_factory=lambda: Faults())

    def reply_to(self, wanted: ReplyWanted) -> Reply:
        ids = _asked(wanted)
        bad = self.faults.instead(wanted, ids)
        if bad is not None:
            return bad
        ids = self.faults.kept(wanted, ids)
        return self.faults.spoiled(wanted, ids, _answer(wanted, self.articles, ids))


class Faults:
    """None: what an honest source does."""

    def instead(self, wanted: ReplyWanted, ids: list[str]) -> Reply | None:
        return None

    def kept(self, wanted: ReplyWanted, ids: list[str]) -> list[str]:
        return ids

    def spoiled(self, wanted: ReplyWanted, ids: list[str], body: bytes) -> Reply:
        return whole(wanted, body)


def chance(seed: int, *what: str) -> float:
    """A number from 0 to 1 that depends on the words alone."""
    return zlib.crc32("|".join((str(seed), *what)).encode()) / 2**32


@dataclass
class BadForMany(Faults):
    """Everything that goes wrong with questions for many, and goes well with single ones.

    Questions for many lose ids (in Europe PMC's quoted form), are refused, garbled or cut; single questions fail
    once and then heal.
    """

    seed: int = 0
    lose: float = 0.0
    refuse: float = 0.0
    cut: float = 0.0
    fail_once: float = 0.0
    failed: set[str] = field(default_factory=set)

    def instead(self, wanted: ReplyWanted, ids: list[str]) -> Reply | None:
        name = wanted.request.url + repr(wanted.request.form)
        if len(ids) > 1 and chance(self.seed, "refuse", *ids) < self.refuse:
            outcomes = (
                "unavailable",
                "timeout",
                "malformed",
                "too-large",
                "http-error",
                "absent",
                "blocked",
                "empty",
            )
            outcome = outcomes[int(chance(self.seed, "which", *ids) * len(outcomes))]
            return Reply(outcome=outcome, url=wanted.request.url, status=500, fetched_at=FETCHED_AT)  # type: ignore[arg-type]
        if chance(self.seed, "fail", *ids) < self.fail_once and name not in self.failed:
            self.failed.add(name)
            outcomes = ("reset", "rate-limited", "malformed")
            outcome = outcomes[int(chance(self.seed, "kind", *ids) * len(outcomes))]
            return Reply(outcome=outcome, url=wanted.request.url, fetched_at=FETCHED_AT)  # type: ignore[arg-type]
        return None

    def kept(self, wanted: ReplyWanted, ids: list[str]) -> list[str]:
        # The annotations API leaves out nothing that it has; its silence is a whole answer.
        if len(ids) < 2 or "annotations" in wanted.request.url:
            return ids
        return [one for one in ids if chance(self.seed, "lose", one, *ids) >= self.lose]

    def spoiled(self, wanted: ReplyWanted, ids: list[str], body: bytes) -> Reply:
        if len(ids) > 1 and chance(self.seed, "cut", *ids) < self.cut:
            length = int(chance(self.seed, "length", *ids) * len(body))
            return whole(wanted, body[:length], truncated=True)
        return whole(wanted, body)


@dataclass
class Hostile(Faults):
    """Whatever comes into its head; `draw` gives numbers below its argument."""

    draw: Callable[[int], int]

    def instead(self, wanted: ReplyWanted, ids: list[str]) -> Reply | None:
        from pubweave.contract.vocabulary import AttemptOutcome

        outcomes = list(AttemptOutcome.__args__)  # type: ignore[attr-defined]
        if self.draw(3) == 0:
            return None
        outcome = outcomes[self.draw(len(outcomes))]
        bodies = (b"", b"<List/>", b"[]", b"{}", b"<responseWrapper><resultList/></responseWrapper>", b"<PubmedArticleSet/>",
                  b"<pmc-articleset/>", b"\xff\xfe", b"<html>", b'{"resultList":{"result":[]},"hitCount":0}', b"<article/>")  # fmt: skip
        return Reply(
            outcome=outcome,
            url=wanted.request.url,
            fetched_at=FETCHED_AT,
            body=bodies[self.draw(len(bodies))],
            truncated=self.draw(2) == 0,
            retry_after_ms=self.draw(2) * 90_000,
        )

    def kept(self, wanted: ReplyWanted, ids: list[str]) -> list[str]:
        return [one for one in ids if self.draw(3)]

    def spoiled(self, wanted: ReplyWanted, ids: list[str], body: bytes) -> Reply:
        return whole(wanted, body[: self.draw(len(body) + 1)] if self.draw(2) else body)


def whole(wanted: ReplyWanted, body: bytes, truncated: bool = False) -> Reply:
    return Reply(
        outcome="found",
        url=wanted.request.url,
        final_url=wanted.request.url,
        status=200,
        body=body,
        truncated=truncated,
        fetched_at=FETCHED_AT,
    )


# --- what is asked

_TERM = re.compile(r'(ext_id|pmcid|doi):(?:"((?:[^"\\]|\\.)*)"|([^\s"]+))')


def _parameters(wanted: ReplyWanted) -> dict[str, str]:
    query = urlsplit(wanted.request.url).query
    found = {name: values[0] for name, values in parse_qs(query, keep_blank_values=True).items()}
    return found | dict(wanted.request.form)


def _asked(wanted: ReplyWanted) -> list[str]:
    """The ids in a question, each with its kind."""
    url, given = wanted.request.url, _parameters(wanted)
    if "query" in given:
        found = [(kind, quoted or bare) for kind, quoted, bare in _TERM.findall(given["query"])]
        # A bare term in brackets takes the bracket along, unless brackets are balanced in it.
        return [
            f"{kind}:{value[:-1] if value.endswith(')') and value.count('(') < value.count(')') else value}"
            for kind, value in found
        ]
    if "articleIds" in given:
        return given["articleIds"].split(",")
    if "id" in given:
        return [f"{given['db']}:{one}" for one in given["id"].split(",")]
    return [unquote(urlsplit(url).path)]


# --- what is answered


def _answer(wanted: ReplyWanted, articles: Sequence[Article], ids: list[str]) -> bytes:
    url, given = wanted.request.url, _parameters(wanted)
    if "query" in given:
        return _search(given["format"], articles, ids)
    if "articleIds" in given:
        return _annotations(given["format"], given.get("type", ""), articles, ids)
    if given.get("db") == "pubmed":
        found = [one for one in articles if one.in_pubmed and f"pubmed:{one.pmid}" in ids]
        return ("<PubmedArticleSet>" + "".join(map(_pubmed, found)) + "</PubmedArticleSet>").encode()
    if given.get("db") == "pmc":
        found = [one for one in articles if one.in_pmc and one.pmcid and f"pmc:{one.pmcid[3:]}" in ids]
        return ("<pmc-articleset>" + "".join(map(_jats, found)) + "</pmc-articleset>").encode()
    if url.endswith("/fullTextXML"):
        return "".join(_jats(one) for one in articles if one.pmcid and one.pmcid in url).encode()
    if "term" in given:
        return b'<html><body id="article-details"><h1 class="heading-title">A page</h1></body></html>'
    assert "textMinedTerms" in url, url
    return b"<responseWrapper><semanticTypeList/></responseWrapper>"


def _records(articles: Sequence[Article]) -> list[dict[str, str]]:
    records = []
    for one in articles:
        record = {
            "id": one.pmid,
            "source": "MED",
            "pmid": one.pmid,
            "title": f"Article {one.number} <i>in vivo</i>.",
        }
        if one.pmcid:
            record["pmcid"] = one.pmcid
        if one.doi:
            record["doi"] = one.doi.lower() if one.number % 2 else one.doi
        if one.stranger and one.doi:
            other = str(39_000_000 + one.number)
            records.append(
                {"id": other, "source": "MED", "pmid": other, "title": "A stranger.", "doi": one.doi}
            )
        if one.preprint and one.doi:
            records.append({"id": f"PPR{one.number}", "source": "PPR", "title": "A preprint", "doi": one.doi})
        if one.in_europepmc:
            records.append(record)
    return records


def _search(format_: str, articles: Sequence[Article], ids: list[str]) -> bytes:
    wanted = {one.lower() for one in ids}

    def hit(record: dict[str, str]) -> bool:
        names = {f"pmcid:{record.get('pmcid', '-')}", f"doi:{record.get('doi', '-')}"}
        if record["source"] == "MED":
            names.add(f"ext_id:{record['id']}")
        return any(name.lower() in wanted for name in names)

    found = [record for record in _records(articles) if hit(record)]
    if format_ == "json":
        return json.dumps(
            {"version": "6.9", "hitCount": len(found), "resultList": {"result": found}}
        ).encode()
    results = "".join(
        "<result>"
        + "".join(f"<{name}>{escape(value)}</{name}>" for name, value in record.items())
        + "</result>"
        for record in found
    )
    return (
        f"<responseWrapper><version>6.9</version><hitCount>{len(found)}</hitCount>"
        f"<resultList>{results}</resultList></responseWrapper>"
    ).encode()


def _annotations(format_: str, type_: str, articles: Sequence[Article], ids: list[str]) -> bytes:
    items = []
    for one in articles:
        asked = (
            "PMC" if one.pmcid and f"PMC:{one.pmcid}" in ids else "MED" if f"MED:{one.pmid}" in ids else ""
        )
        if not asked or one.mined not in (asked, "both"):
            continue
        terms = [("Organisms", "yeast", "http://identifiers.org/taxonomy/1")]
        if one.efo:
            terms += [("Experimental Methods", "PCR", "http://www.ebi.ac.uk/efo/EFO_1")] * (
                1 + one.number % 3
            )
        if one.go:
            terms += [("Gene Ontology", "growth", "http://purl.obolibrary.org/obo/GO_0040007")]
        terms = [term for term in terms if not type_ or term[0] in type_.split(",")]
        if terms:
            items.append((one, terms))
    if format_ == "JSON":
        return json.dumps(
            [
                {
                    "source": "MED",
                    "extId": one.pmid,
                    **({"pmcid": one.pmcid} if one.pmcid and not one.nameless else {}),
                    "annotations": [
                        {"type": kind, "exact": exact, "tags": [{"name": exact, "uri": uri}]}
                        for kind, exact, uri in terms
                    ],
                }
                for one, terms in items
            ]
        ).encode()
    shown = "".join(
        f"<item><source>MED</source><extId>{one.pmid}</extId><annotations>"
        + "".join(
            f"<annotation><exact>{exact}</exact><tags><tag><name>x</name><uri>{uri}</uri></tag></tags>"
            f"<type>{kind}</type></annotation>"
            for kind, exact, uri in terms
        )
        + "</annotations></item>"
        for one, terms in items
    )
    return f"<List>{shown}</List>".encode()


def _pubmed(one: Article) -> str:
    ids = f'<ArticleId IdType="pubmed">{one.pmid}</ArticleId>'
    ids += f'<ArticleId IdType="pmc">{one.pmcid}</ArticleId>' if one.pmcid else ""
    return (
        f"<PubmedArticle><MedlineCitation><PMID>{one.pmid}</PMID><Article><ArticleTitle>Number {one.number}."
        f"</ArticleTitle></Article></MedlineCitation><PubmedData><ArticleIdList>{ids}</ArticleIdList></PubmedData>"
        "</PubmedArticle>"
    )


def _jats(one: Article) -> str:
    form = one.number % 3
    number = one.pmcid if form == 0 else one.pmcid[3:]
    kind = "pmc" if form == 2 else "pmcid"
    body = f"<body><p>Text of {one.number}.</p></body>" if one.body else ""
    return (
        f'<article><front><article-meta><article-id pub-id-type="{kind}">{number}</article-id><title-group>'
        f"<article-title>Number {one.number}</article-title></title-group></article-meta></front>{body}</article>"
    )
