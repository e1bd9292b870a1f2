"""`from pubweave import api`: what chapter 24 wants of a library (T-119)."""

import asyncio
import inspect
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pubweave import api
from pubweave.contract.values import VisitedSite
from pubweave.version import IDENTIFICATION, VERSION
from simnet.fixture import Running


def text(value: str, type_: Any = "europepmc") -> api.Part:
    return api.Part(type=type_, url="u", timestamp=1, size=len(value), text=value)


def record(title: str, **ids: str) -> api.Record:
    parts: dict[str, Any] = {kind: text(value) for kind, value in ids.items()}
    return api.Record("", fetch_time=5, title=text(title), fulltext=text("long " * 2000, "pmc_xml"), **parts)


def write(name: str, content: str) -> None:
    Path(name).write_text(content)


def triplets(net: Running) -> list[api.Identifiers]:
    """Identifiers of publications that the simulated internet has."""
    return [
        api.check_publication_ids(ids.pmid, ids.pmcid, ids.doi)
        for ids in net.universe.submissions(12)
        if ids.doi
    ]


PAGE = api.WebpageRecord("https://t.example/", title="Tool", content="Weaves. " * 900, fetch_time=5)


async def test_a_database_holds_publications_web_pages_and_docs() -> None:
    """F-LIB-06: put, get, contains, list, remove, sizes, commit, compact; texts come back whole."""
    async with api.open_database("a.db", create=True) as base:
        await base.put_publication(record("A", pmid="1", doi="10.1/X"))
        await base.put_webpage(PAGE)
        await base.put_doc(PAGE)
        assert await base.put_publication(record("B", pmcid="PMC2"))

        found = await base.get_publication("doi:10.1/x")
        assert found is not None
        assert (found.title.text, found.fulltext.text) == ("A", "long " * 2000)
        assert await base.get_webpage(PAGE.start_url) == await base.get_doc(PAGE.start_url) == PAGE
        assert await base.contains_publication(api.check_publication_ids("1", "", "10.1/X"))
        assert not await base.contains_publication("2")
        assert [one.pmid async for one in base.publication_ids()] == ["1", ""]
        assert [one.title.text async for one in base.publications()] == ["A", "B"]
        assert [url async for url in base.page_urls("doc")] == [PAGE.start_url]
        sizes = await base.sizes()
        assert (sizes.publications, sizes.webpages, sizes.docs) == (2, 1, 1)
        assert await base.remove_publication("1") == 1
        assert await base.remove_doc(PAGE.start_url)
        assert not await base.contains_doc(PAGE.start_url)
        assert await base.erase_publication("PMC2")
        await base.commit()
        await base.compact()
    async with api.open_database("a.db", readonly=True) as base:
        assert [await base.count(kind) for kind in ("publication", "webpage", "doc")] == [0, 1, 0]
        with pytest.raises(api.StorageProblem):
            await base.put_webpage(PAGE)


async def test_databases_are_filled_from_exports_and_from_each_other() -> None:
    """Everything or nothing, with the entry that is wrong."""
    async with api.open_database("a.db", create=True) as base:
        await base.put_publication(record("A", pmid="1"))
        await base.put_doc(PAGE)
    assert await asyncio.to_thread(api.run, ["db", "dump", "a.db", "--out", "a.json"]) == 0
    assert [kind for kind, _ in api.read_json("a.json")] == ["publication", "doc"]
    async with api.open_database("b.db", create=True) as base:
        assert await base.import_json("a.json") == 2
        assert await base.merge("a.db", keep=True) == 0
        write("bad.json", '{"version": {}, "publications": [{"pmid": 1}]}')
        with pytest.raises(api.UserError, match=r"bad\.json: publication 1"):
            await base.import_json("bad.json")
        assert await base.count() == 1


async def test_a_database_that_is_not_there_is_not_made_by_chance() -> None:
    """F-DB-16."""
    with pytest.raises(api.StorageProblem, match="There is no database"):
        async with api.open_database("none.db"):
            pass


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: api.check_publication_id("loom"),
        lambda: api.check_publication_ids("", "", ""),
        lambda: api.check_publication_ids("PMC1"),
        lambda: api.check_url("ftp:/x"),
        lambda: list(api.read_ids("none.txt")),
        lambda: list(api.read_json("none.json")),
        lambda: api.run(["pipe"], publications=["loom"]),
    ],
)
def test_what_is_given_wrongly_is_one_error_with_a_sentence(wrong: Any) -> None:
    """F-LIB-02: fit for whoever gave it."""
    with pytest.raises(api.UserError) as caught:
        wrong()

    assert str(caught.value)
    assert "\n" not in str(caught.value)


def test_lists_are_read_from_files() -> None:
    """F-LIB-05: with comments; a bad line is named when it is reached."""
    Path("ids.txt").write_text("# mine\n31092905\n\tPMC1\t10.1/x\nloom\n")
    Path("urls.txt").write_text("# mine\nhttps://a.example/#top\n\nb.example\n")
    ids, urls = api.read_ids("ids.txt"), api.read_urls("urls.txt")

    assert [next(ids), next(ids)] == [api.Identifiers("31092905"), api.Identifiers("", "PMC1", "10.1/X")]
    with pytest.raises(api.UserError, match=r"ids\.txt line 4: 'loom'"):
        next(ids)
    assert next(urls) == "https://a.example/#top"
    with pytest.raises(api.UserError, match=r"urls\.txt line 4: 'b\.example'"):
        next(urls)


def test_entries_show_themselves() -> None:
    """F-LIB-08: as JSON, text and HTML, with and without metadata; HTML is escaped."""
    one = record("<Weaving>", pmid="1")

    assert api.as_json(one, plain=True, parts=["title"]) == {"title": "<Weaving>"}
    assert api.as_json(one)["title"]["type"] == "europepmc"
    assert api.as_text(one, plain=True, parts=["title"]) == "<Weaving>\n"
    assert "&lt;Weaving&gt;" in api.as_html(one)
    assert api.as_json(PAGE, plain=True)["title"] == "Tool"
    assert "Tool" in api.as_text(PAGE)
    assert api.as_html(PAGE).startswith("<article")


def test_outputs_are_written_entry_by_entry() -> None:
    """F-LIB-05, F-JSON-01: what is written can be read back; the format is that of the file's name."""
    one = record("Weaving", pmid="1")
    with api.open_output("a.json", argv=["mine"]) as output:
        output.publication(one)
        output.webpage(PAGE)
        output.doc(PAGE)
    with api.open_output("ids.tsv", lists=["publicationIds"], plain=True) as output:
        output.identifiers("PMC7")
        output.identifiers(one)
    with api.open_output("urls.txt", lists=["docUrls"]) as output:
        output.address("https://a.example/", "doc")
    with api.open_output("a.txt", "html", parts=["title"]) as output:
        output.publication(one)
    document = json.loads(Path("a.json").read_text())

    assert list(document) == ["version", "argv", "publications", "webpages", "docs"]
    assert document["argv"] == ["mine"]
    assert list(api.read_json("a.json")) == [("publication", one), ("webpage", PAGE), ("doc", PAGE)]
    assert Path("ids.tsv").read_text() == "pmid\tpmcid\tdoi\n\tPMC7\t\n1\t\t\n"
    assert Path("urls.txt").read_text() == "https://a.example/\n"
    assert "<h2>Weaving</h2>" in Path("a.txt").read_text()


def test_outputs_that_cannot_be_written_are_one_error_and_no_file() -> None:
    """F-LIB-02: format, place and order; what was there before stays when a block ends badly."""

    def write(name: str, *given: str) -> None:
        with api.open_output(name, *given) as output:
            output.webpage(PAGE)
            output.publication(record("Late", pmid="1"))

    Path("a.json").write_text("old")
    for name, given, sentence in (
        ("a.loom", (), "there is no format"),
        ("none/a.json", (), "there is no folder"),
        ("a.bib", (), "no place for web pages"),
        ("a.json", (), "publications is over already"),
    ):
        with pytest.raises(api.UserError, match=sentence):
            write(name, *given)
    with pytest.raises(KeyError), api.open_output("a.json"):
        raise KeyError("of whoever writes")

    assert [path.name for path in Path().iterdir()] == ["a.json"]
    assert Path("a.json").read_text() == "old"


def test_parameters_say_what_they_are() -> None:
    """F-LIB-01: two groups, each parameter with its default, unit, least value and sentence."""
    groups = {name: [one for one in api.SETTINGS if one.group == name] for name in ("fetching", "private")}
    timeout = next(one for one in groups["fetching"] if one.legacy == "timeout" or one.name == "timeout")

    assert len(groups["fetching"]) == 12
    assert {"userAgent", "europepmcEmail", "oadoiEmail", "journalsYaml", "webpagesYaml"} <= {
        one.legacy for one in groups["private"]
    }
    assert (timeout.default, timeout.unit, timeout.minimum) == (15000, "milliseconds", 0)
    assert all(one.sentence.endswith(".") for one in api.SETTINGS)
    assert {*api.Thresholds.__struct_fields__, *api.Cooldowns.__struct_fields__} <= {
        one.legacy for one in groups["fetching"]
    }


def test_whether_an_entry_may_be_fetched_can_be_asked() -> None:
    """F-LIB-07: an empty entry after its cooldown, and what a fetch does to its counters."""
    empty = api.Record("", fetch_time=1, retry_counter=2)
    never = api.can_fetch(None)
    later = api.can_fetch(empty, api.Cooldowns(emptyCooldown=10), now_ms=1 + 10 * 60_000)
    sooner = api.can_fetch(empty, api.Cooldowns(emptyCooldown=10, retryLimit=2), now_ms=10 * 60_000)

    assert (never.fetches, later.fetches, later.resets, sooner.fetches) == (True, True, True, False)
    assert api.update_counters(empty, later, now_ms=77).fetch_time == 77
    assert api.update_counters(empty, later, now_ms=77).retry_counter == 0


@pytest.mark.network
async def test_a_publication_is_fetched_kept_and_not_asked_for_again(net: Running) -> None:
    """F-LIB-04: from the sources the first time, from the database while that is good enough."""
    wanted = triplets(net)[:3]
    async with api.open_fetcher("a.db", create=True) as fetcher:
        first = {one.number: one async for one in fetcher.publications(wanted)}
        asked = len(net.log.asks())
        again = await fetcher.get_publication(wanted[0].doi)
        assert await fetcher.database.get_publication(wanted[0]) == again

    assert asked > 0
    assert sorted(first) == [1, 2, 3]
    assert [first[number].asked.doi for number in (1, 2, 3)] == [one.doi for one in wanted]
    assert first[1].record is not None
    assert again.title.text == first[1].record.title.text != ""
    assert await api.get_publication("a.db", wanted[0].doi) == again


@pytest.mark.network
async def test_fetching_needs_no_database(net: Running) -> None:
    """In memory; a wrong identifier among others is told when those before it are there."""
    one, *_ = triplets(net)
    got: list[api.Fetched] = []

    async def ask(fetcher: api.Fetcher) -> None:
        async for fetched in fetcher.publications([one, "loom", one]):
            got.append(fetched)  # noqa: PERF401  # what came before the problem is looked at

    async with api.open_fetcher(settings={"resources": "europepmc"}) as fetcher:
        with pytest.raises(api.UserError, match="'loom' is no PMID"):
            await ask(fetcher)
        assert (await fetcher.get_publication(one, parts=["title"])).title.text != ""
        assert (await fetcher.update_citations_count(one)).citations_count >= 0

    assert [fetched.outcome for fetched in got] == ["finished"]
    assert "pubweave.db" not in os.listdir()


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"timeuot": 3}, "there is no setting 'timeuot'; did you mean timeout?"),
        ({"timeout": -3}, "timeout must be at least"),
        ({"journals_yaml": "none.yaml"}, "none.yaml is not there"),
        ({"resources": "loom"}, "there is no source 'loom'"),
    ],
)
async def test_settings_that_cannot_be_used_are_told(settings: dict[str, Any], sentence: str) -> None:
    """F-LIB-01: they are those of the command line, checked the same way."""
    with pytest.raises(api.UserError, match=sentence):
        async with api.open_fetcher(settings=settings):
            pass


def test_a_program_brings_its_own_lists_to_a_pipeline(capfd: pytest.CaptureFixture[str]) -> None:
    """F-LIB-12: in both spellings, with what the command line itself names."""
    Path("more.txt").write_text("3\n")
    assert (
        api.run(
            ["pipe", "--out-ids", "--plain"], publications=["1", "10.1/x"], webpages=["https://a.example/"]
        )
        == 0
    )
    modern = capfd.readouterr().out
    assert (
        api.run(
            ["-pub-file", "more.txt", "-out-ids", "--plain"], publications=["1"], docs=["https://d.example/"]
        )
        == 0
    )
    legacy = capfd.readouterr().out

    assert modern.split() == ["1", "10.1/X", "https://a.example/"]
    assert legacy.split() == ["1", "3", "https://d.example/"]


def test_rules_can_be_looked_up() -> None:
    """F-LIB-11: site, selector, javascript and web page; a wrong key or file is told."""
    rules = api.open_rules()
    url = "https://www.nature.com/articles/nmeth.1"

    assert rules.site(url)
    assert rules.selector(url, "abstract")
    assert (rules.site("https://loom.example/"), rules.javascript("no address")) == (None, False)
    assert rules.webpage("https://github.com/edamontology/pubfetcher")
    with pytest.raises(api.UserError, match="there is no key 'colour'"):
        rules.selector(url, "colour")
    with pytest.raises(api.UserError, match=r"none\.yaml"):
        api.open_rules(journals="none.yaml")


@pytest.mark.network
async def test_a_document_comes_as_it_is(net: Running) -> None:
    """F-LIB-09: nothing is read or kept; what there is not is an outcome."""
    ids = triplets(net)[0]
    async with api.open_fetcher() as fetcher:
        page = await fetcher.get_document(f"https://doi.org/{ids.doi}")
        missing = await fetcher.get_document("https://nobody.invalid/")
        assert await fetcher.database.count("webpage") == 0

    assert (page.outcome, page.status, page.body[:1]) == ("found", 200, b"<")
    assert missing.outcome != "found"
    assert missing.body == b""


def test_entries_can_be_begun_without_fetching() -> None:
    """F-LIB-09, F-ID-21: only identifiers, from this program or from where the caller has them; or a start address."""
    ids = api.check_publication_ids("1", "", "10.1/x")
    typed = api.init_publication(ids, now_ms=7)
    found = api.init_publication(ids, provenance=api.Identifiers(doi="https://list.example/"))

    assert typed.identifiers == found.identifiers == ids
    assert (typed.pmid.type, typed.pmid.url, typed.pmid.timestamp) == ("external", IDENTIFICATION, 7)
    assert (found.pmid.url, found.doi.url) == (IDENTIFICATION, "https://list.example/")
    assert (typed.is_empty(), typed.pmcid) == (True, api.Part())
    assert api.init_webpage(" https://a.example/ ") == api.WebpageRecord("https://a.example/")
    for wrong in (lambda: api.init_publication("loom"), lambda: api.init_webpage("loom")):
        with pytest.raises(api.UserError, match="'loom' is no"):
            wrong()


@pytest.mark.network
async def test_entries_that_were_begun_are_fetched(net: Running) -> None:
    """F-LIB-09: in the place of identifiers; those that no source knows keep where they are from."""
    known, where = triplets(net)[0], api.Identifiers(doi="https://list.example/")
    unknown = api.init_publication("10.5555/nobody", provenance=where)
    async with api.open_fetcher(settings={"resources": "europepmc"}) as fetcher:
        begun = fetcher.init_publication(known)
        fetched = await fetcher.get_publication(begun)
        several = [one async for one in fetcher.publications([unknown, begun])]
        counted = await fetcher.update_citations_count(begun)
        page = await fetcher.get_webpage(fetcher.init_webpage(f"https://doi.org/{known.doi}"))

    assert fetched.title.text != ""
    assert counted.citations_count >= 0
    assert page.content != ""
    origins = {one.number: one.record.doi.url for one in several if one.record is not None}
    assert origins[1] == "https://list.example/"
    assert origins[2] == fetched.doi.url


def test_the_library_prints_nothing() -> None:
    """F-LIB-14: its messages are for the program's own logging."""
    script = "import logging; from pubweave import api; logging.getLogger('pubweave.x').warning('odd')"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)

    assert (ran.stdout, ran.stderr) == (b"", b"")


def test_the_version_is_known_from_one_place() -> None:
    """F-LIB-03."""
    assert (api.NAME, api.VERSION, api.URL.startswith("https://")) == ("Pubweave", VERSION, True)


def test_every_public_thing_is_told() -> None:
    """F-LIB-14: functions, classes and their methods have docstrings; parameters of functions are typed."""
    silent = [
        name
        for name in api.__all__
        if (inspect.isclass(thing := getattr(api, name)) or inspect.isfunction(thing))
        and thing.__module__ != "pubweave.contract.values"  # docs/events.md tells these
        and not thing.__doc__
    ]
    silent += [
        f"{owner.__name__}.{name}"
        for owner in (api.Database, api.Fetcher, api.Output, api.Rules)
        for name, method in inspect.getmembers(owner, inspect.isroutine)
        if not name.startswith("_") and not method.__doc__
    ]

    assert silent == []


def test_links_of_ones_own_can_be_typed() -> None:
    """F-LIB-13: applications supply links of type `link` and `pdf_link`."""
    assert {"link", "pdf_link"} <= set(api.TYPE_NAMES)
    assert VisitedSite(url="https://x.example/", type="pdf_link").type == "pdf_link"
