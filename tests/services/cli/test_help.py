"""Help that helps, at once."""

import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

from pubweave.cli.group import Lazy
from pubweave.cli.main import ALIASES, COMMANDS, root
from pubweave.settings import SETTINGS
from services.cli.conftest import Cli

OURS = {name: lazy for name, lazy in COMMANDS.items() if lazy.target.startswith("pubweave.cli.")}


def commands(
    group: click.Group, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        if path or name in OURS:
            command = group.get_command(context, name)
            assert command is not None
            if isinstance(command, click.Group):
                yield from commands(command, (*path, name))
            else:
                yield (*path, name), command


ALL = dict(commands(root))


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_every_command_has_examples_that_name_it(cli: Cli, path: tuple[str, ...]) -> None:
    ran = cli(*path, "--help")

    assert ran.status == 0
    assert f"pubweave {' '.join(path)}" in ran.out.split("Examples:")[1]


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_every_option_says_what_it_is_for(path: tuple[str, ...]) -> None:
    for parameter in ALL[path].params:
        if isinstance(parameter, click.Option):
            assert (parameter.help or "").endswith((".", "]")), parameter.opts


def test_the_main_help_lists_commands_and_fetching_parameters(cli: Cli) -> None:
    """T-020."""
    ran = cli("--help")

    assert ran.status == 0
    for name in COMMANDS:
        assert f"  {name} " in ran.out
    for setting in SETTINGS:
        if setting.group == "fetching":
            assert setting.option in ran.out.split()


@pytest.mark.parametrize("name", OURS)
def test_the_sentences_of_the_main_help_lead_to_commands(name: str) -> None:
    lazy: Lazy = COMMANDS[name]

    assert lazy.sentence.endswith(".")
    assert root.get_command(click.Context(root), name) is not None


def test_help_imports_nothing_that_is_slow() -> None:
    """What makes help instant: no terminal library, no codecs, no network, no XML before a command runs."""
    code = (
        "import sys; from pubweave.cli.main import run; run(['--help']); print(*sys.modules, file=sys.stderr)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(ran.stderr.split())

    assert "pubweave.settings" in loaded
    assert not loaded & {
        "rich",
        "msgspec",
        "orjson",
        "lxml",
        "aiohttp",
        "structlog",
        "asyncio",
        "sqlite3",
        "yaml",
    }


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("fecth",), "did you mean 'fetch'?"),
        (("zzz",), "there are: fetch, "),
        (("--nonsense",), "no such option"),
        (("fetch", "--nonsense"), "no such option"),
        (("status", "--format", "xml"), "xml"),
    ],
)
def test_mistakes_are_one_sentence(cli: Cli, arguments: tuple[str, ...], words: str) -> None:
    ran = cli(*arguments)

    assert (ran.status, ran.out) == (2, "")
    assert words in ran.err
    assert ran.err.startswith("pubweave: ")
    assert ran.err.count("\n") == 1


def test_a_bare_call_shows_the_help(cli: Cli) -> None:
    ran = cli()

    assert ran.status == 2
    assert "Commands:" in ran.err


def test_aliases_lead_to_commands() -> None:
    assert set(ALIASES.values()) <= set(COMMANDS)
    assert not set(ALIASES) & set(COMMANDS)


def test_unforeseen_failures_show_no_traceback_unasked(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit status 1 and one sentence; with --debug, anywhere, the traceback travels."""

    def broken(*_: object) -> None:
        raise KeyError("a bug")

    monkeypatch.setattr(ALL[("version",)], "callback", broken)
    ran = cli("version")

    assert ran.status == 1
    assert ran.err == "pubweave: failed: KeyError: 'a bug' (--debug shows where)\n"
    with pytest.raises(KeyError):
        cli("version", "--debug")


@pytest.mark.parametrize("path", sorted({path[:-1] for path in ALL if len(path) > 1}), ids=" ".join)
def test_groups_say_whole_sentences(cli: Cli, path: tuple[str, ...]) -> None:
    """Of each of their commands: nothing is cut."""
    told = cli(*path, "--help").out.partition("Commands:")[2]

    assert "..." not in told
    for name in (other[-1] for other in ALL if other[:-1] == path):
        assert f"  {name} " in told
