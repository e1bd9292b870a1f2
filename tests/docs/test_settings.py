"""The list of settings, the page made from it, and what stands behind both."""

import subprocess
import sys
import tomllib
from pathlib import Path

import msgspec
import pytest

from pubweave.contract.values import Cooldowns, RunSettings, Thresholds
from pubweave.core.toolkit.service import Addresses, Context
from pubweave.runtimes.embedded.jobs import IN_FLIGHT
from pubweave.runtimes.wiring import cooldowns, run_settings, system_config, thresholds
from pubweave.settings import (
    BY_NAME,
    GROUPS,
    SETTINGS,
    Effective,
    Settings,
    SettingsProblem,
    canonical,
    from_environment,
    from_toml,
    load,
    page,
    scrubbed,
)
from pubweave.version import VERSION

ROOT = Path(__file__).resolve().parents[2]

TABLE = {
    # F-CFG-01: default, minimum
    "emptyCooldown": (720, None),
    "nonFinalCooldown": (10080, None),
    "fetchExceptionCooldown": (1440, None),
    "retryLimit": (3, None),
    "titleMinLength": (4, 0),
    "keywordsMinSize": (2, 0),
    "minedTermsMinSize": (1, 0),
    "abstractMinLength": (200, 0),
    "fulltextMinLength": (2000, 0),
    "webpageMinLength": (50, 0),
    "webpageMinLengthJavascript": (200, 0),
    "timeout": (15000, 0),
}


def defaults() -> Settings:
    return Settings({setting.name: Effective(setting.default, "default") for setting in SETTINGS})


def test_the_page_is_up_to_date() -> None:
    """Else: `make generate`."""
    made = subprocess.run(
        [sys.executable, "-m", "pubweave.settings"], capture_output=True, text=True, check=True
    )

    assert made.stdout == page()
    assert (ROOT / "docs" / "settings.md").read_text() == made.stdout, "stale: run `make generate`"


def test_the_page_names_every_setting() -> None:
    for setting in SETTINGS:
        assert f"| `{setting.name}` |" in page()


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_every_setting_is_a_sentence(setting: object) -> None:
    """Name in one form, a sentence, a unit for every number, a heading."""
    from pubweave.settings import Setting

    assert isinstance(setting, Setting)
    assert setting.name == setting.name.lower().replace("-", "_")
    assert setting.sentence.endswith(".")
    assert setting.group in GROUPS
    assert (setting.kind == "integer") == (type(setting.default) is int)
    assert (setting.kind == "switch") == isinstance(setting.default, bool)
    assert bool(setting.unit) == (setting.kind == "integer")
    assert canonical(setting.legacy or setting.name) == setting.name


def test_the_twelve_fetching_parameters_are_those_of_the_specification() -> None:
    """F-CFG-01, and F-CFG-12: they are a group of their own."""
    ours = {
        setting.legacy: (setting.default, setting.minimum)
        for setting in SETTINGS
        if setting.group == "fetching"
    }

    assert ours == TABLE


def test_the_five_private_parameters_are_there() -> None:
    """F-CFG-10."""
    private = {setting.legacy for setting in SETTINGS if setting.group == "private"}

    assert {"europepmcEmail", "oadoiEmail", "userAgent", "journalsYaml", "webpagesYaml"} <= private


def test_defaults_are_those_of_the_code_they_set() -> None:
    """Nobody has two opinions about a default."""
    assert thresholds(defaults()) == Thresholds()
    assert cooldowns(defaults()) == Cooldowns()
    assert run_settings(defaults()) == RunSettings()
    config = system_config(defaults(), create=True)

    assert msgspec.structs.replace(config.context, rules=None) == Context()
    assert config.context.rules is not None
    assert config.fetcher.connections_per_host == 1
    assert config.in_flight == IN_FLIGHT


def test_every_address_is_a_setting() -> None:
    """P-28."""
    assert {f"address_{name}" for name in Addresses._fields} <= set(BY_NAME)
    for name in Addresses._fields:
        elsewhere = Settings(
            {
                setting.name: Effective(
                    "http://127.0.0.1:1" if setting.name == f"address_{name}" else setting.default, ""
                )
                for setting in SETTINGS
            }
        )

        assert getattr(system_config(elsewhere, create=True).context.addresses, name) == "http://127.0.0.1:1"


def test_settings_reach_what_they_set(tmp_path: Path) -> None:
    """One e-mail address serves all sources, unless one has its own; a key raises NCBI's budget."""
    budgets = tmp_path / "budgets.yaml"
    budgets.write_text("{}\n")
    settings, _ = load(
        {
            "email": "a@loom.example",
            "ncbi_email": "b@loom.example",
            "ncbi_api_key": "k",
            "no_batch": True,
            "old_mined_terms": False,
            "affiliation_emails": False,
            "max_links": "3",
            "user_agent": "loom",
            "budgets": str(budgets),
            "connections_per_host": "4",
            "allow_addresses": "127.0.0.0/8, loom.example",
            "db": "x.db",
        },
        environment={},
        folder=tmp_path,
    )
    config = system_config(settings, create=False)

    assert config.context.europepmc_email == config.context.unpaywall_email == "a@loom.example"
    assert config.context.ncbi_email == "b@loom.example"
    assert (config.context.no_batch, config.context.old_mined_terms, config.context.max_links) == (
        True,
        False,
        3,
    )
    assert not config.context.affiliation_emails
    assert config.fetcher.keyed_families == ("ncbi", "crossref")
    assert config.fetcher.user_agent == "loom"
    assert config.fetcher.contact_email == "a@loom.example"
    assert config.fetcher.budgets_file == budgets
    assert config.fetcher.connections_per_host == 4
    assert config.fetcher.allow_addresses == ("127.0.0.0/8", "loom.example")
    assert (config.database, config.create) == (Path("x.db"), False)


def test_the_nearest_word_wins(tmp_path: Path) -> None:
    """Option, environment, this folder, the user's folder, default."""
    user = tmp_path / "config" / "pubweave"
    user.mkdir(parents=True)
    names = ["timeout", "retry_limit", "max_links", "in_flight", "title_min_length"]
    (user / "pubweave.toml").write_text("".join(f"{name} = 4\n" for name in names[:4]))
    (tmp_path / "pubweave.toml").write_text("".join(f"{name} = 3\n" for name in names[:3]))
    settings, notices = load(
        {"timeout": "1"},
        {"XDG_CONFIG_HOME": str(tmp_path / "config"), "PUBWEAVE_TIMEOUT": "2", "PUBWEAVE_RETRY_LIMIT": "2"},
        tmp_path,
    )

    assert [settings.effective(name) for name in names] == [
        (1, "--timeout"),
        (2, "PUBWEAVE_RETRY_LIMIT"),
        (3, "pubweave.toml"),
        (4, str(user / "pubweave.toml")),
        (4, "default"),
    ]
    assert notices == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("timeuot = 3\n", "pubweave.toml line 1: there is no setting 'timeuot'; did you mean 'timeout'?"),
        ("\n\nzebra = 3\n", "line 3: there is no setting 'zebra'; `pubweave settings` lists them all"),
        ("timeout = -1\n", "line 1: timeout must be at least 0 (milliseconds), not -1"),
        ('timeout = "soon"\n', "timeout must be a whole number (milliseconds), not 'soon'"),
        ("timeout = true\n", "timeout must be a whole number"),
        ("timeout = 1.5\n", "timeout must be a whole number"),
        ("no_batch = 1\n", "no_batch must be true or false"),
        ("email = 7\n", "email must be a text"),
        ("timeout = 1\nTimeout = 2\n", "timeout is set twice"),
        ("threads = 4\n", "there is no setting 'threads': publications are fetched side by side"),
        ("[fetching]\n", "there is no setting 'fetching'"),
        ("timeout = \n", "is not TOML"),
    ],
)
def test_a_wrong_file_is_refused_with_the_place(text: str, words: str) -> None:
    with pytest.raises(SettingsProblem) as problem:
        from_toml(text, "pubweave.toml")

    assert words in str(problem.value)


def test_a_file_may_use_every_spelling() -> None:
    found = from_toml('empty-cooldown = 1\nretryLimit = 2\n"oadoiEmail" = "a@loom.example"\n', "x")

    assert {name: value for name, (value, _) in found.items()} == {
        "empty_cooldown": 1,
        "retry_limit": 2,
        "unpaywall_email": "a@loom.example",
    }


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pubweave.toml").write_bytes(b"\xff\xfe")

    with pytest.raises(SettingsProblem, match=r"pubweave\.toml: cannot be read"):
        load({}, {}, tmp_path)


def test_who_has_no_home_has_no_settings_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Containers run programs as users that no file knows and who have no HOME: the rest of the settings hold."""

    def nowhere() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", nowhere)
    (tmp_path / "pubweave.toml").write_text("timeout = 7")

    settings, _ = load({}, {}, tmp_path)

    assert settings.number("timeout") == 7


def test_mistyped_variables_are_said() -> None:
    """A near miss is a notice; what others may mean (Kubernetes' service variables) is left alone."""
    found, notices = from_environment(
        {
            "PUBWEAVE_TIMEUOT": "3",
            "PUBWEAVE_SERVICE_HOST": "10.0.0.1",
            "PUBWEAVE_NO_BATCH": "yes",
            "PUBWEAVE_RETRY_LIMIT": "",
            "HOME": "/",
        }
    )

    assert notices == ["PUBWEAVE_TIMEUOT is not a setting and was ignored; did you mean PUBWEAVE_TIMEOUT?"]
    assert found == {"no_batch": (True, "PUBWEAVE_NO_BATCH")}


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["--ncbi-api-key", "k", "x"], ["--ncbi-api-key", "***", "x"]),
        (["--ncbi-api-key=k"], ["--ncbi-api-key=***"]),
        (["--ncbi-api-key", "--ncbi-api-key", "x"], ["--ncbi-api-key", "***", "x"]),
        (
            ["--address-doi", "https://me:pw@loom.example/a@b"],
            ["--address-doi", "https://***@loom.example/a@b"],
        ),
        (["10.1/a@b", "--email", "a@b.example"], ["10.1/a@b", "--email", "a@b.example"]),
    ],
)
def test_secrets_are_scrubbed(argv: list[str], expected: list[str]) -> None:
    assert scrubbed(argv) == expected


def test_one_version() -> None:
    """F-LIB-03: pyproject.toml and the program agree."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

    assert project["version"] == VERSION
