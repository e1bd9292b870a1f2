"""Every setting does something: it reaches what works with it, and those about entries change what comes out."""

import json
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from pubweave.cli.log_layout import log_form
from pubweave.runtimes.wiring import cooldowns, run_settings, system_config
from pubweave.settings import SETTINGS, load
from services.cli.conftest import Cli
from services.cli.operations.conftest import _library_file, library  # noqa: F401  # fixtures
from simnet.faults import Fault
from simnet.fixture import Running

OTHER: Final[dict[str, object]] = {
    "in_flight": 3,
    "no_batch": True,
    "old_mined_terms": False,
    "affiliation_emails": False,
    "classic_cleaning": True,
    "robots": False,
    "browser_first": True,
    "resources": "europepmc",
    "deny_hosts": "loom.example",
    "allow_addresses": "127.0.0.0/8",
    "log_format": "json",
    "quarantine": "folder",
    "record": "folder",
    "replay": "folder",
}
"""Another value than the default, where it is not just any number, text or file."""
FILES: Final = {
    "journals_yaml": "loom\\.example: loom\n---\nloom:\n  title: h1\n---\n[]\n",
    "webpages_yaml": "^https?://loom\\.example/:\n  title: h1\n",
    "log_layout": "[screen]\nat_most = 3\n",
    "deny_list": "loom.example\n",
    "budgets": "",
}


def everything(**given: object) -> Any:
    """What all parts of the program are told."""
    settings, _ = load(given)
    config = system_config(settings, create=True)
    told = msgspec.structs.asdict(config)
    context = msgspec.structs.asdict(told.pop("context"))
    rules = context.pop("rules").version
    return [
        *(repr(one) for one in (told, context, rules)),
        run_settings(settings),
        cooldowns(settings),
        log_form(settings),
        settings.path("log"),
    ]


def other_value(name: str) -> object:
    (setting,) = (one for one in SETTINGS if one.name == name)
    if name in OTHER:
        if setting.kind == "folder":
            Path("folder").mkdir()
        return OTHER[name]
    if setting.kind == "file":
        Path("a.file").write_text(FILES.get(name, ""))
        return "a.file"
    if isinstance(setting.default, int):
        return setting.default + 17
    return "ada@loom.example" if name.endswith("email") else "https://other.example/x"


@pytest.mark.parametrize("name", [one.name for one in SETTINGS if one.group != "bus"])
def test_every_setting_reaches_somebody(name: str) -> None:
    """What the program is told differs, whichever setting differs."""
    assert everything(**{name: other_value(name)}) != everything()


@pytest.mark.parametrize(
    ("option", "member", "part"),
    [
        ("--title-min-length", "publications", "title"),
        ("--keywords-min-size", "publications", "keywords"),
        ("--keywords-min-size", "publications", "mesh"),
        ("--mined-terms-min-size", "publications", "efo"),
        ("--mined-terms-min-size", "publications", "go"),
        ("--abstract-min-length", "publications", "abstract"),
        ("--fulltext-min-length", "publications", "fulltext"),
        ("--webpage-min-length", "webpages", ""),
    ],
)
def test_sizes_say_what_is_usable(cli: Cli, library: Any, option: str, member: str, part: str) -> None:  # noqa: F811
    """F-CFG-01: flags are computed when they are shown; the other parts stay as they were."""

    def usable(*more: str) -> list[dict[str, bool]]:
        ran = cli(*library.from_it, "--out", "--format", "json", *more)
        assert ran.status == 0, ran.err
        return [
            {"": one["usable"]}
            if member == "webpages"
            else {
                name: value["usable"]
                for name, value in one.items()
                if isinstance(value, dict) and "usable" in value
            }
            for one in json.loads(ran.out)[member]
        ]

    before, after = usable(), usable(option, "1000000")

    assert any(one[part] for one in before)
    assert not any(one[part] for one in after)
    if part and part not in ("keywords", "mesh", "efo", "go"):
        assert [{**one, part: False} for one in before] == after


@pytest.mark.network
@pytest.mark.parametrize(
    ("option", "identifier", "faults"),
    [
        ("--empty-cooldown", "10.5555/nobody", []),
        ("--non-final-cooldown", "", []),
        ("--fetch-exception-cooldown", "", [Fault("503", "europepmc", 1.0)]),
    ],
)
def test_cooldowns_let_entries_be_fetched_again(
    cli: Cli, net: Running, option: str, identifier: str, faults: list[Fault]
) -> None:
    """Chapter 14: without retries only its own cooldown does it, and only for entries of its kind."""
    pubmed = next(one.pmid for one in net.universe.submissions(30) if one.pmid)
    cli("db", "init", "a.db")
    line = (
        "pipe",
        "--pub",
        identifier or pubmed,
        "--db-fetch",
        "a.db",
        "--resources",
        "europepmc",
        "--retry-limit",
        "0",
    )
    never = ("--empty-cooldown", "-1", "--non-final-cooldown", "-1", "--fetch-exception-cooldown", "-1")
    with_own = [word for at in range(0, 6, 2) for word in (never[at], "0" if never[at] == option else "-1")]
    net.set_faults(*faults)
    cli(*line, *never)
    asked = []
    for words in (never, with_own):
        net.reset()
        cli(*line, *words)
        asked.append(len(net.log.asks()) > 0)
    net.set_faults()

    assert asked == [False, True]
