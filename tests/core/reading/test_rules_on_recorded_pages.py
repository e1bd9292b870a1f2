"""Our rules on real pages of the sites they are for: the recorded pages of `publisher-html`.

`full` pages must give title, abstract and a full text, `abstract` pages title and abstract, `title` pages at least
the title (their abstract is not on the saved page). Titles are compared with what the page's own meta tags say.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from core.reading.benches import bench
from core.reading.test_site_rules import RULES
from pubweave.core.reading.pages import PageFindings, read_page
from pubweave.core.reading.rules import RuleFile, load_rules
from pubweave.core.reading.rules.model import Verified
from shared_data import needs_shared_data, shared_data

PAGES = """
science full aaas__10.1126_sciadv.aax6869 aaas__10.1126_sciadv.abf8021
science title aaas__10.1126_science.6985744_block aaas__10.1126_science.aeg3511
science abstract aaas__10.1126_science.7809609_block
acl-anthology abstract acl__ACL_2021.naacl-main.208
acl-anthology title acl__ACL_N04-1001
annual-reviews abstract annualreviews__annualreviews_1
dspace abstract anu-dspace__test_1_splash
apa-psycnet full apa__arc0000029
aps abstract aps__APS_PhysRevLett.122.145901 aps__APS_PhysRevLett.122.145901_2 aps__APS_RevModPhys.94.045004
bmc-classic full bmc__1471-2148-14-70 bmc__http_www.trialsjournal.com_content_16_1_1
bmc-classic full bmc__http_www.trialsjournal.com_content_16_1_2
bmc-classic abstract bmc__biomedcentral-1
copernicus-classic abstract copernicus__acp-15-1013-2015 copernicus__biogenic
dlib full dlib__dlib_05vanhyning
dryad abstract dryad__metrics dryad__sample_extract_metrics_page
highwire full elife__10.7554_eLife.00160 elife__e04407 oup__10.1111_j.1365-2966.2010.17101.x oup__aobpla.plv005
highwire full ijsem-sgm__http_ijs.sgmjournals.org_content_63_Pt_11_4218.full royalsociety__277_1686_1309
highwire full ijsem-sgm__http_ijs.sgmjournals.org_content_63_Pt_11_4340.full royalsociety__rsos.160123
highwire abstract oup__10.1093_bioinformatics_bts553
elife title elife__elife_article
sciencedirect full elsevier__1-s2.0-S1055790314003601-main
sciencedirect abstract elsevier__ScienceDirect_S0009261497040141 elsevier__ScienceDirect_S2210271X18305656
ojs abstract firstmonday__first_monday_ojs3_landingpage
frontiers-classic full frontiers__fnbeh.2013.00049 frontiers__fpsyg-05-01582
hal abstract hal__HAL_HAL_jpa_00235190 hal__HAL_THESES_tel_02083632v1 hal__hal_1
hindawi-classic full hindawi__247835 hindawi__801626 hindawi__fulltext.xml hindawi__ija_2014_125258
ieee-xplore-classic abstract ieee__ieee-explore
iop full iop__224009
iop abstract iop__IOPScience_002 iop__IOPScience_ab007b
lingbuzz title lingbuzz__Lingbuzz_008324
nature full nature__10.1038_nature12915 nature__10.1038_s41586-026-10265-5_original
nature title nature__nature_article
nature-classic full nature__10.1038_srep01011 nature__10.1038_srep01041 nature__nnano
nature-classic abstract nature__nature2
opus abstract opus__Fallback_kobv
opus title opus__test_splash
peerj full peerj__peerj_oa_article
plos full plos__10.1371_journal.pbio.0000021 plos__10.1371_journal.pbio.1001461 plos__fulltext.pdf
plos full plos__journal.pone.0111303 plos__plus-1 plos__work
pnas full pnas__10.1073_pnas.1915921117 pnas__10.1073_pnas.2208095119
pnas abstract pnas__10.1073_pnas.2509692123_block
pnas title pnas__10.1073_pnas.2607267123_block
pos title pos__PoS_LATTICE_2013_001
project-euclid abstract projecteuclid__ProjectEuclid_00127094_3129809 projecteuclid__ProjectEuclid_1391109086
scielo full scielo__artigo-atual
springer-link abstract springer__10.1007_s11430-021-9892-6_block springer__10.1007_s12652-019-01399-8_block
bmc full springer__s40643-016-0099-3
plone abstract t2k__001 t2k__test_1
ojs-classic abstract ubiquity__ubiquity_ai-journal_247
usenix abstract usenix__USENIX_bulekov usenix__USENIX_goyal
wiley-classic full wiley__bph.13439
wiley-classic abstract wiley__10.1002_hipo.20995 wiley__10.1111_j.1365-2869.2012.01054.x
wiley-classic title wiley__advs.201500314
wiley full wiley__10.1029_2004gb002273
"""
CASES = [
    (rule, depth, page)
    for line in PAGES.strip().splitlines()
    for rule, depth, *pages in [line.split()]
    for page in pages
]

LEFT_OVER = re.compile(
    r"^(?:Download figure|Format: |There are currently no comments|Open ?Access ?This article|This is an open access article|"
    r"Thank you for (?:choosing to send|sending) your|The authors? (?:and \w.* )?(?:declares?|have no)\b|None declared|"
    r"Article citation count|doi:10\.|[\w .]*\b(?:was|were) (?:financially )?supported by (?:the|an?) .*"
    r"(?:Foundation|Program|grant))",
    re.MULTILINE,
)
"""What stands around articles on their pages: buttons, licences, statements, thanks, letters."""

# Shown on the page otherwise than in its tags: with a footnote mark, with the subtitle.
TITLES_THAT_DIFFER = {"oup__10.1111_j.1365-2966.2010.17101.x", "aaas__10.1126_science.6985744_block"}


def parts_of(findings: PageFindings, name: str) -> list[str]:
    """The words that rules give as a part that is a list."""
    return [
        word for part in findings.parts if part.part == name and part.type == "doi" for word in part.content
    ]


@needs_shared_data
@pytest.mark.parametrize(("rule", "depth", "page"), CASES, ids=[page for _, _, page in CASES])
def test_a_real_page_is_read(rule: str, depth: str, page: str) -> None:
    """What a reader sees as title, abstract and text is found, and the references are not in the text."""
    text = (RULES / "sites" / f"{rule}.yaml").read_text()
    everywhere = re.sub(r"urls:\n(?:  - .*\n)+", "urls:\n  - ^.\n", text)
    rules = load_rules([RuleFile("site", f"{rule}.yaml", everywhere)])
    body = shared_data("publisher-html", f"{page}.html").read_bytes()
    findings = read_page(body, "https://example.org/", rules, "doi")
    by_rules = {part.part: str(part.content) for part in findings.parts if part.type == "doi"}
    by_meta = {part.part: str(part.content) for part in findings.parts if part.type in ("citation", "dc")}

    def letters(title: str) -> str:
        return "".join(filter(str.isalnum, title.lower()))

    assert by_rules["title"]
    if "title" in by_meta and page not in TITLES_THAT_DIFFER:
        assert letters(by_rules["title"])[:60] == letters(by_meta["title"])[:60]
    if depth in ("abstract", "full"):
        assert 150 <= len(by_rules["theAbstract"]) <= 6000
    if depth == "full":
        assert findings.body_size >= 10_000
        assert not re.search(r"\n\n\W*\d*\W*References\W*\n\n", by_rules["fulltext"])
        assert not LEFT_OVER.findall(by_rules["fulltext"])
    assert not any(word.endswith((";", ",")) for word in parts_of(findings, "keywords"))


def verified_in_files() -> dict[str, dict[str, Verified]]:
    """What each file of rules says is verified."""
    files = [*(RULES / "sites").glob("*.yaml"), *(RULES / "webpages").glob("*.yaml")]
    book = load_rules([RuleFile("site", path.name, path.read_text()) for path in files])
    rules = [*book.sites.values(), *(rule for _, rule in book.webpages)]
    return {
        rule.file.removesuffix(".yaml"): dict(rule.verified)
        for rule in rules
        if isinstance(rule.verified, Mapping)
    }


def test_verified_keys_name_recorded_pages() -> None:
    """A page that is listed with its label, and a day; our own pages beside the rules verify nothing."""
    lines = (Path(__file__).parent / "recorded_pages.tsv").read_text().splitlines()
    recorded = {line.split("\t")[0].rsplit("/", 1)[-1] for line in lines if not line.startswith("#")}
    told = verified_in_files()

    assert len(told) >= 60
    assert sum(map(len, told.values())) >= 260
    for name, keys in told.items():
        assert {one.page for one in keys.values()} <= recorded, name


@needs_shared_data
def test_verified_keys_are_what_the_recorded_pages_show() -> None:
    """Each key of each rule that says so gives the right thing of a recorded page today, and no other key says so."""
    shown = bench("rules_verified").verified()

    assert {name: set(keys) for name, keys in verified_in_files().items()} == {
        name: set(keys) for name, keys in shown.items()
    }
