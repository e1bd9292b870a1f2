"""What is told to be typed can be typed."""

import re
import subprocess
import sys

import pytest

from deploy.files import CHECKOUT, composed
from pubweave.cli.main import COMMANDS
from pubweave.deploy.welcome import WORDS

PAGES = {
    "the welcome": WORDS,
    "README.md": (CHECKOUT / "README.md").read_text(encoding="utf-8"),
    "docs/operating.md": (CHECKOUT / "docs/operating.md").read_text(encoding="utf-8"),
    "docker-compose.yml": (CHECKOUT / "docker-compose.yml").read_text(encoding="utf-8"),
}


@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_the_containers_is_there(page: str) -> None:
    """`docker compose run --rm SERVICE COMMAND`, and `pubweave COMMAND` in blocks of the pages about clusters."""
    for service, command in re.findall(r"docker compose run --rm (?:-T )?([a-z-]+) ([a-z-]+)", PAGES[page]):
        assert service in composed()["services"]
        assert command in COMMANDS
    for command in re.findall(r"(?:^|&& |`)pubweave ([a-z]+[a-z-]*)", PAGES[page], re.MULTILINE):
        assert command in {*COMMANDS, "turns"}, command


def test_the_readme_begins_as_the_welcome_does() -> None:
    first = [line.strip() for line in WORDS.splitlines() if line.startswith("  docker compose")]

    assert len(first) == 3
    for line in first:
        assert line in PAGES["README.md"]


def test_the_welcome_is_said_by_the_image() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "pubweave.deploy.welcome"], capture_output=True, text=True, check=True
    )

    assert ran.stdout.strip() == WORDS.strip()


@pytest.mark.parametrize("overlay", ["dev", "prod"])
def test_overlays_that_are_named_are_there(overlay: str) -> None:
    assert f"k8s/overlays/{overlay}" in PAGES["docs/operating.md"]
    assert (CHECKOUT / "k8s/overlays" / overlay / "kustomization.yaml").is_file()
