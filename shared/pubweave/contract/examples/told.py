from collections.abc import Mapping
from typing import Final

import msgspec

from pubweave.contract.dead_letter import DeadLetter
from pubweave.contract.delayed import Delayed
from pubweave.contract.erasure_requested import ErasureRequested
from pubweave.contract.exchange import Carried, Reply, Request, Work
from pubweave.contract.fetch_requested import FetchRequested
from pubweave.contract.field_candidate import FieldCandidate
from pubweave.contract.gate_flag import GateFlag
from pubweave.contract.identifier_asked import IdentifierAsked
from pubweave.contract.identifiers_conflicted import IdentifiersConflicted
from pubweave.contract.job_closed import JobClosed
from pubweave.contract.kinds import Event
from pubweave.contract.line_standing import LineStanding
from pubweave.contract.link_found import LinkFound
from pubweave.contract.needs_part import NeedsPart
from pubweave.contract.new_id import NewId
from pubweave.contract.part_candidate import PartCandidate
from pubweave.contract.publication_erased import PublicationErased
from pubweave.contract.publication_put import PublicationPut
from pubweave.contract.publication_removed import PublicationRemoved
from pubweave.contract.publication_updated import PublicationUpdated
from pubweave.contract.publications_joined import PublicationsJoined
from pubweave.contract.put_requested import PutRequested
from pubweave.contract.removal_requested import RemovalRequested
from pubweave.contract.reply_received import ReplyReceived
from pubweave.contract.reply_wanted import ReplyWanted
from pubweave.contract.resource_done import ResourceDone
from pubweave.contract.restarted import Restarted
from pubweave.contract.run_accepted import RunAccepted
from pubweave.contract.submission_settled import SubmissionSettled
from pubweave.contract.submissions_entered import SubmissionsEntered
from pubweave.contract.values import (
    BlobRef,
    Cooldowns,
    CorrespAuthor,
    Identifiers,
    Link,
    MeshTerm,
    MinedTerm,
    Notice,
    Place,
    Relation,
    RunSettings,
    Thresholds,
    VisitedSite,
)
from pubweave.contract.webpage_accepted import WebpageAccepted
from pubweave.contract.webpage_put import WebpagePut
from pubweave.contract.webpage_read import WebpageRead
from pubweave.contract.webpage_removed import WebpageRemoved

JOB: Final = "2026-11-21T14-00-00.000-7f3a"
PUBLICATION: Final = f"{JOB}.000000003"
OTHER: Final = f"{JOB}.000000009"
CORRELATION: Final = "reading-list-17"

PLACE: Final = Place(epoch=1, run=1, generation=1, pass_=1, resource=1, link=0)
NEED: Final = f"{PUBLICATION}/1.1.1.1.1.0"
ANSWER: Final = "5f0c7be1a9d24c3e8b1f6a7d0e2c4b68"
NOW: Final = 1_795_269_600_000
LATER: Final = NOW + 1_250

SUBMITTED: Final = Identifiers(pmid="10000001")
ALL: Final = Identifiers(pmid="10000001", pmcid="PMC1000001", doi="10.5555/pubweave.1")
TYPED: Final = Identifiers(pmid="Pubweave 0.1.0")

SEARCH: Final = (
    "https://www.ebi.ac.uk/europepmc/webservices/rest/search?query=ext_id:10000001%20src:med&resulttype=core"
)
ARTICLE: Final = "https://doi.org/10.5555/pubweave.1"
PAGE: Final = "https://lab.example/tool"
PAGE_KEY: Final = f"webpage {PAGE}"

_NEED = NeedsPart(
    publication=PUBLICATION,
    need=NEED,
    place=PLACE,
    resource="europepmc",
    identifiers=SUBMITTED,
    ask="pmid",
    missing=("pmcid", "doi", "title", "theAbstract", "fulltext"),
    settings=RunSettings(parts=("pmid", "pmcid", "doi", "title", "theAbstract", "fulltext")),
    external=("pmid",),
    correlation_id=CORRELATION,
)
_REQUEST = Request(url=SEARCH, expect="xml", family="europepmc")
_WORK = Work(resource="europepmc", needs=(_NEED,), step="search", memory=msgspec.Raw(b'{"form":"pmid"}'))
_WANTED = ReplyWanted(ask="9b1d5c0e7a3f4821b6c4d2e8f0a19375", unit="europepmc", request=_REQUEST, work=_WORK)
_RECORD = (
    b'{"publication":"2026-11-21T14-00-00.000-7f3a.000000003","fetch_time":1795269600000,'
    b'"pmid":{"type":"europepmc","url":"' + SEARCH.encode() + b'","timestamp":1795269601250,"size":8,'
    b'"text":"10000001"}}'
)

EXAMPLES: Final[Mapping[str, Mapping[str, Event]]] = {
    "fetch-requested": {
        "smallest": FetchRequested(job=JOB, line=3, identifiers=SUBMITTED),
        "with-everything": FetchRequested(
            job=JOB,
            line=3,
            identifiers=ALL,
            provenance=TYPED,
            settings=RunSettings(parts=("title", "fulltext"), thresholds=Thresholds(abstractMinLength=100)),
            cooldowns=Cooldowns(retryLimit=5),
            links=(Link(url="https://publisher.example/1", type="link", from_="https://lab.example/list"),),
            correlation_id=CORRELATION,
            idempotency_key="reading-list-17/3",
            deadline_at=NOW + 3_600_000,
            lane="bulk",
            submitted_at=NOW,
            second_chance=True,
            fresh=True,
        ),
        "web-page": FetchRequested(job=JOB, line=4, url="https://lab.example/tool", entry="webpage"),
    },
    "submissions-entered": {
        "web-page": SubmissionsEntered(
            publication=PAGE_KEY,
            lines=(FetchRequested(job=JOB, line=4, url=PAGE, entry="webpage"),),
            entered_at=NOW,
        ),
        "new-line": SubmissionsEntered(
            publication=PUBLICATION,
            lines=(FetchRequested(job=JOB, line=3, identifiers=SUBMITTED),),
            entered_at=NOW,
        ),
        "another-publication-joined": SubmissionsEntered(
            publication=PUBLICATION,
            origin=OTHER,
            lines=(FetchRequested(job=JOB, line=9, identifiers=Identifiers(doi="10.5555/pubweave.1")),),
            runs=(
                RunAccepted(
                    publication=OTHER,
                    submission=OTHER,
                    epoch=1,
                    run=1,
                    first_pass=1,
                    accepted_at=NOW,
                    settings=RunSettings(),
                    identifiers=Identifiers(doi="10.5555/pubweave.1"),
                ),
            ),
            entered_at=LATER,
        ),
    },
    "run-accepted": {
        "first-run": RunAccepted(
            publication=PUBLICATION,
            submission=PUBLICATION,
            epoch=1,
            run=1,
            first_pass=1,
            accepted_at=NOW,
            settings=RunSettings(),
            identifiers=SUBMITTED,
            provenance=TYPED,
            correlation_id=CORRELATION,
        ),
        "another-publication-joins": RunAccepted(
            publication=PUBLICATION,
            submission=OTHER,
            epoch=1,
            run=1,
            first_pass=2,
            accepted_at=LATER,
            settings=RunSettings(),
            identifiers=Identifiers(doi="10.5555/pubweave.1"),
            joins=True,
        ),
    },
    "needs-part": {
        "europepmc-by-pmid": _NEED,
        "follow-a-link": NeedsPart(
            publication=PUBLICATION,
            need=f"{PUBLICATION}/1.1.1.2.90.1",
            place=Place(epoch=1, run=1, generation=1, pass_=2, resource=90, link=1),
            resource="pdf",
            identifiers=ALL,
            missing=("fulltext",),
            link=Link(url="https://publisher.example/1.pdf", type="pdf_citation", from_=ARTICLE),
            visited_hosts=("publisher.example",),
            lane="bulk",
            deadline_at=NOW + 3_600_000,
        ),
    },
    "reply-wanted": {
        "search": _WANTED,
        "again-in-a-minute": ReplyWanted(
            ask="0c3e9d7b5a1f4826c8e0b2d4f6a81357",
            unit="eutils",
            request=Request(
                url="https://eutils.ncbi.nlm.nih.gov/entrez/eutils/efetch.fcgi",
                method="POST",
                form=(("db", "pubmed"), ("id", "10000001,10000002"), ("retmode", "xml")),
                expect="xml",
                family="eutils",
                max_bytes=50_000_000,
            ),
            work=Work(resource="pubmed_xml", needs=(_NEED,), tries=1),
            delay_ms=60_000,
            lane="bulk",
        ),
        "render-a-page": ReplyWanted(
            ask="1d4fae8c6b204937d9f1c3e5a7b92468",
            unit="publisher.example",
            request=Request(url="https://publisher.example/1", expect="html", robots=True, javascript=True),
            work=Work(resource="doi", needs=(_NEED,)),
            door="renderer",
        ),
        "bring-a-page-to-render": ReplyWanted(
            ask="1d4fae8c6b204937d9f1c3e5a7b92468",
            unit="publisher.example",
            request=Request(url="https://publisher.example/1", expect="html", robots=True, javascript=True),
            work=Work(resource="doi", needs=(_NEED,)),
            door="renderer",
            bring=True,
        ),
        "load-a-script": ReplyWanted(
            ask="1d4fae8c6b204937d9f1c3e5a7b92468 0 7c9e0f1a2b3c4d5e6f708192a3b4c5d6",
            unit="publisher.example",
            request=Request(url="https://publisher.example/app.js", robots=True, javascript=True),
            work=Work(resource="doi", needs=(), asker="5e0b2d1c77d04d9f"),
            until=NOW + 61_000,
        ),
        "read-what-was-fetched": ReplyWanted(
            ask="2d4fae8c6b204937d9f1c3e5a7b92468",
            unit="publisher.example",
            request=Request(url="https://publisher.example/1.pdf", expect="pdf", robots=True),
            work=Work(resource="pdf", needs=(_NEED,)),
            door="pdf_reader",
            fetched=Reply(
                outcome="found",
                url="https://publisher.example/1.pdf",
                status=200,
                blob=BlobRef(digest="4a1c5e7f9b2d4c6e8a0b1d3f5c7e9a2b", bytes=812_345),
                fetched_at=LATER,
            ),
        ),
        "led-to-another-host": ReplyWanted(
            ask="3d4fae8c6b204937d9f1c3e5a7b92468",
            unit="publisher.example",
            request=Request(url="https://doi.org/10.5555/pubweave.1", expect="html", robots=True),
            work=Work(resource="doi", needs=(_NEED,)),
            carried=Carried(
                url="https://publisher.example/1",
                cookies=(("https://doi.org/10.5555/pubweave.1", "seen=1; Path=/"),),
                seen=("5e0b2d1c77d04d9f8a5b0c1e2f3a4b5c",),
                remaining_ms=29_000,
                started_at=NOW,
            ),
        ),
    },
    "reply-received": {
        "found": ReplyReceived(
            ask=_WANTED.ask,
            reply=Reply(
                outcome="found",
                url=SEARCH,
                final_url=SEARCH,
                status=200,
                content_type="application/xml",
                headers=(("content-language", "en"),),
                body=b"<responseWrapper><hitCount>1</hitCount></responseWrapper>",
                fetched_at=LATER,
            ),
            work=_WORK,
        ),
        "script-loaded": ReplyReceived(
            ask="1d4fae8c6b204937d9f1c3e5a7b92468 0 7c9e0f1a2b3c4d5e6f708192a3b4c5d6",
            reply=Reply(
                outcome="found",
                url="https://publisher.example/app.js",
                final_url="https://publisher.example/app.js",
                status=200,
                content_type="text/javascript",
                body=b"document.title = 'Title'",
                fetched_at=LATER,
            ),
            work=Work(resource="doi", needs=(), asker="5e0b2d1c77d04d9f"),
        ),
        "reset-once-and-again": ReplyReceived(
            ask=_WANTED.ask,
            reply=Reply(
                outcome="reset",
                url=SEARCH,
                attempts=2,
                fetch_exception=True,
                fetched_at=LATER,
                evidence="connection closed after 0 bytes",
            ),
            work=_WORK,
        ),
        "body-by-reference": ReplyReceived(
            ask=_WANTED.ask,
            reply=Reply(
                outcome="found",
                url=SEARCH,
                status=200,
                blob=BlobRef(digest="3a1c5e7f9b2d4c6e8a0b1d3f5c7e9a2b", bytes=812_345),
                truncated=True,
                fetched_at=LATER,
            ),
            work=_WORK,
        ),
    },
    "part-candidate": {
        "title": PartCandidate(
            publication=PUBLICATION,
            need=NEED,
            answer=ANSWER,
            place=PLACE._replace(position=2),
            fetched_at=LATER,
            part="title",
            type="europepmc",
            url=SEARCH,
            size=34,
            text="On the weaving of records, revisited",
        ),
        "keywords": PartCandidate(
            publication=PUBLICATION,
            need=NEED,
            answer=ANSWER,
            place=PLACE._replace(position=3),
            fetched_at=LATER,
            part="keywords",
            type="europepmc",
            url=SEARCH,
            size=2,
            words=("provenance", "metadata"),
        ),
        "mesh": PartCandidate(
            publication=PUBLICATION,
            need=NEED,
            answer=ANSWER,
            place=PLACE._replace(position=4),
            fetched_at=LATER,
            part="mesh",
            type="europepmc",
            url=SEARCH,
            size=1,
            mesh=(MeshTerm(term="Periodicals as Topic", majorTopic=True, uniqueId="D010506"),),
        ),
        "efo": PartCandidate(
            publication=PUBLICATION,
            need=NEED,
            answer=ANSWER,
            place=PLACE._replace(resource=3, position=0),
            fetched_at=LATER,
            part="efo",
            type="europepmc",
            url="https://www.ebi.ac.uk/europepmc/annotations_api",
            size=1,
            terms=(MinedTerm(term="leaf", count=3, uri="http://www.ebi.ac.uk/efo/EFO_0001997"),),
        ),
        "long-fulltext-by-reference": PartCandidate(
            publication=PUBLICATION,
            need=f"{PUBLICATION}/1.1.1.1.2.0",
            answer=ANSWER,
            place=PLACE._replace(resource=2, position=7),
            fetched_at=LATER,
            part="fulltext",
            type="europepmc_xml",
            url="https://www.ebi.ac.uk/europepmc/webservices/rest/PMC1000001/fullTextXML",
            size=98_765,
            blob=BlobRef(digest="c0ffee00c0ffee00c0ffee00c0ffee00", bytes=99_123),
            source=BlobRef(digest="facade00facade00facade00facade00", bytes=301_245),
        ),
        "abstract-only-article": PartCandidate(
            publication=PUBLICATION,
            need=f"{PUBLICATION}/1.1.1.1.5.0",
            answer=ANSWER,
            place=PLACE._replace(resource=5, position=1),
            fetched_at=LATER,
            part="fulltext",
            type="pmc_xml",
            url=ARTICLE,
            size=9,
            text="Too short",
            marks=("never-final",),
            rule="example.yaml@1",
        ),
    },
    "field-candidate": {
        "citations": FieldCandidate(
            publication=PUBLICATION,
            need=NEED,
            answer=ANSWER,
            place=PLACE._replace(position=9),
            fetched_at=LATER,
            field="citationsCount",
            url=SEARCH,
            number=42,
        ),
        "corresponding-authors": FieldCandidate(
            publication=PUBLICATION,
            need=NEED,
            answer=ANSWER,
            place=PLACE._replace(position=10),
            fetched_at=LATER,
            field="correspAuthor",
            url=SEARCH,
            authors=(CorrespAuthor(name="Ada Weaver", orcid="https://orcid.org/0000-0002-1825-0097"),),
            marks=("if-empty",),
        ),
        "visited-site": FieldCandidate(
            publication=PUBLICATION,
            need=NEED,
            answer=ANSWER,
            place=PLACE._replace(position=11),
            fetched_at=LATER,
            field="visitedSite",
            url=ARTICLE,
            site=VisitedSite(url="https://publisher.example/1", type="doi", from_=ARTICLE, timestamp=LATER),
        ),
        "preprint-of": FieldCandidate(
            publication=PUBLICATION,
            need=NEED,
            answer=ANSWER,
            place=PLACE._replace(position=12),
            fetched_at=LATER,
            field="relation",
            url=SEARCH,
            relation=Relation(kind="preprint-of", source="MED", id="10000001"),
        ),
        "retracted": FieldCandidate(
            publication=PUBLICATION,
            need=NEED,
            answer=ANSWER,
            place=PLACE._replace(position=13),
            fetched_at=LATER,
            field="notice",
            url=SEARCH,
            notice=Notice(kind="retracted", source="MED", id="10000002", reference="J Weav. 2026;1:2"),
        ),
    },
    "gate-flag": {
        "open-access": GateFlag(
            publication=PUBLICATION,
            need=NEED,
            answer=ANSWER,
            place=PLACE._replace(position=14),
            fetched_at=LATER,
            gate="isOpenAccess",
            open=True,
        ),
    },
    "link-found": {
        "pdf": LinkFound(
            publication=PUBLICATION,
            need=NEED,
            answer=ANSWER,
            place=PLACE._replace(position=15),
            fetched_at=LATER,
            link=Link(url="https://publisher.example/1.pdf", type="pdf_europepmc", from_=SEARCH),
        ),
    },
    "resource-done": {
        "found": ResourceDone(
            publication=PUBLICATION,
            need=NEED,
            answer=ANSWER,
            place=PLACE._replace(position=16),
            fetched_at=LATER,
            resource="europepmc",
            outcome="found",
            found=16,
            success=True,
        ),
        "absent": ResourceDone(
            publication=PUBLICATION,
            need=NEED,
            answer=ANSWER,
            place=PLACE,
            fetched_at=LATER,
            resource="europepmc",
            outcome="absent",
            evidence="hitCount 0, asked alone",
        ),
        "rate-limited": ResourceDone(
            publication=PUBLICATION,
            need=NEED,
            answer=ANSWER,
            place=PLACE,
            fetched_at=LATER,
            resource="europepmc",
            outcome="rate-limited",
            fetch_exception=True,
            evidence="429 three times",
            tried=(SEARCH,),
        ),
    },
    "new-id": {
        "claimed": NewId(
            publication=PUBLICATION,
            id_kind="doi",
            value="10.5555/pubweave.1",
            said="claimed",
            final=Identifiers(pmid="10000001"),
            round=1,
        ),
        "held-by-another": NewId(
            publication=OTHER,
            id_kind="doi",
            value="10.5555/pubweave.1",
            said="held",
            holder=PUBLICATION,
            round=1,
        ),
    },
    "identifier-asked": {
        "a-later-one-claims": IdentifierAsked(
            publication=PUBLICATION,
            claim=NewId(
                publication=OTHER,
                id_kind="doi",
                value="10.5555/pubweave.1",
                said="claimed",
                final=Identifiers(pmid="10000001"),
            ),
        ),
    },
    "restarted": {
        "pmid-replaced": Restarted(
            publication=PUBLICATION,
            place=Place(epoch=1, run=1, generation=2, pass_=2, resource=0, link=0),
            before=SUBMITTED,
            after=Identifiers(pmid="10000011"),
        ),
    },
    "put-requested": {
        "a-record-from-elsewhere": PutRequested(
            publication=PUBLICATION,
            request="7f3c",
            record=msgspec.Raw(
                b'{"publication":"' + PUBLICATION.encode() + b'","fetch_time":1700000000000,'
                b'"pmid":{"type":"europepmc","url":"https://example.org/1","timestamp":1700000000000,'
                b'"size":8,"text":"12345678"}}'
            ),
            requested_at=LATER,
        ),
    },
    "publication-put": {
        "a-record-from-elsewhere": PublicationPut(
            publication=PUBLICATION,
            epoch=2,
            record=msgspec.Raw(
                b'{"publication":"' + PUBLICATION.encode() + b'","fetch_time":1700000000000,'
                b'"pmid":{"type":"europepmc","url":"https://example.org/1","timestamp":1700000000000,'
                b'"size":8,"text":"12345678"}}'
            ),
            put_at=1_700_000_000_000,
        ),
    },
    "removal-requested": {
        "by-hand": RemovalRequested(publication=PUBLICATION, request="7f3a", requested_at=LATER),
    },
    "erasure-requested": {
        "with-a-long-text": ErasureRequested(
            publication=PUBLICATION, request="7f3b", contents=("5f0c7be1a9d24c3e8b1f6a7d0e2c4b68",)
        ),
        "of-one-that-had-joined": ErasureRequested(
            publication=OTHER, request="7f3b", survivor=PUBLICATION, look=2
        ),
    },
    "publication-erased": {
        "nothing-but-its-key": PublicationErased(publication=PUBLICATION),
    },
    "publications-joined": {
        "the-later-one-ends": PublicationsJoined(publication=OTHER, survivor=PUBLICATION, submission=OTHER),
    },
    "identifiers-conflicted": {
        "two-pmids-claim-one-doi": IdentifiersConflicted(
            id_kind="doi",
            value="10.5555/pubweave.1",
            holder=PUBLICATION,
            claimant=OTHER,
            holder_final=Identifiers(pmid="10000001"),
            claimant_final=Identifiers(pmid="10000009"),
        ),
    },
    "publication-updated": {
        "first-version": PublicationUpdated(
            publication=PUBLICATION,
            version=1,
            reason="first record: pmid from europepmc",
            record=msgspec.Raw(_RECORD),
            updated_at=LATER,
            correlation_ids=(CORRELATION,),
        ),
    },
    "publication-removed": {
        "removed": PublicationRemoved(
            publication=PUBLICATION, version=2, identifiers=ALL, reason="removed by hand", removed_at=LATER
        ),
    },
    "submission-settled": {
        "finished": SubmissionSettled(
            job=JOB,
            line=3,
            identifiers=SUBMITTED,
            outcome="finished",
            publication=PUBLICATION,
            version=1,
            correlation_id=CORRELATION,
            idempotency_key="reading-list-17/3",
            settled_at=LATER,
        ),
        "corrected": SubmissionSettled(
            job=JOB,
            line=3,
            identifiers=SUBMITTED,
            outcome="corrected",
            publication=PUBLICATION,
            version=1,
            replacement=Identifiers(pmid="10000011"),
            reason="replaced: pmid is 10000011",
            settled_at=LATER,
        ),
        "parked": SubmissionSettled(
            job=JOB,
            line=3,
            identifiers=SUBMITTED,
            outcome="parked",
            reason="the deadline passed while Europe PMC was not available",
            settled_at=LATER,
        ),
    },
    "line-standing": {
        "settled": LineStanding(job=JOB, line=3, publication=PUBLICATION, said="settled"),
        "withheld": LineStanding(
            job=JOB,
            line=3,
            publication=PUBLICATION,
            said="withheld",
            requested=FetchRequested(job=JOB, line=3, identifiers=SUBMITTED),
        ),
    },
    "job-closed": {"read-to-its-end": JobClosed(job=JOB, lines=100)},
    "webpage-accepted": {
        "first-run": WebpageAccepted(
            publication=PAGE_KEY, entry="webpage", url=PAGE, epoch=1, run=1, accepted_at=NOW
        ),
        "again-without-a-reset": WebpageAccepted(
            publication=PAGE_KEY,
            entry="webpage",
            url=PAGE,
            epoch=1,
            run=2,
            accepted_at=LATER,
            settings=RunSettings(thresholds=Thresholds(webpageMinLength=100)),
            resets=False,
            correlation_id=CORRELATION,
        ),
    },
    "webpage-read": {
        "page": WebpageRead(
            publication=PAGE_KEY,
            entry="webpage",
            url=PAGE,
            need=f"{PAGE_KEY}/1.1",
            epoch=1,
            run=1,
            fetched_at=LATER,
            outcome="found",
            final_url=f"{PAGE}/",
            content_type="text/html; charset=utf-8",
            status_code=200,
            title="Tool",
            content="Aligns sequences.",
            license="MIT",
            language="Rust",
            rules_version="0123456789abcdef",
            javascript=True,
        ),
        "long-document": WebpageRead(
            publication=f"doc {PAGE}/manual.pdf",
            entry="doc",
            url=f"{PAGE}/manual.pdf",
            need=f"doc {PAGE}/manual.pdf/1.1",
            epoch=1,
            run=1,
            fetched_at=LATER,
            outcome="found",
            final_url=f"{PAGE}/manual.pdf",
            content_type="application/pdf",
            status_code=200,
            title="Manual",
            blob=BlobRef(digest="5d41402abc4b2a76b9719d911017c592", bytes=70_000),
            blob_size=69_000,
        ),
        "not-there": WebpageRead(
            publication=PAGE_KEY,
            entry="webpage",
            url=PAGE,
            need=f"{PAGE_KEY}/1.2",
            epoch=1,
            run=2,
            fetched_at=LATER,
            outcome="unavailable",
            evidence="HTTP 503",
            fetch_exception=True,
            final_url=PAGE,
            status_code=503,
        ),
    },
    "webpage-put": {
        "record": WebpagePut(
            publication=PAGE_KEY,
            entry="webpage",
            epoch=2,
            record=msgspec.Raw(b'{"startUrl":"https://lab.example/tool","title":"Tool"}'),
            put_at=NOW,
        )
    },
    "webpage-removed": {
        "by-its-owner": WebpageRemoved(publication=PAGE_KEY, entry="webpage", epoch=3, removed_at=NOW)
    },
    "delayed": {
        "question-in-a-minute": Delayed(
            topic="reply-wanted.fetcher",
            key="europepmc",
            due_at=NOW + 60_000,
            event_kind="reply-wanted",
            event_version=1,
            event=msgspec.Raw(msgspec.json.encode(_WANTED)),
        ),
    },
    "dead-letter": {
        "unknown-version": DeadLetter(
            topic="part-candidates",
            event_kind="part-candidate",
            event_version=99,
            reason="unknown version; version 1 is the newest known",
            body=b'{"kind":"part-candidate"}',
            key=PUBLICATION,
            offset=4711,
            service="merger",
            put_aside_at=LATER,
        ),
    },
}
"""By kind, then by what the example shows."""
