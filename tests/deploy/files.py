"""The files under test, as they are and as their tools read them."""

import functools
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

CHECKOUT: Final = Path(__file__).resolve().parents[2]
OVERLAYS: Final = ("dev", "prod")


@functools.cache
def composed() -> dict[str, Any]:
    """docker-compose.yml with its anchors resolved."""
    found: dict[str, Any] = yaml.safe_load((CHECKOUT / "docker-compose.yml").read_text(encoding="utf-8"))
    return found


@functools.cache
def schema(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((Path(__file__).parent / "schemas" / f"{name}.json").read_text())
    return found


@functools.cache
def built(overlay: str) -> tuple[dict[str, Any], ...]:
    """The objects of an overlay, as kustomize gives them."""
    folder = CHECKOUT / "k8s" / "overlays" / overlay
    ran = subprocess.run([*_kustomize(), str(folder)], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return tuple(yaml.safe_load_all(ran.stdout))


def _kustomize() -> list[str]:
    if found := shutil.which("kubectl"):
        return [found, "kustomize"]
    if found := shutil.which("kustomize"):
        return [found, "build"]
    sentence = "the manifests were not built: install kubectl or kustomize"
    if shutil.which("go"):
        from stack.programs import kustomize

        return [str(kustomize()), "build"]
    if os.environ.get("CI"):
        pytest.fail(f"in CI nothing is skipped, but {sentence}", pytrace=False)
    pytest.skip(sentence)


def of_kind(overlay: str, *kinds: str) -> list[dict[str, Any]]:
    return [one for one in built(overlay) if one["kind"] in kinds]


def pods(overlay: str) -> dict[str, dict[str, Any]]:
    """Every pod template of an overlay, by the kind and name of what makes the pods."""
    return {
        f"{one['kind']}/{one['metadata']['name']}": one["spec"]["template"]
        for one in of_kind(overlay, "Deployment", "StatefulSet", "Job")
    }


def containers(template: dict[str, Any]) -> list[dict[str, Any]]:
    """Those of a pod that work and those that prepare."""
    return [*template["spec"]["containers"], *template["spec"].get("initContainers", [])]
