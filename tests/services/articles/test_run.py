"""The command: from sources to lines of JSON, into the pipeline, on disk, and on where it broke off."""

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import pubweave.articles.cli as cli
from pubweave.articles.disk import UnitBuilder
from pubweave.articles.iterator.compiled import compiled_iterator
from pubweave.articles.iterator.order import UnitInMemory
from pubweave.articles.plugins import load_plugin
from pubweave.articles.run import Gathered, PluginRun, gather
from pubweave.articles.sources import open_source
from pubweave.core.identifiers import normalise_doi
from services.articles.test_sources import write_warc
from simnet.hosts.publishers import landing_page, small_pdf
from simnet.publishers import BY_KEY
from simnet.universe import Universe

PLUGIN = """\
name: own
params: {base_url: Url, journal_id: String}
defaults: {journal_id: j}
root_template: '"%s%s", base_url, journal_id'
aspects:
  - patterns: '/full/(\\d+)'
    replacements: /full/$1
    roles: FullTextHtml
  - patterns: '/pdf/(\\d+)\\.pdf$'
    replacements: /pdf/$1.pdf
    roles: FullTextPdfFile
  - replacements: /abs/$1
    roles: Abstract
role_from_other_roles: {ArticleMetadata: [Abstract, FullTextHtml]}
"""
BASE = "http://h.org/"


def invoke(*arguments: str, **more: Any) -> Result:
    return CliRunner().invoke(cli.articles, list(arguments), **more)


@pytest.fixture
def plugin(tmp_path: Path) -> str:
    (tmp_path / "own.yaml").write_text(PLUGIN)

    return str(tmp_path / "own.yaml")


@pytest.fixture
def urls(tmp_path: Path) -> str:
    lines = [
        BASE + path
        for path in (
            "j/full/2",
            "j/pdf/1.pdf",
            "j/full/1",
            "j/full/1?v=2",
            "k/full/9",
            "j/abs/1",
            "j/toc",
            "j/toc/2",
        )
    ]
    (tmp_path / "urls").write_text("\n".join(lines) + "\n")

    return str(tmp_path / "urls")


def article(full_text: str, **roles: str) -> dict[str, Any]:
    return {"fullTextUrl": BASE + full_text, "roles": {role: BASE + path for role, path in roles.items()}}


ONE = article(
    "j/full/1",
    FullTextHtml="j/full/1",
    FullTextPdfFile="j/pdf/1.pdf",
    Abstract="j/abs/1",
    ArticleMetadata="j/abs/1",
)
ONE_AGAIN = article("j/full/1?v=2", FullTextHtml="j/full/1?v=2", ArticleMetadata="j/full/1?v=2")
TWO = article("j/full/2", FullTextHtml="j/full/2", ArticleMetadata="j/full/2")


def lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


def test_one_json_line_an_article(plugin: str, urls: str) -> None:
    """On standard output, in the order of the walk; the count on standard error."""
    result = invoke("run", plugin, "--urls", urls, "--base-url", BASE)

    assert lines(result.stdout) == [ONE, ONE_AGAIN, TWO]
    assert result.stderr == "pubweave: 3 articles from 8 URLs\n"
    assert result.exit_code == 0


def test_unique_removes_what_comes_out_twice(plugin: str, urls: str) -> None:
    """The same article under a longer URL."""
    result = invoke("run", plugin, "--urls", urls, "--base-url", BASE, "--unique", "--quiet")

    assert lines(result.stdout) == [ONE, TWO]
    assert result.stderr == ""


@pytest.mark.parametrize(
    "given",
    [
        [
            "--plugin",
            "{plugin}",
            "--urls",
            "{urls}",
            "--param",
            "base_url=http://h.org/",
            "--param",
            "journal_id=k",
        ],
        ["{plugin}", "--urls", "{urls}", "--base-url", "http://h.org/", "--journal-id", "k"],
        ["--journal-id=k", "{plugin}", "--urls", "{urls}", "--base_url", "http://h.org/"],
        ["{plugin}", "--urls", "{empty}", "{urls}", "--base-url", "http://h.org/", "--journal-id", "k"],
    ],
)
def test_parameters_can_be_given_in_several_ways(
    plugin: str, urls: str, tmp_path: Path, given: list[str]
) -> None:
    """By --param, by an option of their name; further sources may follow the first."""
    (tmp_path / "empty").write_text("")
    words = [word.format(plugin=plugin, urls=urls, empty=tmp_path / "empty") for word in given]

    assert [each["fullTextUrl"] for each in lines(invoke("run", *words, "--quiet").stdout)] == [
        BASE + "k/full/9"
    ]


def test_urls_come_from_standard_input_too(plugin: str) -> None:
    """Named by a dash."""
    result = invoke("run", plugin, "--urls", "-", "--base-url", BASE, "--quiet", input=f"{BASE}j/full/5\n")

    assert [each["fullTextUrl"] for each in lines(result.stdout)] == [BASE + "j/full/5"]


def test_a_file_of_articles_appears_when_it_is_whole(plugin: str, urls: str, tmp_path: Path) -> None:
    """Nothing else stays behind."""
    before = {path.name for path in tmp_path.iterdir()}
    result = invoke("run", plugin, "--urls", urls, "--base-url", BASE, "--out", str(tmp_path / "out"))

    assert result.exit_code == 0
    assert lines((tmp_path / "out").read_text()) == [ONE, ONE_AGAIN, TWO]
    assert {path.name for path in tmp_path.iterdir()} - before == {"out"}


def test_a_python_plugin_runs(tmp_path: Path) -> None:
    """Named module:Class; it sees the unit and its parameters."""
    (tmp_path / "urls").write_text(f"{BASE}1\n{BASE}2\n{BASE}4\n")
    result = invoke(
        "run",
        "services.articles.own_plugin:Factory",
        "--urls",
        str(tmp_path / "urls"),
        "--base-url",
        BASE,
        "--quiet",
    )

    assert lines(result.stdout) == [
        {"fullTextUrl": BASE + "1", "roles": {"Next": BASE + "2", "ArticleHandle": 14}}
    ]


def test_a_python_plugin_in_a_file_has_the_file_s_defaults(tmp_path: Path) -> None:
    """They are parameters of the unit like any other."""
    (tmp_path / "own.yaml").write_text(
        "name: own\nplugin_article_iterator_factory: services.articles.own_plugin:Factory\n"
        "params: {base_url: Url}\ndefaults: {base_url: http://h.org/}\n"
    )
    (tmp_path / "urls").write_text(f"{BASE}1\n{BASE}2\nhttp://other.org/1\nhttp://other.org/2\n")
    result = invoke("run", str(tmp_path / "own.yaml"), "--urls", str(tmp_path / "urls"), "--quiet")

    assert [each["fullTextUrl"] for each in lines(result.stdout)] == [BASE + "1"]


def test_a_folder_may_need_a_base_url_that_the_plugin_does_not(tmp_path: Path) -> None:
    """The plugin has no such parameter, and is not asked for one."""
    (tmp_path / "own.yaml").write_text(
        "name: own\naspects: [{patterns: '/(\\d+)$', replacements: /$1, roles: X}]\n"
    )
    (tmp_path / "site" / "full").mkdir(parents=True)
    (tmp_path / "site" / "full" / "1").write_text("one")
    result = invoke(
        "run", str(tmp_path / "own.yaml"), "--urls", str(tmp_path / "site"), "--base-url", BASE, "--quiet"
    )

    assert lines(result.stdout) == [article("full/1", X="full/1")]


@pytest.mark.parametrize(
    ("url", "said"),
    [
        (
            "j/full/1",
            [
                "root: below http://h.org/j",
                "owner: aspects[0].patterns[0]",
                "role: aspects[1]: FullTextPdfFile = http://h.org/j/pdf/1.pdf",
                "emitted, full text http://h.org/j/full/1",
            ],
        ),
        (
            "j/pdf/1.pdf",
            [
                "owner: aspects[1]",
                "emits nothing, because an earlier aspect has a URL: aspects[0]: http://h.org/j/full/1",
            ],
        ),
        ("j/toc", ["refused: no aspect has a pattern that is found in it"]),
        ("k/full/9", ["refused: below none of the roots"]),
        ("j/full/77", ["not stored: ", "emitted, full text"]),
    ],
)
def test_explain_says_which_rule_took_or_refused_a_url(
    plugin: str, urls: str, url: str, said: list[str]
) -> None:
    """Root, pattern, aspect, role, in the order of the questions."""
    result = invoke("run", plugin, "--urls", urls, "--base-url", BASE, "--explain", BASE + url)
    position = -1
    for sentence in said:
        position = result.stdout.find(sentence, position + 1)
        assert position >= 0, (sentence, result.stdout)

    assert result.exit_code == 0


def test_missed_lists_the_urls_that_no_article_uses(plugin: str, urls: str) -> None:
    """By shape, largest family first, with an example."""
    result = invoke("run", plugin, "--urls", urls, "--base-url", BASE, "--missed")

    assert [line.split("\t")[:2] for line in result.stdout.splitlines()] == [
        ["1", "/j/toc"],
        ["1", "/j/toc/{}"],
        ["1", "/k/full/{}"],
    ]


@pytest.mark.parametrize(
    ("given", "status", "said"),
    [
        (["nope", "--urls", "{urls}"], 2, "no plugin of that name"),
        (["{plugin}", "--urls", "{urls}x", "--base-url", BASE], 2, "urlsx: no such file or folder"),
        (["{plugin}", "--urls", "{urls}"], 2, "no root is left, for want of base_url"),
        (["{plugin}", "--urls", "{urls}", "--base-url", BASE, "--issue", "3"], 2, "has no parameter issue"),
        (["{plugin}", "--urls", "{urls}", "--issue"], 2, "option --issue has no value"),
        (["{plugin}", "--urls", "{urls}", "--param", "x"], 2, "--param x: must be NAME=VALUE"),
        (["--urls", "{urls}"], 2, "which plugin?"),
        (["{plugin}", "--urls", "{urls}", "--base-url", BASE, "--out", "{urls}/x/y"], 1, "cannot be written"),
        (
            ["services.articles.own_plugin:Factory", "--urls", "{urls}", "--unique"],
            2,
            "--unique is its own business",
        ),
        (
            ["services.articles.own_plugin:Factory", "--urls", "{urls}", "--explain", "x"],
            2,
            "only its author can explain",
        ),
    ],
)
def test_bad_input_is_one_clear_sentence(
    plugin: str, urls: str, given: list[str], status: int, said: str
) -> None:
    """Exit status 2 for what was given, 1 for what could not be done."""
    result = invoke("run", *[word.format(plugin=plugin, urls=urls) for word in given])

    assert result.exit_code == status
    assert said in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_lines_that_are_no_urls_are_counted(plugin: str, tmp_path: Path) -> None:
    """Not silently dropped."""
    (tmp_path / "list").write_bytes(b"http://h.org/j/full/1\nhttp://h.org/\x01\n")
    result = invoke("run", plugin, "--urls", str(tmp_path / "list"), "--base-url", BASE)

    assert result.stderr == "pubweave: 1 article from 1 URL; 1 entry without a usable URL\n"


# ---------------------------------------------------------------------------------------------------------
# On disk, and on where it broke off


class Crash(Exception):
    pass


def many(tmp_path: Path, count: int = 30_000) -> str:
    """More URLs than the tests hold in memory, in no order."""
    kinds = ("full/{}", "pdf/{}.pdf", "abs/{}", "toc/{}")
    path = tmp_path / "many"
    path.write_text("".join(BASE + "j/" + kinds[n % 4].format(n * 7919 % 5003) + "\n" for n in range(count)))

    return str(path)


def run_on_disk(plugin: str, source: str, out: Path, *, workers: int = 1, progress: Any = None) -> PluginRun:
    with ExitStack() as stack:
        loaded = load_plugin(plugin)
        gathered = gather(
            open_source(source), {}, stack, work=out.with_name("work"), memory_rows=1000, progress=progress
        )
        running = PluginRun(
            gathered, loaded.definition({"base_url": BASE}), loaded, workers=workers, progress=progress
        )
        running.to_file(out)

        return running


def expected_lines(plugin: str, source: str) -> list[Any]:
    definition = load_plugin(plugin).definition({"base_url": BASE})
    found = compiled_iterator(UnitInMemory(Path(source).read_text().split()), definition)

    return [{"fullTextUrl": each.full_text_url, "roles": each.roles} for each in found]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_unit_on_disk_gives_the_same_articles(plugin: str, tmp_path: Path, workers: int) -> None:
    """In the same order, by one process or two."""
    source = many(tmp_path)
    running = run_on_disk(plugin, source, tmp_path / "out", workers=workers)

    assert lines((tmp_path / "out").read_text()) == expected_lines(plugin, source)
    assert running.totals.articles == len(expected_lines(plugin, source))


@pytest.mark.parametrize("phase", ["reading", "sorting", "articles"])
def test_a_run_that_broke_off_goes_on(
    plugin: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, phase: str
) -> None:
    """Wherever it broke off: the same file in the end, and nothing done twice that was kept."""
    monkeypatch.setattr("pubweave.articles.disk.RUN_ROWS", 4000)
    monkeypatch.setattr(UnitBuilder.__init__, "__kwdefaults__", {"run_rows": 4000})
    source = many(tmp_path, 600_000 if phase == "articles" else 60_000)
    seen: dict[str, int] = {}

    def crash(what: str, count: int) -> None:
        seen[what] = seen.get(what, 0) + 1
        if what == phase and seen[what] == 2:
            raise Crash

    with pytest.raises(Crash):
        run_on_disk(plugin, source, tmp_path / "out", progress=crash)
    assert not (tmp_path / "out").exists()
    kept = UnitBuilder(tmp_path / "work", _identity(source)).rows_done
    running = run_on_disk(plugin, source, tmp_path / "out")

    assert kept > 0
    assert lines((tmp_path / "out").read_text()) == expected_lines(plugin, source)
    assert running.totals.articles == len(expected_lines(plugin, source))


def _identity(source: str) -> str:
    import hashlib

    return hashlib.sha256("\n".join(each.identity() for each in open_source(source)).encode()).hexdigest()


def test_the_walk_goes_on_at_its_last_checkpoint(plugin: str, tmp_path: Path) -> None:
    """Blocks whose articles are in the file are not walked again."""
    source = many(tmp_path)
    run_on_disk(plugin, source, tmp_path / "out")
    whole = (tmp_path / "out").read_bytes()
    position = json.loads((tmp_path / "work" / "position.json").read_text())
    (tmp_path / "out").rename(tmp_path / "out.part")
    with (tmp_path / "out.part").open("ab") as file:
        file.write(b"half a li")
    running = run_on_disk(plugin, source, tmp_path / "out")

    assert position["done"] > 0
    assert running.totals.resumed_at == position["done"]
    assert (tmp_path / "out").read_bytes() == whole


def test_a_changed_source_or_plugin_starts_anew(plugin: str, tmp_path: Path) -> None:
    """What was kept of another run is not taken for this one's."""
    source = many(tmp_path)
    run_on_disk(plugin, source, tmp_path / "out")
    with Path(source).open("a") as file:
        file.write(f"{BASE}j/full/999999\n")
    (tmp_path / "out").rename(tmp_path / "out.part")
    run_on_disk(plugin, source, tmp_path / "out")
    assert lines((tmp_path / "out").read_text()) == expected_lines(plugin, source)
    Path(plugin).write_text(
        PLUGIN.replace("role_from_other_roles: {ArticleMetadata: [Abstract, FullTextHtml]}", "")
    )
    (tmp_path / "out").rename(tmp_path / "out.part")
    run_on_disk(plugin, source, tmp_path / "out")

    assert lines((tmp_path / "out").read_text()) == expected_lines(plugin, source)


def test_a_work_folder_with_other_files_is_not_touched(plugin: str, tmp_path: Path) -> None:
    """What somebody else put there stays."""
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "thesis.doc").write_text("mine")

    with pytest.raises(Exception, match=r"holds other files, such as thesis\.doc"):
        run_on_disk(plugin, many(tmp_path), tmp_path / "out")
    assert (tmp_path / "work" / "thesis.doc").read_text() == "mine"


def test_missed_and_explain_work_on_disk(plugin: str, tmp_path: Path) -> None:
    """With more URLs than memory is given."""
    source = many(tmp_path)
    with ExitStack() as stack:
        gathered = gather(open_source(source), {}, stack, memory_rows=1000)
        loaded = load_plugin(plugin)
        running = PluginRun(gathered, loaded.definition({"base_url": BASE}), loaded)
        families = {family.shape: family.count for family in running.missed()}
    used = {url for each in expected_lines(plugin, source) for url in each["roles"].values()}
    unused = set(Path(source).read_text().split()) - used

    assert sum(families.values()) == len(unused)
    assert families["/j/toc/{}"] == sum("/toc/" in url for url in unused)


# ---------------------------------------------------------------------------------------------------------
# Into the pipeline


class ListSink:
    def __init__(self) -> None:
        self.got: list[tuple[dict[str, str], list[tuple[str, str]]]] = []
        self.closed = 0

    def submit(self, identifiers: dict[str, str], links: list[tuple[str, str]]) -> None:
        self.got.append((identifiers, links))

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def sink(monkeypatch: pytest.MonkeyPatch) -> ListSink:
    made = ListSink()
    monkeypatch.setattr("pubweave.articles.submitting.JobSink", lambda: made)

    return made


HOSTS = {
    "springer": "springerlink",
    "nature": "nature",
    "frontiers": "frontiers",
    "peerj": "peerj",
    "iop": "iop",
    "aps": "aps",
    "wiley": "wiley",
    "pnas": "atypon",
}


@pytest.mark.parametrize(("key", "plugin_name"), HOSTS.items())
def test_a_warc_of_a_simulated_publisher_becomes_submissions(
    tmp_path: Path, sink: ListSink, key: str, plugin_name: str
) -> None:
    """Pages and PDFs of the simulated internet, crawled into a WARC: every article with its DOI and its links."""
    universe = Universe(seed=3, size=1500)
    records: list[tuple[str, str, bytes, str]] = []
    expected: dict[str, tuple[str, str]] = {}
    host = BY_KEY[key].host
    for publication in universe:
        for page in publication.pages.values():
            # Some pages stand on other hosts, and some tell a variant of the DOI, which is another address.
            if page.url.split("/")[2] != host or not page.ids.doi or "_" in page.url:
                continue
            records.append((page.url, "200", landing_page(publication, page), "text/html"))
            records.append((page.pdf_url, "200", small_pdf(publication), "application/pdf"))
            expected[page.url] = (normalise_doi(page.ids.doi), page.pdf_url)
    records.append((f"https://{host}/", "200", b"<p>home", "text/html"))
    write_warc(tmp_path / "crawl.warc.gz", records)
    given = [
        "run",
        plugin_name,
        "--urls",
        str(tmp_path / "crawl.warc.gz"),
        "--base-url",
        f"https://{host}/",
        "--submit",
    ]
    result = invoke(*given)

    assert result.exit_code == 0, result.output
    assert len(expected) >= 5
    assert sink.closed == 1
    found = {url: (given_ids, links) for given_ids, links in sink.got for url, _ in links}
    assert len(sink.got) == len(expected)
    for url, (doi, pdf_url) in expected.items():
        assert found[url][0].get("doi") == doi
        assert (pdf_url, "pdf_link") in found[url][1]


def test_pages_tell_the_doi_that_urls_do_not(plugin: str, tmp_path: Path, sink: ListSink) -> None:
    """From the WARC in memory and on disk; what nobody tells is counted."""
    page = b'<meta name="citation_doi" content="10.1234/told">'
    write_warc(
        tmp_path / "x.warc",
        [(BASE + "j/full/1", "200", page, "text/html"), (BASE + "j/full/2", "200", b"-", "text/html")],
    )
    result = invoke("run", plugin, "--urls", str(tmp_path / "x.warc"), "--base-url", BASE, "--submit")

    assert sink.got == [({"doi": "10.1234/TOLD"}, [(BASE + "j/full/1", "link")])]
    assert "1 submitted, 1 without DOI, PMCID or PMID" in result.stderr


def test_pages_are_found_again_on_disk(tmp_path: Path) -> None:
    """The place of a page's record is kept with its URL."""
    page = b'<meta name="citation_doi" content="10.1234/told">'
    records = [
        (f"{BASE}j/full/{number}", "200", page + str(number).encode(), "text/html") for number in range(30)
    ]
    write_warc(tmp_path / "x.warc.gz", records)
    with ExitStack() as stack:
        gathered: Gathered = gather(open_source(str(tmp_path / "x.warc.gz")), {}, stack, memory_rows=3)

        assert gathered.page(BASE + "j/full/17") == page + b"17"
        assert gathered.page(BASE + "j/full/99") is None
        assert gathered.media_type(BASE + "j/full/17") == "text/html"


@pytest.mark.parametrize("more", [(), ("--quiet",), ("--missed",), ("--explain", BASE + "j/full/1")])
def test_a_damaged_record_is_named_and_the_rest_is_done(
    plugin: str, more: tuple[str, ...], tmp_path: Path
) -> None:
    """With its place on standard error, whatever was asked; the exit status tells scripts."""
    path = tmp_path / "x.warc"
    write_warc(path, [(f"{BASE}j/full/{number}", "200", b"<p>", "text/html") for number in range(4)])
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])  # the request of the last page: a recorder was killed
    cut = whole.rindex(b"WARC/1.0")
    result = invoke("run", plugin, "--urls", str(path), "--base-url", BASE, *more)

    assert result.exit_code == 1
    assert f"pubweave: left out: {path}: what begins at byte {cut} is cut" in result.stderr
    assert "1 damaged record left out; the rest is read" in result.stderr
    if more in ((), ("--quiet",)):
        assert len(lines(result.stdout)) == 4


def test_what_was_damaged_is_known_when_the_work_goes_on(tmp_path: Path) -> None:
    """A second process does not read the sources again, and says it all the same."""
    path = tmp_path / "x.warc"
    write_warc(path, [(f"{BASE}j/full/{number}", "200", b"<p>", "text/html") for number in range(9)])
    path.write_bytes(path.read_bytes()[:-20])
    told = []
    for _ in range(2):
        with ExitStack() as stack:
            made = gather(open_source(str(path)), {}, stack, work=tmp_path / "work", memory_rows=3)
            told.append(made.damaged)

    assert len(told[0]) == 1
    assert told[0] == told[1]


# ---------------------------------------------------------------------------------------------------------
# A first plugin


def test_new_proposes_a_plugin_that_works(tmp_path: Path) -> None:
    """From a list of URLs: families by shape, roles by words; the proposal loads and finds the articles."""
    made = [
        path.format(volume=number % 3 + 1, page=100 + number)
        for number in range(40)
        for path in (
            "content/{volume}/e{page}.full",
            "content/{volume}/e{page}.full.pdf",
            "content/{volume}/e{page}.abstract",
            "citation/ris/{volume}/e{page}.ris",
            "toc/{volume}",
        )
    ]
    (tmp_path / "urls").write_text("".join(f"{BASE}{path}\n" for path in made))
    result = invoke(
        "new", "proposed", "--urls", str(tmp_path / "urls"), "--out", str(tmp_path / "proposed.yaml")
    )
    found = lines(
        invoke("run", str(tmp_path / "proposed.yaml"), "--urls", str(tmp_path / "urls"), "--quiet").stdout
    )

    assert result.exit_code == 0
    assert len(found) == 40
    assert all(
        set(each["roles"])
        == {"FullTextHtml", "FullTextPdfFile", "Abstract", "CitationRis", "ArticleMetadata"}
        for each in found
    )
    assert all(each["fullTextUrl"].endswith(".full") for each in found)


RULES = """\
regex:
  ^https?://h\\.org/: h
---
site:
  h:
    title: h1
    fulltext_src: /article/(\\d+)$
    fulltext_dst: /article/$1/full
    pdf_src: /article/(\\d+)$
    pdf_dst: /article/$1/pdf
  other:
    fulltext_src: /a$
    fulltext_dst: /b
    pdf_src: /c$
    pdf_dst: /d
  none:
    title: h1
"""


def test_new_takes_a_scraping_rule_over(tmp_path: Path) -> None:
    """Where its two pairs start from the same place."""
    (tmp_path / "rules.yaml").write_text(RULES)
    (tmp_path / "urls").write_text(
        "".join(f"{BASE}article/{path}\n" for path in ("1", "1/full", "1/pdf", "2", "x"))
    )
    made = invoke("new", "h", "--rule", str(tmp_path / "rules.yaml"), "--site", "h")
    (tmp_path / "h.yaml").write_text(made.stdout)
    found = lines(invoke("run", str(tmp_path / "h.yaml"), "--urls", str(tmp_path / "urls"), "--quiet").stdout)

    assert [each["fullTextUrl"] for each in found] == [BASE + "article/1/full", BASE + "article/2"]
    assert found[0]["roles"]["FullTextPdfFile"] == BASE + "article/1/pdf"


@pytest.mark.parametrize(
    ("given", "status", "said"),
    [
        (["--rule", "{rules}", "--site", "other"], 1, "fulltext_src and pdf_src of site other differ"),
        (["--rule", "{rules}", "--site", "none"], 1, "site none has neither"),
        (["--rule", "{rules}", "--site", "nobody"], 2, "has no site nobody"),
        (["--rule", "{rules}"], 2, "--rule needs --site"),
        ([], 2, "give either --urls or --rule"),
        (["--urls", "{few}"], 1, "no family of URLs at http://h.org/ looks like articles"),
        (["--urls", "{few}", "--out", "{few}"], 1, "no family"),
        (["--rule", "{rules}", "--site", "h", "--out", "{few}"], 2, "is there already"),
    ],
)
def test_new_says_why_it_cannot(tmp_path: Path, given: list[str], status: int, said: str) -> None:
    """One sentence."""
    (tmp_path / "rules.yaml").write_text(RULES)
    (tmp_path / "few").write_text(f"{BASE}about\n{BASE}toc/1\n")
    words = [word.format(rules=tmp_path / "rules.yaml", few=tmp_path / "few") for word in given]
    result = invoke("new", "x", *words)

    assert result.exit_code == status
    assert said in result.stderr


def test_the_command_is_fast_to_import() -> None:
    """Naming the commands loads none of the heavy modules."""
    import subprocess
    import sys

    heavy = "{'yaml', 'lxml', 'warcio', 'regex', 'msgspec', 'rich', 'selectolax', 'xxhash'}"
    program = f"import sys, pubweave.articles.cli; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
