"""The rules for pages that hold: the user's files, refused when wrong, taken anew when they change."""

import logging
from pathlib import Path

import pytest

from pubweave.adapters.rule_files import WatchedRules
from pubweave.adapters.sqlite.storage import SqliteStorage
from pubweave.contract.values import Identifiers
from pubweave.core.reading.rules import RuleError
from pubweave.core.toolkit.service import Context
from pubweave.problems import UserError
from pubweave.runtimes.doors import Doors
from pubweave.runtimes.embedded.jobs import Line
from pubweave.runtimes.embedded.system import EmbeddedSystem
from pubweave.runtimes.wiring import rule_book, rules_of, running, system_config, take_changed
from pubweave.settings import Settings, load
from services.resources.small_internet import PAGE, RESOLVER, RULES, Internet, To, fetched, page, rules


def settings(folder: Path, **options: object) -> Settings:
    given = {"db": str(folder / "x.db"), **options}
    return load(given, environment={"XDG_CONFIG_HOME": str(folder)}, folder=folder)[0]


def test_a_file_that_has_changed_is_read_again(tmp_path):
    """Looked at often, read when it is another one; one that is gone or wrong is told once, by its place."""
    journals = tmp_path / "journals.yaml"
    journals.write_text(RULES)
    watched = WatchedRules(journals)
    before = watched.load()

    assert before.site_for("https://site.example/1").site.name == "Site"
    assert watched.reload() is None

    journals.write_text(RULES.replace("Site", "Another"))
    after = watched.reload()

    assert after is not None
    assert after.site_for("https://site.example/1").site.name == "Another"
    assert after.version != before.version
    assert watched.reload() is None

    journals.write_text(RULES.replace("title: h1", "titel: h1"))
    with pytest.raises(RuleError, match="titel"):
        watched.reload()
    assert watched.reload() is None

    journals.unlink()
    with pytest.raises(RuleError, match="cannot be read"):
        watched.reload()


async def test_rules_that_cannot_be_used_leave_the_old_ones_in_force(tmp_path, caplog):
    """While a command runs: a good change holds, a bad one is told as an error and changes nothing."""
    journals = tmp_path / "journals.yaml"
    journals.write_text(RULES)
    watched = rules_of(settings(tmp_path, journals_yaml=str(journals)))
    async with EmbeddedSystem.over(
        storage := SqliteStorage.in_memory(), Doors(Internet({})), Context(rules=rule_book(watched))
    ) as system:
        before = system.rules
        await take_changed(watched, system)

        assert system.rules is before

        journals.write_text(RULES.replace("title: h1", "title: h2"))
        await take_changed(watched, system)
        after = system.rules

        assert after is not None
        assert after is not before
        assert after.selector("https://site.example/1", "title") == "h2"

        journals.write_text("no rules")
        await take_changed(watched, system)

        assert system.rules is after
        assert "The rules stay as they were" in caplog.text
    await storage.close()


async def test_a_running_system_takes_other_rules_without_a_restart():
    """What is fetched after `use_rules` is read by the new rules, and its candidates say so."""
    internet = Internet({RESOLVER: To(PAGE), PAGE: page(), "https://doi.org/10.5555/Y": To(PAGE + "?y")})
    internet.there[PAGE + "?y"] = page(doi="10.5555/Y", more="<h3>Another heading</h3>")
    storage = SqliteStorage.in_memory()
    async with EmbeddedSystem.over(storage, Doors(internet), Context(rules=rules())) as system:
        (first,) = [one async for one in system.run_job([Line(1, Identifiers(doi="10.5555/X"))])]
        system.use_rules(rules(RULES.replace("title: h1", "title: h3")))
        (second,) = [one async for one in system.run_job([Line(1, Identifiers(doi="10.5555/Y"))])]
    await storage.close()

    assert first.record is not None
    assert second.record is not None
    assert first.record.title.text == "Nests above water"
    assert second.record.title.text == "Another heading"


def test_wrong_rules_stop_the_program_at_its_start(tmp_path):
    """F-YJ-04: with file, section and key; so do rules that are not there."""
    journals = tmp_path / "journals.yaml"
    journals.write_text(RULES.replace("title: h1", "titel: h1"))

    with pytest.raises(UserError, match=r"journals\.yaml.*site.*titel"):
        system_config(settings(tmp_path, journals_yaml=str(journals)), create=True)
    with pytest.raises(UserError, match="is not there"):
        rules_of(settings(tmp_path, webpages_yaml=str(tmp_path / "none.yaml")))


def test_the_users_rules_stand_beside_our_own(tmp_path):
    journals = tmp_path / "journals.yaml"
    journals.write_text(RULES)
    book = rule_book(rules_of(settings(tmp_path, journals_yaml=str(journals))))

    assert book.site_for("https://site.example/1").site.name == "Site"
    assert (
        book.site_for("https://journals.plos.org/plosone/article?id=10.1371/journal.pone.1").site is not None
    )


async def test_t057_one_warning_tells_that_unpaywall_is_not_asked(tmp_path, caplog):
    """F-CFG-11: without an e-mail address once, with one never."""
    for email, count in (("", 1), ("ada@lake.example", 0)):
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            async with running(settings(tmp_path, email=email), create=True):
                pass

        assert sum("Unpaywall" in said for said in caplog.messages) == count


def test_only_named_sources_are_there_to_be_asked(tmp_path):
    """`--resources`; an unknown one is named with what was probably meant."""
    assert system_config(settings(tmp_path, resources="unpaywall, doi"), create=True).resources == (
        "doi",
        "unpaywall",
    )
    assert system_config(settings(tmp_path), create=True).resources is None
    with pytest.raises(UserError, match="did you mean unpaywall"):
        system_config(settings(tmp_path, resources="unpaywal"), create=True)


async def test_explain_has_the_rule_and_the_patterns_that_won_and_lost():
    """Which key of which site in which version gave a value; which pattern chose the site."""
    text = RULES.replace("---", "^https?://site\\.example/a/: Site\n---", 1)
    book = rules(text)
    internet = Internet({RESOLVER: To(PAGE), PAGE: page()})
    storage = SqliteStorage.in_memory()
    async with EmbeddedSystem.over(storage, Doors(internet), Context(rules=book)) as system:
        (done,) = [one async for one in system.run_job([Line(1, Identifiers(doi="10.5555/X"))])]
        from pubweave.runtimes.embedded.explain import explain

        explained = await explain(storage.store, storage.blobs, "10.5555/X", "title")
    await storage.close()
    assert explained is not None
    (ladder,) = explained.ladders
    (asked,) = [need for need in explained.needs if need.resource == "doi"]

    assert done.record is not None
    assert ladder.rungs[0].scraping_rule == f"Site: title, rules {book.version[:12]}"
    assert (
        "rules Site by ^https?://site\\.example/a/, not ^https?://(www\\.)?site\\.example/" in asked.evidence
    )


async def test_a_run_without_page_resources_asks_no_publisher():
    internet = Internet({RESOLVER: To(PAGE), PAGE: page()})
    ran = await fetched(internet, resources=("europepmc", "pubmed_xml"))

    assert set(internet.hosts()) == {"www.ebi.ac.uk"}
    assert ran.finished.settled.outcome == "known-nowhere"
