"""The HTML page in a real browser: it works, it complains about nothing, and it asks nobody for anything."""

from pathlib import Path

import msgspec
import pytest

from output.browser import CHROMIUM, opened
from output.records import empty_record, full_page, full_record, text
from output.test_html_document import document
from pubweave.contract.values import Thresholds
from pubweave.output.formats import FORMATS, DocumentFrame
from pubweave.output.html_escape import escape_text
from pubweave.output.publication import Envelope, Selection
from pubweave.output.reports.completeness import Completeness, SourceQuestion
from pubweave.output.reports.pages import completeness_page

pytestmark = [
    pytest.mark.skipif(
        CHROMIUM is None, reason="there is no Chromium here; install it, or run make test-browser"
    ),
    pytest.mark.network,
]

HOSTILE = (
    '</h2><script>document.title = "taken"</script><img src=x onerror="document.title = 1">'
    "<svg/onload=alert(1)><a href=javascript:alert(1)>Kettfäden</a>"
)


def page(folder: Path) -> Path:
    """Three publications and a web page; one title and one address are hostile."""
    writer = FORMATS["html"](Selection(), DocumentFrame(lists=("publications", "webpages")))
    hostile = msgspec.structs.replace(
        full_record(),
        title=text(HOSTILE),
        theAbstract=text("Plain threads. " * 20, url='javascript:alert("x")'),
        fulltext=text("Hidden treadle. " + "Long body. " * 900, "europepmc_xml"),
    )
    pieces = [
        *writer.begin(),
        *writer.publication(full_record()),
        *writer.publication(hostile),
        *writer.publication(empty_record()),
        *writer.webpage(full_page(), "webpage"),
        *writer.end(),
    ]
    file = folder / "page.html"
    file.write_text("".join(map(str, pieces)))
    return file


SHOWN = "[...document.querySelectorAll('.entry')].filter((one) => one.checkVisibility()).map((one) => one.id)"
COLOUR = "getComputedStyle(document.body).backgroundColor"


async def test_markup_in_a_title_stays_text_and_nothing_complains(tmp_path: Path) -> None:
    """F-HTML-03: no script of the content runs, no element of it is made, nothing leaves the page."""
    async with opened(page(tmp_path), tmp_path / "profile") as tab:
        title = await tab.run("document.querySelector('#e2 h2').textContent")
        made = await tab.run("document.querySelectorAll('main script, main img, main svg').length")
        links = await tab.run("[...document.querySelectorAll('a')].map((one) => one.protocol)")

        assert title == HOSTILE
        assert made == 0
        assert set(links) == {"https:", "http:"}
        assert await tab.run("document.title") == "Publications"
        assert tab.complaints == []
        assert tab.requests == [(tmp_path / "page.html").as_uri()]


async def test_the_policy_stops_what_escaping_would_have_missed(tmp_path: Path) -> None:
    """A second wall: even markup inside the page cannot act. (So the test above could see it fail.)"""
    file = page(tmp_path)
    file.write_text(
        file.read_text().replace("<main>", "<main><img src='https://loom.example/x'><b onclick='1'>b</b>")
    )
    async with opened(file, tmp_path / "profile") as tab:
        await tab.run("document.querySelector('b').click()")

        assert len([told for told in tab.complaints if "Content Security Policy" in told]) == 2


async def test_search_finds_as_one_types(tmp_path: Path) -> None:
    """All words, in any order, whatever case and accents; also inside what is folded; Escape brings all back."""
    async with opened(page(tmp_path), tmp_path / "profile") as tab:
        assert await tab.run(SHOWN) == ["e1", "e2", "e3", "e4"]
        assert await tab.run("document.querySelector('#told').textContent") == "4 entries"

        await tab.key("/")
        await tab.type("KETTFADEN 31092905")

        assert await tab.run(SHOWN) == ["e2"]
        assert await tab.run("document.querySelector('#told').textContent") == "1 of 4"

        await tab.key("Escape")
        await tab.type("treadle hidden")

        assert await tab.run(SHOWN) == ["e2"]
        assert await tab.run("document.querySelectorAll('#e2 details.found').length") == 1
        assert await tab.run("CSS.highlights.get('found').size") > 0

        await tab.type(" zzz")

        assert await tab.run(SHOWN) == []
        assert await tab.run("document.querySelector('#nothing').checkVisibility()")

        await tab.key("Escape")

        assert await tab.run(SHOWN) == ["e1", "e2", "e3", "e4"]
        assert tab.complaints == []


async def test_dark_follows_the_system_until_it_is_switched(tmp_path: Path) -> None:
    async with opened(page(tmp_path), tmp_path / "profile") as tab:
        await tab.prefer("light")
        light = await tab.run(COLOUR)
        await tab.prefer("dark")
        dark = await tab.run(COLOUR)
        await tab.run("document.querySelector('#theme').click()")
        switched_to_light = await tab.run(COLOUR)
        await tab.prefer("light")
        await tab.run("document.querySelector('#theme').click()")
        switched_to_dark = await tab.run(COLOUR)

        assert light != dark
        assert (switched_to_light, switched_to_dark) == (light, dark)
        assert tab.complaints == []


async def test_titles_alone_make_an_overview(tmp_path: Path) -> None:
    """Search goes on in everything; a second click brings everything back."""
    parts = "[...document.querySelectorAll('.part')].filter((one) => one.checkVisibility()).length"
    async with opened(page(tmp_path), tmp_path / "profile") as tab:
        before = await tab.run(parts)
        await tab.run("document.querySelector('#brief').click()")
        await tab.key("/")
        await tab.type("treadle")

        assert await tab.run(parts) == 0
        assert await tab.run(SHOWN) == ["e2"]

        await tab.key("Escape")
        await tab.run("document.querySelector('#brief').click()")

        assert await tab.run(parts) == before > 3


async def test_everything_opens_at_once_and_prints(tmp_path: Path) -> None:
    async with opened(page(tmp_path), tmp_path / "profile") as tab:
        folded = await tab.ask("Page.printToPDF")
        await tab.run("document.querySelector('#fold').click()")
        unfolded = await tab.ask("Page.printToPDF")

        assert await tab.run("document.querySelectorAll('main details:not([open])').length") == 0
        assert len(unfolded["data"]) > len(folded["data"]) > 1_000


async def test_reports_draw_their_plots_without_complaints(tmp_path: Path) -> None:
    """Bars have the widths of their counts, in light and dark; search finds rows."""
    counted = Completeness(Thresholds(), ["fulltext"])
    for outcome in ("blocked", "blocked", "absent"):
        counted.add(empty_record(), [SourceQuestion("doi", ("fulltext",), outcome, "", "a.example", (1,))])
    file = tmp_path / "report.html"
    file.write_text("".join(completeness_page("Report", counted)))
    bars = "[...document.querySelectorAll('figure rect')].map((one) => [one.className.baseVal, one.getBBox().width])"
    async with opened(file, tmp_path / "profile") as tab:
        drawn = await tab.run(f"{bars}.filter(([, width]) => width > 20)")
        await tab.key("/")
        await tab.type("a.example")

        assert [name for name, _ in drawn] == ["fill-blocked", "fill-absent"]
        assert abs(drawn[0][1] - 2 * drawn[1][1]) < 1
        assert (
            await tab.run("[...document.querySelectorAll('tr.entry')].filter((one) => !one.hidden).length")
            == 1
        )
        assert tab.complaints == []
        assert len(tab.requests) == 1


async def test_sections_of_a_full_text_are_harmless_and_their_links_lead_to_them(tmp_path: Path) -> None:
    """Markup in headings, captions, cells and formulae stays text; a click in the tree goes to the heading."""
    body = "".join(
        f"<sec><title>{escape_text(HOSTILE)} {number}</title><p>{escape_text(HOSTILE)} {'Long. ' * 300}</p><table-wrap>"
        f"<caption><p>{escape_text(HOSTILE)}</p></caption><table><tr><td>{escape_text(HOSTILE)}</td></tr></table>"
        f"</table-wrap><p><disp-formula><tex-math>{escape_text(HOSTILE)}</tex-math></disp-formula></p></sec>"
        for number in range(4)
    )
    made = document(f"<article><body>{body}</body></article>".encode())
    writer = FORMATS["html"](Selection())
    pieces = [*writer.begin(), *writer.publication(full_record(), Envelope(document=made)), *writer.end()]
    file = tmp_path / "page.html"
    file.write_text("".join(map(str, pieces)))
    async with opened(file, tmp_path / "profile") as tab:
        await tab.run("document.querySelector('#fold').click()")
        heading = "[...document.querySelectorAll('h4')].at(-1)"
        before = await tab.run(f"{heading}.getBoundingClientRect().top")
        await tab.run("[...document.querySelectorAll('.tree a')].at(-1).click()")
        await tab.drawn()
        after = await tab.run(f"{heading}.getBoundingClientRect().top")

        assert await tab.run(f"{heading}.textContent") == f"{HOSTILE} 3"
        assert await tab.run("document.querySelectorAll('main script, main img, main svg').length") == 0
        assert 0 <= after < 1_400 < before
        assert tab.complaints == []
        assert len(tab.requests) == 1
