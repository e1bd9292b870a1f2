"""`pubweave articles`: find the articles of a site, try and make plugins. Heavy imports wait for the command."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pubweave.articles.problems import BadInput, NotPossible
from pubweave.output.terminal import echo, screen

if TYPE_CHECKING:
    from pubweave.articles.iterator.definition import Definition
    from pubweave.articles.plugins import Plugin
    from pubweave.articles.run import Progress, Totals
    from pubweave.articles.sink import Sink
    from pubweave.articles.sources import UrlSource

_SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 110}

_MOST_DAMAGED = 100
"""So many damaged records are named; all are counted."""


@click.group(context_settings=_SETTINGS)
def articles() -> None:
    """Find the articles of a site, each with its files in their roles."""


@articles.command(
    "run",
    context_settings={**_SETTINGS, "ignore_unknown_options": True},
    epilog="\b\nExamples:\n  pubweave articles run plos --urls urls.txt > articles.jsonl\n  pubweave articles run peerj --urls crawl.warc.gz --submit",
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="PLUGIN [--PARAMETER VALUE]…")
@click.option(
    "--plugin", "plugin_option", metavar="PLUGIN", help="The plugin: a file, a name or module:Class."
)
@click.option(
    "--urls",
    "given",
    multiple=True,
    required=True,
    metavar="SOURCE",
    help="List of URLs (- for standard input), WARC, CDX, folder, sitemap or OAI-PMH reply; may be repeated.",
)
@click.option("--base-url", help="The parameter base_url; for a folder also the URL that it mirrors.")
@click.option("--volume", help="The parameter volume.")
@click.option("--param", "params", multiple=True, metavar="NAME=VALUE", help="Any other parameter.")
@click.option("--out", type=click.Path(path_type=Path), help="Write the articles here; can be gone on with.")
@click.option("--work", type=click.Path(path_type=Path), help="Where a large unit is sorted [OUT.work].")
@click.option("--workers", type=click.IntRange(1, 64), default=1, show_default=True, help="Processes.")
@click.option("--target", default="Any", show_default=True, help="Article for mere counting.")
@click.option("--unique", is_flag=True, help="Leave out what comes out twice.")
@click.option("--submit", is_flag=True, help="Send identifiers and links into the pipeline.")
@click.option("--explain", "explained", metavar="URL", help="Say what becomes of this URL and why, and stop.")
@click.option("--missed", is_flag=True, help="List the URLs that no article uses, by shape, and stop.")
@click.option("--quiet", is_flag=True, help="No progress, no totals.")
def run(
    words: tuple[str, ...],
    plugin_option: str | None,
    given: tuple[str, ...],
    base_url: str | None,
    volume: str | None,
    params: tuple[str, ...],
    out: Path | None,
    work: Path | None,
    workers: int,
    target: str,
    unique: bool,
    submit: bool,
    explained: str | None,
    missed: bool,
    quiet: bool,
) -> None:
    """Write one JSON line an article: its full-text URL and its roles.

    PLUGIN is a file, a name of `pubweave articles list`, or module:Class. Its parameters are given as options
    (--journal-id abc for journal_id) or by --param.
    """
    from pubweave.articles.plugins import load_plugin
    from pubweave.articles.run import PluginRun, gather, remove_work

    plugin_name, more_sources, values = _read_words(words, plugin_option)
    values |= _read_params(params)
    values |= {
        name: value for name, value in (("base_url", base_url), ("volume", volume)) if value is not None
    }
    plugin = load_plugin(plugin_name)
    definition = _definition(plugin, values, target, unique)
    sink = _sink() if submit else None
    sources = _sources([*given, *more_sources], values.get("base_url"))
    with ExitStack() as stack:
        on_screen = out is None and sys.stdout.isatty()
        progress = None if quiet or on_screen else stack.enter_context(_shown_progress())
        folder = work
        if out is not None and work is None and all(source.path is not None for source in sources):
            folder = out.with_name(out.name + ".work")
        gathered = gather(sources, plugin.unit_params(values), stack, work=folder, progress=progress)
        damaged = gathered.damaged
        _tell_damaged(damaged)
        if explained is not None:
            _explain(plugin, definition, gathered.unit, explained, gathered.media_type(explained))
            _end_damaged(damaged)
            return
        running = PluginRun(
            gathered, definition, plugin, target=target, sink=sink, workers=workers, progress=progress
        )
        if missed:
            for family in running.missed():
                echo(f"{family.count}\t{family.shape}\t{family.examples[0]}")
            _end_damaged(damaged)
            return
        totals = running.to_file(out) if out is not None else running.to_stream(sys.stdout.buffer)
    sys.stdout.flush()
    if work is None:
        remove_work(folder)
    totals.refused = sum(source.refused for source in sources)
    if not quiet:
        _tell(totals, submit)
    if totals.errors:
        _tell_errors(totals)
        click.get_current_context().exit(1)
    _end_damaged(damaged)


def _tell_damaged(damaged: list[str]) -> None:
    for place in damaged[:_MOST_DAMAGED]:
        echo(f"pubweave: left out: {place}", err=True)
    if damaged:
        echo(f"pubweave: {_count(len(damaged), 'damaged record')} left out; the rest is read", err=True)


def _end_damaged(damaged: list[str]) -> None:
    if damaged:
        click.get_current_context().exit(1)


def _read_words(words: tuple[str, ...], plugin: str | None) -> tuple[str, list[str], dict[str, str]]:
    """(plugin, further sources, parameters) of what click did not know itself."""
    plain: list[str] = []
    values: dict[str, str] = {}
    waiting = iter(words)
    for word in waiting:
        if not word.startswith("--"):
            plain.append(word)
            continue
        name, equals, value = word[2:].partition("=")
        if not equals:
            following = next(waiting, None)
            if following is None:
                raise BadInput(f"option {word} has no value")
            value = following
        values[name.replace("-", "_")] = value
    if plugin is None:
        if not plain:
            raise BadInput("which plugin? Give its file, its name or module:Class")
        plugin, *plain = plain

    return plugin, plain, values


def _read_params(params: tuple[str, ...]) -> dict[str, str]:
    values = {}
    for param in params:
        name, equals, value = param.partition("=")
        if not equals or not name:
            raise BadInput(f"--param {param}: must be NAME=VALUE")
        values[name] = value

    return values


def _definition(plugin: Plugin, values: dict[str, str], target: str, unique: bool) -> Definition | None:
    if plugin.factory is not None:
        if unique:
            raise BadInput(f"plugin {plugin.name} is a Python class: --unique is its own business")
        return None

    # A folder may need the base URL though the plugin does not.
    wanted = {name: value for name, value in values.items() if name != "base_url" or name in plugin.params}

    return plugin.definition(wanted, target=None if target == "none" else target, unique=unique)


def _sources(given: list[str], base_url: str | None) -> list[UrlSource]:
    from pubweave.articles.sources import open_source

    def fetch(url: str) -> bytes:
        from pubweave.articles.fetching import fetch_now

        return fetch_now(url)

    return [source for each in given for source in open_source(each, base_url=base_url, fetch=fetch)]


def _sink() -> Sink:
    from pubweave.articles.submitting import JobSink

    return JobSink()


def _explain(plugin: Plugin, definition: Definition | None, unit: Any, url: str, content_type: str) -> None:
    from pubweave.articles.iterator.explain import explain
    from pubweave.core.reading.java_regex import JavaRegexTimeout

    if definition is None:
        raise BadInput(f"plugin {plugin.name} is a Python class, which only its author can explain")
    try:
        for line in explain(unit, definition, url, content_type):
            echo(line)
    except JavaRegexTimeout as problem:
        raise BadInput(f"plugin {plugin.name}: {problem}") from None


def _tell(totals: Totals, submitted: bool) -> None:
    said = f"{_count(totals.articles, 'article')} from {_count(totals.urls, 'URL')}"
    if totals.without_full_text:
        said += f", {totals.without_full_text:,} of them without full text"
    if totals.refused:
        said += f"; {_count(totals.refused, 'entry', 'entries')} without a usable URL"
    if submitted:
        said += f"; {totals.submitted:,} submitted, {totals.without_identifiers:,} without DOI, PMCID or PMID"
    echo(f"pubweave: {said}", err=True)


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def _tell_errors(totals: Totals) -> None:
    for example in totals.error_examples:
        echo(f"pubweave: skipped {example}", err=True)
    if totals.errors > len(totals.error_examples):
        echo(f"pubweave: {totals.errors:,} URLs were skipped in all", err=True)


@contextmanager
def _shown_progress() -> Iterator[Progress | None]:
    """A moving line on a terminal; nothing elsewhere."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, Progress, TextColumn

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=30),
        TextColumn("{task.completed:,.0f} URLs"),
        console=screen(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task("reading", total=None)
        totals: dict[str, int] = {}

        def update(phase: str, count: int) -> None:
            totals[phase] = count
            known = totals.get("sorting") if phase == "articles" else totals.get("reading")
            bar.update(task, description=phase, completed=count, total=None if phase == "reading" else known)

        yield update


@articles.command(
    "test",
    context_settings=_SETTINGS,
    epilog="\b\nExamples:\n  pubweave articles test cases/\n  pubweave articles test case.json",
)
@click.argument("paths", nargs=-1, required=True, metavar="FILE|FOLDER…")
def test(paths: tuple[str, ...]) -> None:
    """Run case files and say OK or the first difference of each; exit status 0 only if all are OK."""
    from pubweave.articles.iterator.cases import CaseError, outcome, read_case
    from pubweave.articles.iterator.compiled import compiled_iterator
    from pubweave.articles.iterator.templates import TemplateError

    good = bad = 0
    for path in _case_files(paths):
        try:
            case = read_case(path.read_bytes())
            difference = outcome(case, compiled_iterator)
        except OSError as error:
            raise BadInput(f"{path}: cannot be read ({error.strerror})") from None
        except (CaseError, TemplateError) as error:
            raise BadInput(f"{path}: {error}") from None
        if difference is None:
            good += 1
            echo(f"OK {path.stem}")
        else:
            bad += 1
            echo(f"DIFFERS {path.stem}: {difference}")
    echo(f"{good} OK, {bad} differ")
    if bad:
        click.get_current_context().exit(1)


def _case_files(paths: tuple[str, ...]) -> Iterator[Path]:
    for given in paths:
        path = Path(given)
        if path.is_dir():
            found = sorted(path.rglob("*.json"))
            if not found:
                raise BadInput(f"{given}: holds no case files (*.json)")
            yield from found
        elif path.is_file():
            yield path
        else:
            raise BadInput(f"{given}: no such file or folder")


@articles.command(
    "new",
    context_settings=_SETTINGS,
    epilog="\b\nExamples:\n  pubweave articles new urls.txt > mine.yaml",
)
@click.argument("name")
@click.option("--urls", "given", multiple=True, metavar="SOURCE", help="The URLs to look at, as for run.")
@click.option("--rule", type=click.Path(path_type=Path), help="Instead: a file of scraping rules.")
@click.option("--site", help="The site of the rule file.")
@click.option("--out", type=click.Path(path_type=Path), help="Write the plugin here instead of printing it.")
@click.option("--most", default=200_000, show_default=True, help="Look at this many URLs at most.")
def new(
    name: str, given: tuple[str, ...], rule: Path | None, site: str | None, out: Path | None, most: int
) -> None:
    """Propose a plugin, to be edited by a person: families of URLs by shape, roles guessed from words."""
    from datetime import UTC, datetime
    from itertools import islice

    from pubweave.articles.iterator.drafts import DraftError, draft_from_rule, draft_from_urls

    today = datetime.now(UTC).date().isoformat()
    sources: list[UrlSource] = []
    if bool(given) == (rule is not None):
        raise BadInput("give either --urls or --rule with --site")
    try:
        if rule is not None:
            if site is None:
                raise BadInput("--rule needs --site")
            text = draft_from_rule(name, site, _rule_keys(rule, site), today)
        else:
            sources = _sources(list(given), None)
            entries = (entry.url for source in sources for entry in source.entries())
            text = draft_from_urls(name, sorted(set(islice(entries, most))), today)
    except DraftError as error:
        raise NotPossible(str(error)) from None
    damaged = [damage for source in sources for damage in source.damaged]
    _tell_damaged(damaged)
    if out is None:
        echo(text, nl=False)
        _end_damaged(damaged)
        return
    if out.exists():
        raise BadInput(f"{out}: is there already")
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise NotPossible(f"{out}: cannot be written ({error.strerror})") from None
    _end_damaged(damaged)


def _rule_keys(path: Path, site: str) -> dict[str, str]:
    """The keys of one site in a file of scraping rules (three documents: regex, site, javascript)."""
    import yaml

    from pubweave.core.reading.yaml_bounds import check_bounds

    try:
        text = path.read_text(encoding="utf-8")
        check_bounds(text)
        documents = list(yaml.safe_load_all(text))
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror})") from None
    except yaml.YAMLError as error:
        raise BadInput(f"{path}: is not YAML ({error})") from None
    for document in documents:
        if not isinstance(document, dict):
            continue
        sites = document.get("site", document)
        keys = sites.get(site) if isinstance(sites, dict) else None
        if isinstance(keys, dict):
            return {str(key): str(value) for key, value in keys.items() if value is not None}
    raise BadInput(f"{path}: has no site {site}")


@articles.command(
    "list",
    context_settings=_SETTINGS,
    epilog="\b\nExamples:\n  pubweave articles list",
)
def list_plugins() -> None:
    """List the plugins: name, hosts, state and what they are for."""
    from pubweave.articles.plugins import known_plugins, load_file

    for name, place in sorted(known_plugins().items()):
        if isinstance(place, Path):
            file = load_file(place).file
            assert file is not None
            params = ", ".join(each for each in file.params if each not in file.defaults)
            echo(f"{name}\t{file.status}\t{params or '-'}\t{file.description}")
        else:
            echo(f"{name}\tclass\t-\t{place}")


@articles.command(
    "check",
    context_settings=_SETTINGS,
    epilog="\b\nExamples:\n  pubweave articles check mine.yaml",
)
@click.argument("plugins", nargs=-1, required=True, metavar="PLUGIN…")
def check(plugins: tuple[str, ...]) -> None:
    """Load plugins and say what is wrong with them; exit status 2 if anything is."""
    from pubweave.articles.plugins import load_plugin

    wrong = 0
    for given in plugins:
        try:
            load_plugin(given)
        except BadInput as refused:
            wrong += 1
            echo(f"pubweave: {refused.format_message()}", err=True)
        else:
            echo(f"OK {given}")
    if wrong:
        click.get_current_context().exit(2)
