"""Blocks of docker-compose.yml and k8s/ that are made from the registry are what the registry says."""

import shutil
from pathlib import Path

import pytest
import yaml

from deploy.files import CHECKOUT, composed
from pubweave import registry
from pubweave.deploy.generate import COMMAND, main, stale
from pubweave.deploy.services import services
from pubweave.runtimes.bus.system import ALL


def test_generated_files_are_up_to_date() -> None:
    names = [str(made.path.relative_to(CHECKOUT)) for made in stale(CHECKOUT)]

    assert names == [], f"out of date; write them anew with: {COMMAND}"


def test_stale_files_are_named_and_put_right(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is written by hand around a block stays."""
    shutil.copy(CHECKOUT / "docker-compose.yml", tmp_path)
    shutil.copytree(CHECKOUT / "k8s", tmp_path / "k8s")
    composed_file = tmp_path / "docker-compose.yml"
    before = composed_file.read_text(encoding="utf-8")
    composed_file.write_text(
        before.replace('"work", "merger"', '"work", "mergre"').replace("# Wants 8 GB", "# Wants 9 GB"),
        encoding="utf-8",
    )
    (tmp_path / "k8s/components/keda/scaled-objects.yaml").unlink()

    assert main(["--check"], tmp_path) == 1
    told = capsys.readouterr().err
    assert "docker-compose.yml is out of date" in told
    assert "scaled-objects.yaml is out of date" in told
    assert COMMAND in told

    assert main([], tmp_path) == 0
    assert main(["--check"], tmp_path) == 0
    assert composed_file.read_text(encoding="utf-8") == before.replace("# Wants 8 GB", "# Wants 9 GB")


def test_every_service_that_work_knows_is_deployed_everywhere() -> None:
    """In compose and as a Deployment with its PodDisruptionBudget, each under its own command; what is off by default under a
    profile and in a component of its name, so that nothing starts it but who wants it."""
    off = [one for one in services() if not one.on]
    commands = [one["command"] for one in composed()["services"].values() if "command" in one]
    files = [CHECKOUT / "k8s/base/services.yaml"]
    for one in off:
        component = CHECKOUT / "k8s/components" / one.name
        files.append(component / "services.yaml")
        kustomization = yaml.safe_load((component / "kustomization.yaml").read_text(encoding="utf-8"))

        assert (kustomization["kind"], kustomization["resources"]) == ("Component", ["services.yaml"])
        assert composed()["services"][one.name]["profiles"] == [one.name]
    objects = [one for file in files for one in yaml.safe_load_all(file.read_text(encoding="utf-8"))]
    deployments = [one for one in objects if one["kind"] == "Deployment"]
    started = [one["spec"]["template"]["spec"]["containers"][0]["args"] for one in deployments]
    budgets = [one["metadata"]["name"] for one in objects if one["kind"] == "PodDisruptionBudget"]

    assert [one for one in commands if one[0] == "work"] == [["work", name] for name in ALL]
    assert sorted(started) == sorted(["work", name] for name in ALL)
    assert [one.service for one in off] == [name for name in registry.RESOURCES if name not in registry.ON]
    assert {name for name, one in composed()["services"].items() if "profiles" in one} >= {
        one.name for one in off
    }
    assert budgets == [one["metadata"]["name"] for one in deployments]
    assert [one.service for one in services()] == list(ALL)
