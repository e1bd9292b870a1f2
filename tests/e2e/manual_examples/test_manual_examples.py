"""Every example of PubFetcher's manual, as it is written there but for the program's name (chapter 23; T-118)."""

import json
import re
from pathlib import Path
from typing import Any

from e2e.manual_examples.conftest import PUBLICATIONS, Example


def stored(example: Example, database: str, kind: str = "pub") -> list[dict[str, Any]]:
    """Everything of a kind that a database has."""
    ran = example(f"pubweave -{kind}-db {database} -db {database} -out --format json")
    assert ran.status == 0, ran.err
    lists = {"pub": "publications", "web": "webpages", "doc": "docs"}
    found: list[dict[str, Any]] = json.loads(ran.out)[lists[kind]]
    return found


def triplets(text: str) -> list[tuple[str, ...]]:
    return [tuple(line.split("\t")) for line in text.splitlines()]


def triplet(entry: dict[str, Any]) -> tuple[str, ...]:
    return tuple(entry[kind]["content"] for kind in ("pmid", "pmcid", "doi"))


def from_europepmc(entry: dict[str, Any]) -> bool:
    """All three identifiers are there, are Europe PMC's, and lead back to the publication (a version's does not)."""
    return not entry["doi"]["content"].endswith(".2") and all(
        entry[kind]["type"] == "europepmc" for kind in ("pmid", "pmcid", "doi")
    )


def number(out: str) -> int:
    (found,) = re.findall(r"publications : (\d+)", out)
    return int(found)


def well(example: Example, text: str) -> str:
    ran = example(text)
    assert ran.status == 0, ran.err
    return ran.out


def test_f_ex_01_quickstart(example: Example, folder: Path) -> None:
    (folder / "database.db").unlink()
    assert well(example, "pubweave -db-init database.db") == ""
    out = well(example, "pubweave -pub 10.1093/nar/gkz369 10.1101/692905 -db-fetch-end database.db")
    assert out == ""
    printed = well(example, "pubweave -pub-db database.db -db database.db -out")

    assert "10.1093/NAR/GKZ369" in printed
    assert "10.1101/692905" in printed
    assert "DOI: " in printed


def test_f_ex_01_quickstart_of_publications_that_exist(example: Example, folder: Path) -> None:
    dois = [one["doi"]["content"] for one in stored(example, "database.db") if from_europepmc(one)][:2]
    (folder / "database.db").unlink()
    well(example, "pubweave -db-init database.db")
    well(example, f"pubweave -pub {' '.join(dois)} -db-fetch-end database.db")
    printed = well(example, "pubweave -pub-db database.db -db database.db -out")

    assert printed.count("TITLE: ") >= 2
    assert all(one["title"]["content"] for one in stored(example, "database.db"))


def test_f_ex_02_identifiers_from_everywhere_filtered(example: Example) -> None:
    out = well(
        example,
        """pubweave \\
        -pub 12345678 10.1093/nar/gkw199 -pub-file pub1.txt pub2.txt \\
        -pub-db database.db new.db \\
        -has-pmcid -doi '(?i)nmeth' \\
        -doi-url '^https://www.ebi.ac.uk/europepmc/' -doi-registrant 1038 \\
        -out-ids --plain""",
    )

    assert out == "12345678\tPMC12345678\t10.1038/NMETH.1234\n"


def test_f_ex_03_what_is_not_in_a_database_to_json_files(example: Example, folder: Path) -> None:
    well(example, "pubweave -web-file web.txt -doc-file doc.txt -db-fetch-end new.db")
    well(
        example,
        "pubweave -web https://www.github.com/a http://x.example/b https://y.example/c -db-fetch-end new.db",
    )
    out = well(
        example,
        """pubweave \\
        -pub-db new.db -web-db new.db -not-in-db database.db \\
        -url '^https' -not-url-host bioconductor.org github.com \\
        -txt-ids-pub pub.json -txt-ids-web web.json --format json""",
    )

    assert out == ""
    publications = json.loads((folder / "pub.json").read_text())["publicationIds"]
    assert [one["doi"] for one in publications] == ["10.1038/NMETH.1234"]
    assert json.loads((folder / "web.json").read_text())["webpageUrls"] == ["https://y.example/c"]


def test_f_ex_04_the_oldest_pmids_removed(example: Example, folder: Path) -> None:
    pmids = sorted(
        int(one["pmid"]["content"]) for one in stored(example, "database.db") if one["pmid"]["content"]
    )
    well(
        example,
        """pubweave -pub-db database.db \\
        -has-pmid -asc-ids -head-ids 10 -txt-ids-pub oldpmid.txt --plain""",
    )

    assert [int(one[0]) for one in triplets((folder / "oldpmid.txt").read_text())] == pmids[:10]
    ran = example(
        """pubweave \\
        -pub-file oldpmid.txt -pub 12345678 -remove-ids database.db"""
    )
    assert ran.status == 0
    assert "12345678 is not in the database" in ran.err
    left = sorted(
        int(one["pmid"]["content"]) for one in stored(example, "database.db") if one["pmid"]["content"]
    )
    assert left == pmids[10:]


def test_f_ex_05_fetch_filter_put(example: Example, folder: Path) -> None:
    (folder / "database.db").unlink()
    well(example, "pubweave -db-init database.db")
    well(
        example,
        """pubweave -pub-file pub.txt \\
        -fetch --timeout 30000 -usable -put database.db""",
    )
    found = stored(example, "database.db")

    assert found
    assert all(one["usable"] for one in found)


def test_f_ex_06_fetch_put_and_remove_what_is_not_usable(example: Example, folder: Path) -> None:
    (folder / "database.db").unlink()
    (folder / "pub.txt").write_text((folder / "pub.txt").read_text() + "999999999\t\t\n")
    well(example, "pubweave -db-init database.db")
    well(
        example,
        """pubweave -pub-file pub.txt \\
        -fetch-put database.db --timeout 30000""",
    )
    before = stored(example, "database.db")
    well(
        example,
        """pubweave -pub-db database.db \\
        -db database.db -not-usable -remove database.db""",
    )
    after = stored(example, "database.db")

    assert ("999999999", "", "") in [triplet(one) for one in before]
    assert [triplet(one) for one in after] == [triplet(one) for one in before if one["usable"]]
    assert len(after) < len(before)


def test_f_ex_07_the_count_is_not_what_is_stored(example: Example, folder: Path) -> None:
    (folder / "pub.txt").write_text((folder / "pub.txt").read_text() + "999999999\t\t\n")
    usable = well(
        example,
        """pubweave -pub-file pub.txt \\
        -db-fetch database.db --threads 16 -usable -count""",
    )
    everything = well(
        example,
        """pubweave -pub-db database.db \\
        -db database.db -count""",
    )

    assert number(usable) < number(everything)
    assert number(everything) == len(stored(example, "database.db"))


def test_f_ex_08_a_fresh_database_pruned_and_merged(example: Example, folder: Path) -> None:
    (folder / "new.db").unlink()
    (folder / "database.db").unlink()
    well(example, "pubweave -db-init database.db")
    well(example, "pubweave -db-init new.db")
    usable = well(
        example,
        """pubweave -pub-file pub.txt \\
        -db-fetch new.db --threads 16 -usable -count""",
    )
    well(
        example,
        """pubweave -pub-db new.db \\
        -db new.db -not-usable -remove new.db""",
    )
    well(
        example,
        """pubweave -pub-db new.db \\
        -db new.db -put database.db""",
    )
    merged = stored(example, "database.db")

    assert len(merged) == len({triplet(one) for one in merged}) <= number(usable)
    assert all(one["usable"] for one in merged)
    assert {triplet(one) for one in merged} == {triplet(one) for one in stored(example, "new.db")}


def test_f_ex_09_all_three_kinds_at_once_with_a_log(example: Example, folder: Path) -> None:
    (folder / "database.db").unlink()
    well(example, "pubweave -db-init database.db")
    well(
        example,
        """pubweave -pub-file pub.txt \\
        -db-fetch-end database.db --threads 16""",
    )
    count = well(
        example,
        """pubweave -pub-db database.db \\
        -db database.db -usable -count""",
    )
    assert number(count) > 0
    out = well(
        example,
        """pubweave \\
        -pub-file pub.txt -web-file web.txt -doc-file doc.txt \\
        -db-fetch-end database.db --threads 16 --log database.log""",
    )

    assert out == ""
    assert len(stored(example, "database.db", "web")) == 5
    assert len(stored(example, "database.db", "doc")) == 3
    first = (folder / "database.log").read_text().splitlines()[0]
    assert "-db-fetch-end database.db --threads 16" in first
    assert any(one["usable"] for one in stored(example, "database.db", "web"))


def test_f_ex_10_filtered_while_it_is_loaded(example: Example) -> None:
    (title,) = {one["journalTitle"] for one in stored(example, "database.db")[:1]}
    example_line = """pubweave -pub-db database.db \\
        -db database.db --pre-filter -oa -journal-title 'Nature' \\
        -not-part-empty fulltext -out"""
    assert example(example_line).status == 0
    ours = example_line.replace("'Nature'", f"'{title[:6]}'") + " --format json"
    found = json.loads(well(example, ours))["publications"]

    expected = [
        triplet(one)
        for one in stored(example, "database.db")
        if one["oa"] and title[:6] in one["journalTitle"] and not one["fulltext"]["empty"]
    ]
    assert [triplet(one) for one in found] == expected


def test_f_ex_11_limits_before_and_after_filters(example: Example) -> None:
    lines = [tuple(line.split("\t")) for line in Path("pub.txt").read_text().splitlines()]
    all_out = json.loads(well(example, "pubweave -pub-file pub.txt -fetch --format json -out"))[
        "publications"
    ]
    plain = well(
        example,
        """pubweave -pub-file pub.txt \\
        -fetch --limit 3 -out""",
    )
    filtered = json.loads(
        well(
            example,
            """pubweave -pub-file pub.txt \\
        -fetch --limit 3 --pre-filter -oa -out --format json""",
        )
    )["publications"]

    assert plain.count("OPEN ACCESS: ") == 3
    assert len(lines) == len(all_out) == PUBLICATIONS
    assert [triplet(one) for one in filtered] == [triplet(one) for one in all_out if one["oa"]][:3]


def test_f_ex_12_only_some_parts(example: Example) -> None:
    out = well(
        example,
        """pubweave -pub-file pub.txt \\
        -fetch --fetch-part title theAbstract -out --format json""",
    )
    plain = well(
        example,
        """pubweave -pub-file pub.txt \\
        -fetch --fetch-part title theAbstract \\
        -out --out-part title theAbstract --plain""",
    )
    found = json.loads(out)["publications"]

    assert all(one[part]["empty"] for one in found for part in ("keywords", "mesh", "efo", "go", "fulltext"))
    assert any(not one["abstract"]["empty"] for one in found)
    titles = [one["title"]["content"] for one in found]
    assert all(title in plain for title in titles)
    assert plain.count("-" * 80) == len(found) - 1
    assert "type:" not in plain


def test_f_ex_13_identifiers_are_converted(example: Example, folder: Path) -> None:
    well(
        example,
        """pubweave -pub-file pub.txt \\
        -fetch --fetch-part pmid pmcid doi --out-part pmid pmcid doi \\
        -txt-pub newpub.txt --plain""",
    )
    direct = triplets((folder / "newpub.txt").read_text())
    (folder / "newpub.txt").unlink()
    well(example, "pubweave -db-init newpub.db")
    well(
        example,
        """pubweave -pub-file pub.txt \\
        -db-fetch-end newpub.db --threads 16 --fetch-part pmid pmcid doi""",
    )
    well(
        example,
        """pubweave -pub-file pub.txt \\
        -db newpub.db --out-part pmid pmcid doi -txt-pub newpub.txt --plain""",
    )
    table = well(
        example,
        """pubweave -pub-db newpub.db \\
        -db newpub.db -part-table""",
    )

    given = triplets((folder / "pub.txt").read_text())
    assert len(direct) == len(given)
    assert triplets((folder / "newpub.txt").read_text()) == direct
    assert sum(len([one for one in row if one]) for row in direct) > sum(
        len([one for one in row if one]) for row in given
    )
    assert table.splitlines()[0].startswith("type,pmid,pmcid,doi,title")
    assert len(table.splitlines()) == 34


def test_f_ex_13_lines_with_a_doi_alone(example: Example, folder: Path) -> None:
    known = [one for one in stored(example, "database.db") if from_europepmc(one)][:3]
    (folder / "pub.txt").write_text("".join(f"\t\t{one['doi']['content']}\n" for one in known))
    well(
        example,
        """pubweave -pub-file pub.txt \\
        -fetch --fetch-part pmid pmcid --out-part pmid pmcid \\
        -txt-pub newpub.txt --plain""",
    )

    assert triplets((folder / "newpub.txt").read_text()) == [(*triplet(one)[:2], "") for one in known]


def test_f_ex_14_the_long_filter(example: Example) -> None:
    line = """pubweave -pub-db database.db -web-db \\
        database.db -doc-db database.db -db database.db -usable -grep 'DNA' \\
        -oa -pub-date-more 2018-08-15T00:00:00Z -citations-count-more 9 \\
        -corresp-author-size 1 2 -part-size-more 2 -part-size-more-part \\
        keywords mesh -part-type europepmc_xml pmc_xml doi -part-type-part \\
        fulltext -part-time-more 2018-08-15T12:00:00Z -part-time-more-part \\
        fulltext -title '(?i)software|database' -status-code-more 199 \\
        -status-code-less 300 -not-license-empty -has-scrape -asc -out"""
    assert example(line).status == 0
    wider = (
        line.replace("'DNA'", "'a'")
        .replace("2018-08-15T00", "1990-08-15T00")
        .replace("-citations-count-more 9", "-citations-count-more 0")
        .replace("-corresp-author-size 1 2", "-corresp-author-size 0 1 2 3")
        .replace("-part-size-more 2", "-part-size-more 1")
        .replace("'(?i)software|database'", "'.'")
        .replace("-not-license-empty -has-scrape", "")
    )
    found = json.loads(well(example, wider + " --format json"))
    expected = [
        one
        for one in stored(example, "database.db")
        if one["usable"]
        and one["oa"]
        and one["pubDate"] >= 650_678_400_000
        and one["citationsCount"] > 0
        and len(one["correspAuthor"]) <= 3
        and one["keywords"]["size"] > 1
        and one["mesh"]["size"] > 1
        and one["fulltext"]["type"] in ("europepmc_xml", "pmc_xml", "doi")
        and "a" in "".join(one[name]["content"] for name in ("title", "abstract", "fulltext"))
    ]

    assert {triplet(one) for one in found["publications"]} == {triplet(one) for one in expected}
    assert expected
    assert [one["startUrl"] for one in found["webpages"]] == sorted(
        one["startUrl"]
        for one in stored(example, "database.db", "web")
        if one["usable"] and one["statusCode"] == 200 and one["title"]
    )


def test_f_ex_15_citations_counted_anew(example: Example, folder: Path) -> None:
    before = {triplet(one): one for one in stored(example, "database.db")}
    well(
        example,
        """pubweave -pub-db database.db \\
        -db database.db -oa -update-citations-count database.db""",
    )
    after = {triplet(one): one for one in stored(example, "database.db")}

    assert set(after) == set(before)
    renewed = 0
    for name, one in after.items():
        changed = {member for member in one if one[member] != before[name][member]}
        assert changed <= {"citationsCount", "citationsTimestamp", "citationsTimestampHuman", "pubweave"}
        assert one["oa"] or not changed
        renewed += one["citationsTimestamp"] > before[name]["citationsTimestamp"]
    assert renewed > 0


def test_f_ex_15_copied_merged_and_removed(example: Example, folder: Path) -> None:
    everything = stored(example, "database.db")
    open_ones = {triplet(one) for one in everything if one["oa"]}
    well(example, "pubweave -db-init oapub.db")
    well(
        example,
        """pubweave -pub-db database.db \\
        -db database.db -oa -put oapub.db""",
    )
    assert {triplet(one) for one in stored(example, "oapub.db")} == open_ones
    well(
        example,
        """pubweave -pub-db new.db -db new.db \\
        -put database.db""",
    )
    assert len(stored(example, "database.db")) == len(everything) + 1
    well(
        example,
        """pubweave -pub-db database.db \\
        -db database.db -not-oa -remove database.db""",
    )
    assert {triplet(one) for one in stored(example, "database.db")} == open_ones
    (folder / "oapub.db").rename("other.db")
    well(
        example,
        """pubweave -pub-db other.db \\
        -remove-ids database.db""",
    )
    assert stored(example, "database.db") == []


def test_f_ex_16_pages_for_people(example: Example, folder: Path) -> None:
    publications, webpages = stored(example, "database.db"), stored(example, "database.db", "web")
    well(
        example,
        """pubweave -pub-db database.db \\
        -web-db database.db -db database.db \\
        -txt-pub pub.html -txt-web web.html --format html""",
    )
    for file, entries in (("pub.html", publications), ("web.html", webpages)):
        page = (folder / file).read_text()
        assert page.lower().startswith("<!doctype html>")
        assert len(page) > 1000 + 100 * len(entries)


def test_f_ex_16_the_table_of_identifiers_in_two_ways(example: Example, folder: Path) -> None:
    well(
        example,
        """pubweave -pub-db database.db \\
        -db database.db \\
        -txt-pub pubids.html --out-part pmid pmcid doi --format html --plain""",
    )
    one = (folder / "pubids.html").read_text()
    well(
        example,
        """pubweave -pub-db database.db \\
        -txt-ids-pub pubids.html --format html --plain""",
    )
    other = (folder / "pubids.html").read_text()

    rows = [re.findall(r"<tr.*?</tr>", page, re.S) for page in (one, other)]
    assert rows[0] == rows[1]
    assert len(rows[0]) >= len(stored(example, "database.db"))


def test_f_ex_16_one_line_each_top_hosts_and_part_table(example: Example) -> None:
    publications = stored(example, "database.db")
    mesh = well(
        example,
        """pubweave -pub-db database.db \\
        -db database.db -out --out-part mesh --format text --plain""",
    )
    assert mesh.splitlines() == [
        f"[{'; '.join(term['term'] for term in one['mesh']['list'])}]" for one in publications
    ]
    hosts = well(
        example,
        """pubweave -pub-db database.db \\
        -web-db database.db -db database.db \\
        -out-top-hosts -head 10 -not-has-scrape""",
    )
    assert len([line for line in hosts.splitlines() if "\t" in line]) <= 20
    table = well(
        example,
        """pubweave -pub-db database.db \\
        -db database.db -part-table""",
    )
    rows = {line.split(",")[0]: line.split(",")[1:] for line in table.splitlines()}
    assert len(rows) == 34
    for row, cells in list(rows.items())[1:]:
        assert int(cells[3]) == sum(one["title"]["type"] == row for one in publications)


def test_f_ex_17_everything_as_json(example: Example, folder: Path) -> None:
    well(
        example,
        """pubweave -pub-db database.db \\
        -web-db database.db -doc-db database.db -db database.db \\
        -txt-pub pub.json -txt-web web.json -txt-doc doc.json --format json""",
    )
    for file, member, kind in (
        ("pub", "publications", "pub"),
        ("web", "webpages", "web"),
        ("doc", "docs", "doc"),
    ):
        document = json.loads((folder / f"{file}.json").read_text())
        assert list(document) == ["version", "argv", member]
        assert document[member] == stored(example, "database.db", kind)
        assert document[member]


def test_f_ex_18_or_by_files_of_identifiers(example: Example, folder: Path) -> None:
    well(
        example,
        """pubweave -pub-db database.db \\
        -db database.db -citations-count-more 9 \\
        -txt-pub pub_citations.txt --out-part pmid pmcid doi --plain""",
    )
    well(
        example,
        """pubweave -pub-db database.db \\
        -db database.db -pub-date-more 2018-01-01T00:00:00Z \\
        -txt-pub pub_pubdate.txt --out-part pmid pmcid doi --plain""",
    )
    out = well(
        example,
        """pubweave -pub-file pub_citations.txt \\
        pub_pubdate.txt -db database.db -out --format json""",
    )
    expected = {
        triplet(one)
        for one in stored(example, "database.db")
        if one["citationsCount"] > 9 or one["pubDate"] >= 1_514_764_800_000
    }

    assert {triplet(one) for one in json.loads(out)["publications"]} == expected
    assert expected


def test_f_ex_18_and_by_temporary_databases(example: Example) -> None:
    ran = example(
        "pubweave -pub-db database.db -db database.db -part-size-more 2 -part-size-more-part keywords "
        "-part-size-more 999 -part-size-more-part theAbstract"
    )
    assert ran.status == 1
    assert "-part-size-more is given twice" in ran.err
    well(example, "pubweave -db-init pub_keywords.db")
    well(
        example,
        """pubweave -pub-db database.db \\
        -db database.db -part-size-more 2 -part-size-more-part keywords \\
        -put pub_keywords.db""",
    )
    well(example, "pubweave -db-init pub_abstract.db")
    well(
        example,
        """pubweave -pub-db database.db \\
        -db database.db -part-size-more 999 -part-size-more-part theAbstract \\
        -put pub_abstract.db""",
    )
    out = well(
        example,
        """pubweave -pub-db pub_keywords.db \\
        -in-db pub_abstract.db -db database.db -out --format json""",
    )
    expected = {
        triplet(one)
        for one in stored(example, "database.db")
        if one["keywords"]["size"] > 2 and one["abstract"]["size"] > 999
    }

    assert {triplet(one) for one in json.loads(out)["publications"]} == expected


def test_f_ex_18_what_was_visited_is_fetched_again(example: Example, folder: Path) -> None:
    (some, *_) = [one for one in stored(example, "database.db") if from_europepmc(one)]
    site = {
        "url": "https://academic.oup.com/x/1",
        "type": "doi",
        "from": "",
        "timestamp": 1,
        "timestampHuman": "",
    }
    (folder / "one.json").write_text(json.dumps({"publications": [some | {"visitedSites": [site]}]}))
    well(example, "pubweave db put database.db one.json")
    one_visited = triplet(some)
    well(
        example,
        """pubweave \\
        -pub-db database.db -db database.db \\
        -visited 'academic\\.oup\\.com|[a-zA-Z0-9.-]*sciencemag\\.org' \\
        -txt-pub oup_science.txt --out-part pmid pmcid doi --plain""",
    )
    visited = triplets((folder / "oup_science.txt").read_text())
    before = {triplet(one): one["fetchTime"] for one in stored(example, "database.db")}
    ran = example(
        """pubweave -pub-file oup_science.txt \\
        -fetch-put database.db"""
    )
    after = {triplet(one): one["fetchTime"] for one in stored(example, "database.db")}

    assert ran.status == 0
    assert visited == [one_visited]
    for name in after:
        assert (after[name] > before[name]) is (name in visited)
