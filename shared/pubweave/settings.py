"""Every setting, once: its three spellings, default, unit and sentence; and what is in effect.

A setting `email` is the option `--email`, the environment variable `PUBWEAVE_EMAIL` and the key `email` in
`pubweave.toml`. An option wins over the environment, that over `./pubweave.toml`, that over
`~/.config/pubweave/pubweave.toml`, that over the default. The command line, `pubweave settings` and
docs/settings.md are made from `SETTINGS`.

Reading files and the environment happens in `load` and nowhere else. Imports stay cheap on purpose: the
command line reads this list before it prints any help.
"""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

from pubweave.contract.resources import DECLARATIONS
from pubweave.problems import UserError

SettingValue: TypeAlias = str | int | bool
Kind = Literal["integer", "text", "switch", "file", "folder"]
Group = Literal["fetching", "private", "politeness", "doors", "storage", "bus", "addresses"]

GROUPS: Final[dict[Group, str]] = {
    "fetching": "What is fetched again and what is enough",
    "private": "Who asks, and with what (only the operator sets these)",
    "politeness": "How hard the sources are asked",
    "doors": "What reads pages and PDFs, and what renders",
    "storage": "Where things are kept",
    "bus": "Where Kafka and Cassandra are (commands of the bus only)",
    "addresses": "Where the sources are",
}


class Setting(NamedTuple):
    """One setting. `default` also says what type it has."""

    name: str
    """In lower case with underscores; the key in pubweave.toml."""
    default: SettingValue
    kind: Kind
    unit: str
    """Of a number; empty where there is none."""
    sentence: str
    group: Group
    minimum: int | None = None
    legacy: str = ""
    """The name in PubFetcher and in the specification, accepted wherever ours is."""
    secret: bool = False

    @property
    def option(self) -> str:
        return "--" + self.name.replace("_", "-")

    @property
    def variable(self) -> str:
        return "PUBWEAVE_" + self.name.upper()

    @property
    def label(self) -> str:
        """For people: "Empty cooldown"."""
        return self.name.replace("_", " ").capitalize()


_OFF: Final = ", ".join(one.name for one in DECLARATIONS if not one.on)


def _fetching(
    name: str, legacy: str, default: int, unit: str, sentence: str, minimum: int | None = None
) -> Setting:
    return Setting(name, default, "integer", unit, sentence, "fetching", minimum, legacy)


def _bus(
    name: str, default: SettingValue, sentence: str, kind: Kind = "text", *, secret: bool = False
) -> Setting:
    return Setting(name, default, kind, "", sentence, "bus", secret=secret)


SETTINGS: Final[tuple[Setting, ...]] = (
    # The twelve fetching parameters (F-CFG-01).
    _fetching(
        "empty_cooldown",
        "emptyCooldown",
        720,
        "minutes",
        "Age after which an empty entry may be fetched again; 0 = always, negative = never for this reason.",
    ),
    _fetching(
        "non_final_cooldown",
        "nonFinalCooldown",
        10_080,
        "minutes",
        "Age after which an entry that is not empty and not final may be fetched again; "
        "0 = always, negative = never for this reason.",
    ),
    _fetching(
        "fetch_exception_cooldown",
        "fetchExceptionCooldown",
        1_440,
        "minutes",
        "Age after which an entry that met a technical failure may be fetched again; "
        "0 = always, negative = never for this reason.",
    ),
    _fetching(
        "retry_limit",
        "retryLimit",
        3,
        "times",
        "How often an entry that is empty, not final or met a failure is fetched again before its cooldown; "
        "0 = not at all, negative = without limit.",
    ),
    _fetching(
        "title_min_length",
        "titleMinLength",
        4,
        "characters",
        "From this length a title is usable.",
        0,
    ),
    _fetching(
        "keywords_min_size",
        "keywordsMinSize",
        2,
        "items",
        "From this many keywords are usable, and so are MeSH terms.",
        0,
    ),
    _fetching(
        "mined_terms_min_size",
        "minedTermsMinSize",
        1,
        "items",
        "From this many mined EFO terms are usable, and so are GO terms.",
        0,
    ),
    _fetching(
        "abstract_min_length",
        "abstractMinLength",
        200,
        "characters",
        "From this length an abstract is usable.",
        0,
    ),
    _fetching(
        "fulltext_min_length",
        "fulltextMinLength",
        2_000,
        "characters",
        "From this length a full text is usable.",
        0,
    ),
    _fetching(
        "webpage_min_length",
        "webpageMinLength",
        50,
        "characters",
        "From this length the title and content of a web page together are usable.",
        0,
    ),
    _fetching(
        "webpage_min_length_javascript",
        "webpageMinLengthJavascript",
        200,
        "characters",
        "Below this length a web page without rules is fetched again with JavaScript.",
        0,
    ),
    _fetching(
        "timeout",
        "timeout",
        15_000,
        "milliseconds",
        "How long connecting may take; a whole request may take twice as long.",
        0,
    ),
    # The private ones (F-CFG-10); never settable through the HTTP gateway (F-CFG-12).
    Setting(
        "email",
        "",
        "text",
        "",
        "Your e-mail address, for every source below that has none of its own; "
        "Unpaywall is skipped without one.",
        "private",
    ),
    Setting(
        "europepmc_email",
        "",
        "text",
        "",
        "E-mail address told to Europe PMC.",
        "private",
        legacy="europepmcEmail",
    ),
    Setting(
        "unpaywall_email",
        "",
        "text",
        "",
        "E-mail address told to Unpaywall, which demands one.",
        "private",
        legacy="oadoiEmail",
    ),
    Setting("ncbi_email", "", "text", "", "E-mail address told to NCBI (PubMed and PMC).", "private"),
    Setting(
        "ncbi_api_key",
        "",
        "text",
        "",
        "Your NCBI API key; with it NCBI allows 10 requests per second instead of 3.",
        "private",
        secret=True,
    ),
    Setting("tool", "pubweave", "text", "", "The name of the tool told to NCBI.", "private"),
    Setting(
        "user_agent",
        "",
        "text",
        "",
        "The User-Agent of every request; empty = name, version, address and your e-mail.",
        "private",
        legacy="userAgent",
    ),
    Setting(
        "journals_yaml",
        "",
        "file",
        "",
        "Extra rules for journal sites, added to the built-in ones.",
        "private",
        legacy="journalsYaml",
    ),
    Setting(
        "webpages_yaml",
        "",
        "file",
        "",
        "Extra rules for web pages and docs, added to the built-in ones.",
        "private",
        legacy="webpagesYaml",
    ),
    # How hard the sources are asked.
    Setting(
        "budgets",
        "",
        "file",
        "",
        "A YAML file with requests per second, connections and daily quotas of sources; "
        "its figures replace the built-in ones one by one.",
        "politeness",
    ),
    Setting(
        "connections_per_host",
        1,
        "integer",
        "connections",
        "How many connections one host may have at once; a source's budget may set its own number.",
        "politeness",
        1,
    ),
    Setting(
        "no_batch",
        False,
        "switch",
        "",
        "Ask for one identifier at a time, in the single form of each source; slower, same records.",
        "politeness",
    ),
    Setting(
        "old_mined_terms",
        True,
        "switch",
        "",
        "Ask the older endpoints for mined terms when the annotations API fails.",
        "politeness",
    ),
    Setting(
        "affiliation_emails",
        True,
        "switch",
        "",
        "Take authors' e-mail addresses from the affiliations that Europe PMC and PubMed give, until corresponding authors are found.",
        "politeness",
    ),
    Setting(
        "classic_cleaning",
        False,
        "switch",
        "",
        "Clean pages without rules by the names of their elements alone, as PubFetcher does; the default finds where the text "
        "stands and is better on all pages measured.",
        "politeness",
    ),
    Setting(
        "resources",
        "",
        "text",
        "",
        "Which sources are asked, divided by commas: names for these only, `+name` for one more than otherwise, `-name` for "
        f"one less. Otherwise all are but those that are off: {_OFF or 'none'}. Without links no link is followed, without "
        "doi no publisher's page is asked.",
        "politeness",
    ),
    Setting(
        "max_links",
        10,
        "integer",
        "links",
        "How many links are followed per publication.",
        "politeness",
        0,
    ),
    Setting(
        "in_flight",
        200,
        "integer",
        "publications",
        "How many publications are worked on at once; bounds the memory. On a bus 1000 of each large job, unless it is set.",
        "politeness",
        1,
    ),
    Setting(
        "allow_addresses",
        "",
        "text",
        "",
        "Networks (CIDR) and hosts that may be asked although they are private or local, divided by commas.",
        "politeness",
    ),
    Setting(
        "deny_hosts",
        "",
        "text",
        "",
        "Hosts that are never asked, with all their subdomains, divided by commas.",
        "politeness",
    ),
    Setting(
        "deny_list",
        "",
        "file",
        "",
        "Hosts and DOIs that are never asked for, one a line, a reason after a tab; looked at again when it changes.",
        "politeness",
    ),
    Setting(
        "robots",
        True,
        "switch",
        "",
        "Obey robots.txt for pages and PDFs; APIs are exempt.",
        "politeness",
    ),
    # What reads PDFs and renders pages.
    Setting(
        "pdf_workers",
        1,
        "integer",
        "processes",
        "How many processes read PDFs side by side; they are started when there is a PDF.",
        "doors",
        1,
    ),
    Setting(
        "reading_workers",
        0,
        "integer",
        "processes",
        "How many processes read pages and other long replies side by side; they are started when there is one. "
        "0 = as many as there are processors but one, and at least one.",
        "doors",
        0,
    ),
    Setting(
        "reading_timeout",
        30,
        "integer",
        "seconds",
        "How much processor time one reply may take to be read, and half as long as it may take by the clock; "
        "after that it counts as not answered in time.",
        "doors",
        1,
    ),
    Setting(
        "reading_memory",
        1_024,
        "integer",
        "MiB",
        "How much address space a process that reads may use; a reply that needs more is too large. "
        "Its libraries alone take about 60; in a container it is at most half of what that may use.",
        "doors",
        128,
    ),
    Setting(
        "quarantine",
        "",
        "folder",
        "",
        "Where PDFs and replies are put that broke the process that read them, with the reason; they are not read "
        "again. Empty = they are forgotten at the end.",
        "doors",
    ),
    Setting(
        "browser",
        "",
        "file",
        "",
        "The Chromium that renders pages made by scripts; empty = the first one that is found.",
        "doors",
    ),
    Setting(
        "browsers",
        1,
        "integer",
        "browsers",
        "How many pages are rendered side by side.",
        "doors",
        1,
    ),
    Setting(
        "browser_first",
        False,
        "switch",
        "",
        "Ask for an article's page in the browser at once where the rules want one (F-YJ-30), instead of only when "
        "the page as it is served leaves something missing.",
        "doors",
    ),
    # Where things are kept.
    Setting(
        "db",
        "pubweave.db",
        "file",
        "",
        "The database; cassandra://HOST[:PORT]/KEYSPACE where one is only read.",
        "storage",
    ),
    Setting(
        "record",
        "",
        "folder",
        "",
        "Keep every exchange with the outside in this folder, as WARC files; replay repeats the run from them.",
        "storage",
    ),
    Setting(
        "replay",
        "",
        "folder",
        "",
        "Answer from the WARC files in this folder instead of the network.",
        "storage",
    ),
    Setting(
        "log",
        "",
        "file",
        "",
        "Append everything that the program says about its work to this file; the screen gets the important.",
        "storage",
    ),
    Setting(
        "log_format",
        "text",
        "text",
        "",
        "How that is written, on the screen and in the file: text, or json (one object a line, for collectors).",
        "storage",
    ),
    Setting(
        "log_layout",
        "",
        "file",
        "",
        "How its lines look, and from which level on: a file in TOML (docs/library.md shows one).",
        "storage",
    ),
    # The bus and what it is looked up in.
    _bus("kafka", "127.0.0.1:9092", "Some brokers of the Kafka cluster, HOST:PORT, divided by commas."),
    _bus("prefix", "", "Stands before the name of every topic, where several installations share a cluster."),
    _bus("kafka_tls", False, "Speak TLS with Kafka.", "switch"),
    _bus("kafka_ca", "", "Certificates that Kafka's must be signed by (PEM); empty = the system's.", "file"),
    _bus("kafka_user", "", "Log in to Kafka under this name; empty = no login."),
    _bus("kafka_password", "", "The password for it.", secret=True),
    _bus("kafka_mechanism", "SCRAM-SHA-512", "How to log in: PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512."),
    _bus("cassandra", "127.0.0.1:9042", "Some nodes of the Cassandra cluster, HOST:PORT, divided by commas."),
    _bus("keyspace", "pubweave", "The keyspace of this installation."),
    _bus("cassandra_dc", "datacenter1", "The data centre whose nodes are asked."),
    _bus("cassandra_tls", False, "Speak TLS with Cassandra.", "switch"),
    _bus(
        "cassandra_ca",
        "",
        "Certificates that Cassandra's must be signed by (PEM); empty = the system's.",
        "file",
    ),
    _bus("cassandra_user", "", "Log in to Cassandra under this name; empty = no login."),
    _bus("cassandra_password", "", "The password for it.", secret=True),
    Setting(
        "start_patience",
        300,
        "integer",
        "seconds",
        "How long services wait at their start for Kafka and Cassandra to answer; 0 = not at all.",
        "bus",
        0,
    ),
    # Where the sources are (P-28).
    *(
        Setting(f"address_{address.name}", address.url, "text", "", address.sentence, "addresses")
        for declaration in DECLARATIONS
        for address in declaration.addresses
    ),
)

BY_NAME: Final[dict[str, Setting]] = {setting.name: setting for setting in SETTINGS}

OBSOLETE: Final[dict[str, str]] = {
    "selenium": "pages are rendered by a door of their own, if it is installed",
    "selenium_geckodriver": "no Firefox is used",
    "selenium_firefox": "no Firefox is used",
    "threads": "publications are fetched side by side; `connections_per_host` and `budgets` bound that",
}
"""Settings that other versions and programs know, and why we do without them."""


class SettingsProblem(UserError):
    """A setting cannot be what somebody wants it to be; the text says which, where and why."""


class Effective(NamedTuple):
    """A value and where it comes from."""

    value: SettingValue
    origin: str
    """For people: "default", "--email", "PUBWEAVE_EMAIL", "pubweave.toml"."""


class Settings:
    """What is in effect, by name. Immutable."""

    def __init__(self, effective: Mapping[str, Effective]) -> None:
        self._effective = dict(effective)

    def effective(self, name: str) -> Effective:
        return self._effective[name]

    def text(self, name: str) -> str:
        return str(self._effective[name].value)

    def number(self, name: str) -> int:
        return int(self._effective[name].value)

    def switch(self, name: str) -> bool:
        return bool(self._effective[name].value)

    def path(self, name: str) -> Path | None:
        """None where nothing is set."""
        value = self.text(name)
        return Path(value).expanduser() if value else None


def canonical(key: str) -> str:
    """The name that a key means: dashes for underscores and the legacy camelCase spelling are fine."""
    return _LEGACY.get(key) or key.replace("-", "_").lower()


_LEGACY: Final[dict[str, str]] = {setting.legacy: setting.name for setting in SETTINGS if setting.legacy} | {
    "oadoi_email": "unpaywall_email"
}


def check(setting: Setting, value: object, origin: str) -> SettingValue:
    """The value as its setting wants it. Text is converted, for the environment knows nothing else.

    :raises SettingsProblem: of another type, or below its minimum (F-CFG-02)
    """
    match setting.kind:
        case "integer":
            number = _integer(value)
            if number is None:
                raise SettingsProblem(
                    f"{origin}: {setting.name} must be a whole number{_of(setting)}, not {value!r}"
                )
            if setting.minimum is not None and number < setting.minimum:
                raise SettingsProblem(
                    f"{origin}: {setting.name} must be at least {setting.minimum}{_of(setting)}, not {number}"
                )
            return number
        case "switch":
            flag = _WORDS.get(value.lower()) if isinstance(value, str) else value
            if not isinstance(flag, bool):
                raise SettingsProblem(f"{origin}: {setting.name} must be true or false, not {value!r}")
            return flag
        case "text" | "file" | "folder":
            if not isinstance(value, str):
                raise SettingsProblem(f"{origin}: {setting.name} must be a text, not {value!r}")
            if setting.group == "addresses":
                if not value.startswith(("http://", "https://")):
                    raise SettingsProblem(
                        f"{origin}: {setting.name} must begin with http:// or https://, not {value!r}"
                    )
                return value.rstrip("/")
            if setting.name.endswith("email") and value and "@" not in value:
                raise SettingsProblem(f"{origin}: {setting.name} must be an e-mail address, not {value!r}")
            return value


_WORDS: Final = {
    **dict.fromkeys(("1", "true", "yes", "on"), True),
    **dict.fromkeys(("0", "false", "no", "off"), False),
}


def _integer(value: object) -> int | None:
    if isinstance(value, str):
        try:
            return int(value)
        except ValueError:
            return None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _of(setting: Setting) -> str:
    return f" ({setting.unit})" if setting.unit else ""


def nearest(key: str, known: Iterable[str], cutoff: float = 0.7) -> str:
    """The known word a mistyped one most likely means; "" if none is near."""
    import difflib

    return next(iter(difflib.get_close_matches(key, list(known), n=1, cutoff=cutoff)), "")


def _unknown(key: str, origin: str) -> SettingsProblem:
    name = canonical(key)
    if name in OBSOLETE:
        return SettingsProblem(f"{origin}: there is no setting {key!r}: {OBSOLETE[name]}")
    near = nearest(name, BY_NAME)
    hint = f"; did you mean {near!r}?" if near else "; `pubweave settings` lists them all"
    return SettingsProblem(f"{origin}: there is no setting {key!r}{hint}")


def from_toml(text: str, origin: str) -> dict[str, Effective]:
    """What a pubweave.toml sets.

    :raises SettingsProblem: not TOML, an unknown key, a key twice, a wrong value; the text names the line
    """
    import tomllib

    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise SettingsProblem(f"{origin}: is not TOML: {problem}") from None
    found: dict[str, Effective] = {}
    for key, value in table.items():
        at = f"{origin}{_line_of(key, text)}"
        name = canonical(key)
        if name not in BY_NAME:
            raise _unknown(key, at)
        if name in found:
            raise SettingsProblem(f"{at}: {name} is set twice, in two spellings")
        found[name] = Effective(check(BY_NAME[name], value, at), origin)
    return found


def _line_of(key: str, text: str) -> str:
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip().strip("[").strip().strip("\"'").startswith(key):
            return f" line {number}"
    return ""


def from_environment(environment: Mapping[str, str]) -> tuple[dict[str, Effective], list[str]]:
    """What the environment sets, and notices about variables that look mistyped.

    An unknown variable is no error: others may use the prefix (Kubernetes does, for services of that name).
    """
    found: dict[str, Effective] = {}
    notices: list[str] = []
    for setting in SETTINGS:
        text = environment.get(setting.variable)
        if text is None or (not text and setting.kind in ("integer", "switch")):
            continue  # an empty number is how shells say "not set"
        found[setting.name] = Effective(check(setting, text, setting.variable), setting.variable)
    known = {setting.variable for setting in SETTINGS}
    known |= {f"{setting.variable}_FILE" for setting in SETTINGS if setting.secret}
    for variable in sorted(environment):
        if variable.startswith("PUBWEAVE_") and variable not in known:
            near = nearest(variable.removeprefix("PUBWEAVE_").lower(), BY_NAME, cutoff=0.8)
            if near:
                notices.append(
                    f"{variable} is not a setting and was ignored; did you mean {BY_NAME[near].variable}?"
                )
    return found, notices


def _with_secrets(environment: Mapping[str, str]) -> Mapping[str, str]:
    """The environment, with secrets whose variable + `_FILE` names a file, as containers are given them.

    :raises SettingsProblem: such a file cannot be read
    """
    found = dict(environment)
    for setting in SETTINGS:
        name = environment.get(setting.variable + "_FILE", "")
        if not (setting.secret and name) or setting.variable in environment:
            continue
        try:
            found[setting.variable] = Path(name).read_text(encoding="utf-8").rstrip("\r\n")
        except (OSError, UnicodeDecodeError) as problem:
            raise SettingsProblem(f"{setting.variable}_FILE: {name} cannot be read: {problem}") from None
    return found


def user_folder(environment: Mapping[str, str]) -> Path | None:
    """Where a user's own pubweave.toml lies (XDG Base Directory Specification); None for one who has no home, as users
    of containers do."""
    base = environment.get("XDG_CONFIG_HOME", "")
    try:
        return (Path(base) if base else Path.home() / ".config") / "pubweave"
    except RuntimeError:
        return None


def load(
    options: Mapping[str, object] | None = None,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> tuple[Settings, list[str]]:
    """What is in effect, and notices for the user.

    :param options: what stood on the command line, by name; a value of None was not given
    :param environment: `os.environ` unless given
    :param folder: where `pubweave.toml` is looked for first; the working folder unless given
    :raises SettingsProblem: with one sentence that names the place
    """
    surroundings = _with_secrets(os.environ if environment is None else environment)
    effective = {setting.name: Effective(setting.default, "default") for setting in SETTINGS}
    here = (folder or Path()) / "pubweave.toml"
    own = user_folder(surroundings)
    places = [(own / "pubweave.toml", "")] if own is not None else []
    for path, origin in (*places, (here, "pubweave.toml")):
        try:
            text = path.read_text(encoding="utf-8-sig")
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, UnicodeDecodeError) as problem:
            reason = (isinstance(problem, OSError) and problem.strerror) or str(problem)
            raise SettingsProblem(f"{origin or path}: cannot be read: {reason}") from None
        effective |= from_toml(text, origin or str(path))
    found, notices = from_environment(surroundings)
    effective |= found
    for name, value in (options or {}).items():
        if value is not None:
            setting = BY_NAME[name]
            effective[name] = Effective(check(setting, value, setting.option), setting.option)
    return Settings(effective), notices


_CREDENTIALS: Final = "://***@"


def scrubbed(argv: Iterable[str]) -> list[str]:
    """Arguments fit for publication (18.2): values of secret settings and passwords in addresses are `***`."""
    import re

    secrets = {setting.option for setting in SETTINGS if setting.secret}
    clean: list[str] = []
    hide_next = False
    for argument in argv:
        option, equals, _ = argument.partition("=")
        if hide_next:
            clean.append("***")
        elif option in secrets and equals:
            clean.append(f"{option}=***")
        else:
            clean.append(re.sub(r"://[^/?#\s@]*@", _CREDENTIALS, argument))
        hide_next = not hide_next and argument in secrets
    return clean


def shown(setting: Setting, value: SettingValue) -> str:
    """A value as people read it; secrets are masked."""
    if setting.secret and value:
        return "***"
    return str(value).lower() if isinstance(value, bool) else str(value)


_PAGE_HEAD: Final = """<!-- Made by `make generate`; edit shared/pubweave/settings.py instead. -->
# Settings

Every setting has one name in three spellings: `timeout` is the option `--timeout` of `pubweave fetch`, the
environment variable `PUBWEAVE_TIMEOUT`, and the key `timeout` in a file `pubweave.toml`. The first of these
that says something wins:

1. the option,
2. the environment variable,
3. `pubweave.toml` in the working folder,
4. `pubweave.toml` in `~/.config/pubweave/` (or in `$XDG_CONFIG_HOME/pubweave/`),
5. the default.

`pubweave settings` lists what is in effect and where it comes from. A key that does not exist is refused, and
so is a value below its minimum. Switches are `true` or `false` in the environment and in the file. What is
never shown can also lie in a file of its own that `PUBWEAVE_…_FILE` names (`PUBWEAVE_NCBI_API_KEY_FILE`).

```toml
# pubweave.toml
email = "you@example.org"
timeout = 30000
no_batch = true
```

Beyond these, `HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY` and `SSL_CERT_FILE` are honoured.
"""


def _row(setting: Setting) -> str:
    default = f"`{shown(setting, setting.default)}`" if setting.default != "" else "empty"
    unit = f" {setting.unit}" if setting.unit else ""
    notes = [f"At least {setting.minimum}."] if setting.minimum is not None else []
    if setting.legacy and setting.legacy != setting.name:
        notes.append(f"Also `{setting.legacy}`.")
    if setting.secret:
        notes.append("Never shown.")
    return f"| `{setting.name}` | {default}{unit} | {' '.join([setting.sentence, *notes])} |"


def page() -> str:
    """docs/settings.md, made from the list (`make generate`)."""
    parts = [_PAGE_HEAD]
    for group, heading in GROUPS.items():
        rows = "\n".join(_row(setting) for setting in SETTINGS if setting.group == group)
        parts.append(f"## {heading}\n\n| name | default | what it does |\n|---|---|---|\n{rows}\n")
    gone = "\n".join(f"| `{name}` | {reason} |" for name, reason in OBSOLETE.items())
    parts.append(f"## Settings of PubFetcher that do not exist\n\n| name | why |\n|---|---|\n{gone}\n")
    return "\n".join(parts)


if __name__ == "__main__":
    import sys

    sys.stdout.write(page())
