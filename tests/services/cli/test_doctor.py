"""`pubweave doctor`, `completion` and `man`: what a new user meets first."""

import json
import socket
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import ClassVar

import click
import pytest

from pubweave.cli.commands.man.command import contexts, pages
from pubweave.cli.main import root
from services.cli.conftest import Cli
from simnet.fixture import Running

SOURCES = ("europepmc", "annotations", "eutils", "pubmed", "doi", "unpaywall")


def states(text: str) -> dict[str, str]:
    return {one["what"]: one["state"] for one in json.loads(text)}


def test_offline_it_looks_at_this_machine_alone_and_says_what_to_do(cli: Cli) -> None:
    """No e-mail address is a warning with advice, and no reason for a bad exit status."""
    ran = cli("doctor", "--offline", "--format", "json")
    by_name = {one["what"]: one for one in json.loads(ran.out)}

    assert ran.status == 0
    assert by_name["Unpaywall"]["state"] == "warning"
    assert "--email" in by_name["Unpaywall"]["advice"]
    assert by_name["database"]["state"] == "ok"
    assert cli("doctor", "--offline", "--email", "a@example.org", "--format", "json").out.count(
        '"warning"'
    ) < len(by_name)


def test_what_would_keep_a_fetch_from_working_is_a_problem(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A database that is none, rules that are wrong, certificates that are no certificates."""
    (tmp_path / "no.db").write_bytes(b"not a database at all" * 100)
    (tmp_path / "rules.yaml").write_text("regex: [")
    (tmp_path / "no.pem").write_text("nothing")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "no.pem"))

    ran = cli(
        *("doctor", "--offline", "--format", "json", "--db", tmp_path / "no.db"),
        *("--journals-yaml", tmp_path / "rules.yaml"),
    )

    assert ran.status == 1
    assert [name for name, state in states(ran.out).items() if state == "problem"] == [
        "rules",
        "database",
        "certificates",
    ]


class Clockwork(BaseHTTPRequestHandler):
    """Answers everything, with a clock that is an hour ahead."""

    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_response_only(200)
        self.send_header("Date", format_datetime(datetime.now(UTC) + timedelta(hours=1)))
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_: object) -> None:
        """Silent."""


@pytest.fixture
def clockwork() -> Iterator[str]:
    Clockwork.asked.clear()
    server = HTTPServer(("127.0.0.1", 0), Clockwork)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.network
def test_every_source_is_asked_once_and_a_wrong_clock_is_noticed(cli: Cli, clockwork: str) -> None:
    """One request a source, whatever it answers, and the clocks compared."""
    addresses = [word for name in SOURCES for word in (f"--address-{name}", f"{clockwork}/{name}")]

    ran = cli("doctor", "--format", "json", "--allow-addresses", "127.0.0.0/8", *addresses)

    assert ran.status == 0
    assert sorted(path.split("/")[1].split("?")[0] for path in Clockwork.asked) == sorted(SOURCES)
    assert states(ran.out)["clock"] == "warning"


@pytest.mark.network
def test_a_source_that_does_not_answer_is_named_with_its_setting(cli: Cli, clockwork: str) -> None:
    """And the exit status says that a fetch would not work."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        addresses = [word for name in SOURCES for word in (f"--address-{name}", f"{clockwork}/{name}")]
        addresses[addresses.index("--address-doi") + 1] = f"http://127.0.0.1:{closed.getsockname()[1]}"

        ran = cli("doctor", "--allow-addresses", "127.0.0.0/8", *addresses)

    assert ran.status == 1
    assert "refused" in ran.out
    assert "address_doi" in ran.out


@pytest.mark.network
def test_the_simulated_internet_is_in_good_health(cli: Cli, net: Running) -> None:
    """All sources answer there."""
    ran = cli("doctor", "--email", "a@example.org", "--format", "json")

    assert [one for one, state in states(ran.out).items() if state == "problem"] == []
    assert ran.err == ""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_a_script_that_asks_this_program(cli: Cli, shell: str) -> None:
    ran = cli("completion", shell)

    assert ran.status == 0
    assert "_PUBWEAVE_COMPLETE" in ran.out


def test_commands_and_options_are_completed(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """What the script asks is answered: `pubweave doc` goes on, `--off` too."""
    monkeypatch.setenv("_PUBWEAVE_COMPLETE", "bash_complete")
    answers = {}
    for words in ("pubweave doct", "pubweave doctor --off"):
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(words.count(" ")))
        with pytest.raises(SystemExit):
            root.main([], prog_name="pubweave", standalone_mode=False)
        answers[words] = capfdbinary.readouterr().out.decode().split()

    assert answers == {"pubweave doct": ["plain,doctor"], "pubweave doctor --off": ["plain,--offline"]}


def test_every_command_has_its_manual_page(cli: Cli, tmp_path: Path) -> None:
    """One page each, with a name, a synopsis and examples; no line begins with a macro by accident."""
    ran = cli("man", "--out", tmp_path / "man")
    written = {path.stem for path in (tmp_path / "man").iterdir()}

    assert ran.status == 0
    assert written == {
        context.command_path.replace(" ", "-")
        for context in contexts(click.Context(root, info_name="pubweave"))
    }
    for name, text in pages(root):
        macros = {line.split()[0] for line in text.splitlines() if line.startswith((".", "'"))}

        assert macros <= {".TH", ".SH", ".B", ".TP", ".PP", ".nf", ".fi"}, name
        assert text.startswith(f'.TH "{name.upper()}" "1"')


def test_a_manual_that_cannot_be_written_is_told_in_one_sentence(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "man").write_text("a file")

    ran = cli("man", "--out", tmp_path / "man")

    assert (ran.status, ran.err.count("\n")) == (2, 1)
