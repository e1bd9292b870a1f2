"""The manifests on a real Kubernetes API server: `make test-deploy`. It checks and keeps them; nothing runs."""

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from deploy.files import CHECKOUT, OVERLAYS, pods
from stack import programs
from stack.kubernetes import Cluster, cluster
from stack.schemas import keda_files

pytestmark = pytest.mark.timeout(1200)


@pytest.fixture(scope="module")
def kubernetes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """One that knows KEDA's objects."""
    if obstacle := programs.missing():
        pytest.fail(f"this needs {obstacle}", pytrace=False)
    with cluster(tmp_path_factory.mktemp("kubernetes")) as found:
        for file in keda_files():
            found.kubectl("apply", "--server-side", "-f", str(file))
        found.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=60s")
        yield found


def folder(overlay: str) -> str:
    return str(CHECKOUT / "k8s" / "overlays" / overlay)


def test_a_mistake_is_refused(kubernetes: Cluster) -> None:
    """Otherwise the next tests would prove nothing."""
    wrong = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}, "dta": {}}
    ran = kubernetes.kubectl("apply", "--validate=strict", "-f", "-", given=json.dumps(wrong), check=False)

    assert ran.returncode != 0
    assert "dta" in ran.stderr


@pytest.fixture(params=OVERLAYS)
def overlay(kubernetes: Cluster, request: pytest.FixtureRequest) -> Iterator[str]:
    """Its name; its namespace is there, and nothing of it afterwards."""
    name: str = request.param
    kubernetes.kubectl("apply", "-f", f"{folder(name)}/namespace.yaml")
    yield name
    kubernetes.kubectl("delete", "--ignore-not-found", "--wait=false", "-k", folder(name))
    # No controller is there to empty a namespace and to let it go.
    told = kubernetes.kubectl("get", "namespace", "pubweave", "-o", "json", check=False)
    if told.returncode == 0:
        found: dict[str, Any] = json.loads(told.stdout)
        found["spec"]["finalizers"] = []
        where = "/api/v1/namespaces/pubweave/finalize"
        kubernetes.kubectl("replace", "--raw", where, "-f", "-", given=json.dumps(found))


def generations(kubernetes: Cluster) -> dict[str, int]:
    """How often what is wanted of each object has changed."""
    kinds = "deployments,statefulsets,jobs,networkpolicies,poddisruptionbudgets,scaledobjects"
    told = json.loads(kubernetes.kubectl("-n", "pubweave", "get", kinds, "-o", "json").stdout)
    return {
        f"{one['kind']}/{one['metadata']['name']}": one["metadata"]["generation"] for one in told["items"]
    }


def test_the_server_takes_every_object(kubernetes: Cluster, overlay: str) -> None:
    """First without keeping anything, then for good; a second time changes nothing. The server warns of nothing:
    also not that a pod breaks the profile of its namespace."""
    tried = kubernetes.kubectl("apply", "--dry-run=server", "--validate=strict", "-k", folder(overlay))
    applied = kubernetes.kubectl("apply", "--validate=strict", "-k", folder(overlay))
    before = generations(kubernetes)
    kubernetes.kubectl("apply", "--validate=strict", "-k", folder(overlay))

    assert "Warning" not in tried.stderr + applied.stderr, applied.stderr
    assert tried.stdout.count("(server dry run)") == applied.stdout.count("\n")
    assert set(pods(overlay)) <= set(before)
    assert set(before.values()) == {1}
    assert generations(kubernetes) == before


def test_every_pod_is_admitted_under_the_strictest_profile(kubernetes: Cluster, overlay: str) -> None:
    """The profile of a namespace holds for pods, not for what makes them; so one of each is shown to the server.
    One that is privileged is refused."""
    shown = [
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                **template["metadata"],
                "name": name.replace("/", "-").lower(),
                "namespace": "pubweave",
            },
            # What a StatefulSet would claim.
            "spec": {**template["spec"], "volumes": [*volumes(template), {"name": "data", "emptyDir": {}}]},
        }
        for name, template in pods(overlay).items()
    ]
    admitted = kubernetes.kubectl(
        "apply", "--dry-run=server", "--validate=strict", "-f", "-", given=yaml.safe_dump_all(shown)
    )
    bad = copy.deepcopy(shown[0])
    bad["spec"]["containers"][0]["securityContext"]["allowPrivilegeEscalation"] = True
    refused = kubernetes.kubectl("apply", "--dry-run=server", "-f", "-", given=json.dumps(bad), check=False)

    assert admitted.stdout.count("created (server dry run)") == len(shown)
    assert 'violates PodSecurity "restricted' in refused.stderr


def volumes(template: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = template["spec"].get("volumes", [])
    return found


@pytest.mark.parametrize("overlay", ["dev"], indirect=True)
def test_what_was_scaled_is_not_undone(kubernetes: Cluster, overlay: str) -> None:
    """Somebody scales a service, somebody applies the manifests again."""
    kubernetes.kubectl("apply", "-k", folder(overlay))
    kubernetes.kubectl("-n", "pubweave", "scale", "deployment/merger", "--replicas=3")
    kubernetes.kubectl("apply", "-k", folder(overlay))
    count = kubernetes.kubectl(
        "-n", "pubweave", "get", "deployment/merger", "-o", "jsonpath={.spec.replicas}"
    ).stdout

    assert count == "3"
