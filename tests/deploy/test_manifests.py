"""k8s/: what Kubernetes' own schemas want, and what we promise of it."""

import functools
from typing import Any

import jsonschema
import pytest

from deploy.files import OVERLAYS, built, containers, of_kind, pods, schema
from pubweave.contract.catalogue import topic_of
from pubweave.deploy.services import HEALTH_PORT, services
from pubweave.runtimes.messages.groups import group_of, topics_heard_by
from pubweave.settings import SETTINGS

PODS = [(overlay, name) for overlay in OVERLAYS for name in pods(overlay)]
OURS = [(overlay, f"Deployment/{one.name}") for overlay in OVERLAYS for one in services() if one.on]
WORLD = "pubweave/reaches-the-world"


@functools.cache
def validator(name: str) -> jsonschema.Draft202012Validator:
    if name.startswith("keda."):
        known, name = schema("keda")["$defs"], name.rpartition(".")[2]
        return jsonschema.Draft202012Validator({"$defs": known, "$ref": f"#/$defs/{name}"})
    known = schema("kubernetes")["$defs"]
    assert name in known, f"{name}: add it to tests/stack/schemas.py"
    return jsonschema.Draft202012Validator({"$defs": known, "$ref": f"#/$defs/{name}"})


def validate(one: dict[str, Any]) -> None:
    """:raises jsonschema.ValidationError: the API server would refuse it"""
    validator(f"{one['apiVersion']}.{one['kind']}".replace("/", ".")).validate(one)


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_every_object_is_what_its_schema_wants(overlay: str) -> None:
    for one in built(overlay):
        validate(one)


@pytest.mark.parametrize("place", ["spec", "template", "container", "probe"])
def test_the_schemas_find_mistakes(place: str) -> None:
    """A member too many is refused wherever it stands."""
    import copy

    one = copy.deepcopy(of_kind("dev", "Deployment")[0])
    container = one["spec"]["template"]["spec"]["containers"][0]
    where = {
        "spec": one["spec"],
        "template": one["spec"]["template"]["spec"],
        "container": container,
        "probe": container["livenessProbe"]["httpGet"],
    }
    where[place]["mistyped"] = 1

    with pytest.raises(jsonschema.ValidationError, match="mistyped"):
        validate(one)


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_everything_is_in_our_namespace_under_the_strictest_profile(overlay: str) -> None:
    (namespace,) = of_kind(overlay, "Namespace")

    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"
    assert {one["metadata"].get("namespace") for one in built(overlay) if one is not namespace} == {
        namespace["metadata"]["name"]
    }


@pytest.mark.parametrize(("overlay", "name"), PODS)
def test_every_pod_is_restricted(overlay: str, name: str) -> None:
    """Not root, no privilege, no capability, a read-only root, seccomp, no token of an account."""
    template = pods(overlay)[name]
    spec = template["spec"]

    assert spec["securityContext"]["runAsNonRoot"] is True
    assert spec["securityContext"]["runAsUser"] >= 100
    assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert spec["automountServiceAccountToken"] is False
    assert not {"hostNetwork", "hostPID", "hostIPC"} & set(spec)
    for container in containers(template):
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
    assert all("hostPath" not in volume for volume in spec.get("volumes", []))


@pytest.mark.parametrize(("overlay", "name"), PODS)
def test_every_container_is_bounded(overlay: str, name: str) -> None:
    """Requests and limits of both, the request never above the limit; scratch space has a size."""
    template = pods(overlay)[name]
    for container in containers(template):
        resources = container["resources"]

        assert {"cpu", "memory"} <= set(resources["requests"])
        assert {"cpu", "memory"} <= set(resources["limits"])
        for what in ("cpu", "memory"):
            assert quantity(resources["requests"][what]) <= quantity(resources["limits"][what])
        assert not container["image"].endswith(":latest")
        assert ":" in container["image"].rpartition("/")[2]
    for volume in template["spec"].get("volumes", []):
        if "emptyDir" in volume:
            assert volume["emptyDir"]["sizeLimit"]


def quantity(text: object) -> float:
    """Kubernetes' way to write an amount."""
    units = {"m": 1e-3, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}
    number = str(text)
    for unit, factor in units.items():
        if number.endswith(unit):
            return float(number.removesuffix(unit)) * factor
    return float(number)


def test_amounts_are_compared_as_kubernetes_reads_them() -> None:
    assert quantity("50m") < quantity("1") < quantity("64Mi") < quantity("1Gi")


@pytest.mark.parametrize(("overlay", "name"), OURS)
def test_services_are_watched_by_progress(overlay: str, name: str) -> None:
    """/healthz is 503 where messages wait and none is done; the start has longer than it waits for Kafka."""
    (container,) = pods(overlay)[name]["spec"]["containers"]
    patience_s = next(setting.default for setting in SETTINGS if setting.name == "start_patience")
    start = container["startupProbe"]

    assert container["livenessProbe"]["httpGet"] == {"path": "/healthz", "port": "health"}
    assert container["readinessProbe"]["httpGet"] == {"path": "/readyz", "port": "health"}
    assert start["httpGet"]["path"] == "/healthz"
    assert start["failureThreshold"] * start["periodSeconds"] > int(patience_s)
    assert container["ports"] == [{"name": "health", "containerPort": HEALTH_PORT}]
    (settings,) = (one for one in of_kind(overlay, "ConfigMap") if one["metadata"]["name"] == "pubweave")
    assert settings["data"]["PUBWEAVE_HEALTH"] == f"0.0.0.0:{HEALTH_PORT}"


@pytest.mark.parametrize(("overlay", "name"), OURS)
def test_secrets_are_referred_to_and_never_written_down(overlay: str, name: str) -> None:
    (container,) = pods(overlay)[name]["spec"]["containers"]

    assert container["envFrom"] == [
        {"configMapRef": {"name": "pubweave"}},
        {"secretRef": {"name": "pubweave", "optional": True}},
    ]
    assert of_kind(overlay, "Secret") == []


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_what_is_set_is_a_setting_and_no_secret(overlay: str) -> None:
    known = {setting.variable: setting for setting in SETTINGS}
    for settings in of_kind(overlay, "ConfigMap"):
        for name in settings["data"]:
            assert name == "PUBWEAVE_HEALTH" or not known[name].secret


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_a_drained_node_takes_one_of_each_at_a_time(overlay: str) -> None:
    budgets = {one["metadata"]["name"]: one["spec"] for one in of_kind(overlay, "PodDisruptionBudget")}
    for one in of_kind(overlay, "Deployment"):
        budget = budgets[one["metadata"]["name"]]

        assert budget["maxUnavailable"] == 1
        assert budget["selector"] == one["spec"]["selector"]


# Who reaches whom.


def selected(policy: dict[str, Any], template: dict[str, Any]) -> bool:
    wanted = policy["spec"]["podSelector"].get("matchLabels", {})
    return bool(wanted.items() <= template["metadata"]["labels"].items())


def blocks(policy: dict[str, Any]) -> list[dict[str, Any]]:
    """Addresses outside the cluster that a policy lets pods reach."""
    return [
        peer["ipBlock"]
        for rule in policy["spec"].get("egress", [])
        for peer in rule.get("to", [{"ipBlock": {"cidr": "0.0.0.0/0"}}])
        if "ipBlock" in peer
    ]


def public(block: dict[str, Any]) -> bool:
    import ipaddress

    return ipaddress.ip_network(block["cidr"]).is_global or block["cidr"] == "0.0.0.0/0"


@pytest.mark.parametrize(("overlay", "name"), PODS)
def test_only_the_door_reaches_the_world(overlay: str, name: str) -> None:
    """What no policy allows is denied, as one policy is for every pod."""
    template = pods(overlay)[name]
    policies = [one for one in of_kind(overlay, "NetworkPolicy") if selected(one, template)]
    reached = [block for policy in policies for block in blocks(policy) if public(block)]

    assert any(one["spec"]["policyTypes"] == ["Ingress", "Egress"] for one in policies)
    assert bool(reached) == (name == "Deployment/fetcher")


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_the_door_reaches_nothing_private(overlay: str) -> None:
    (world,) = (one for one in of_kind(overlay, "NetworkPolicy") if one["metadata"]["name"] == "world")
    for block in blocks(world):
        if block["cidr"] == "0.0.0.0/0":
            private = {"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "127.0.0.0/8"}
            assert private <= set(block["except"])
        else:
            assert block["cidr"] == "2000::/3", "global unicast only"


@pytest.mark.parametrize(("overlay", "name"), PODS)
def test_members_of_the_bus_reach_its_servers(overlay: str, name: str) -> None:
    template = pods(overlay)[name]
    if "pubweave/bus" not in template["metadata"]["labels"]:
        pytest.fail(f"{name} is neither member nor server of the bus")
    policies = [one for one in of_kind(overlay, "NetworkPolicy") if selected(one, template)]
    ports = {
        port["port"]
        for policy in policies
        for rule in policy["spec"].get("egress", [])
        for port in rule.get("ports", [])
    }
    if template["metadata"]["labels"]["pubweave/bus"] == "member":
        assert 9042 in ports
        assert {9092, 9093} & ports


# As many as there is work for.


def test_there_are_never_more_of_a_service_than_partitions() -> None:
    """Read from the catalogue of topics; each trigger is a topic that the service consumes."""
    for one in of_kind("prod", "ScaledObject"):
        service = one["spec"]["scaleTargetRef"]["name"].replace("-", "_")
        triggers = [trigger["metadata"] for trigger in one["spec"]["triggers"]]

        assert [trigger["topic"] for trigger in triggers] == list(topics_heard_by(service))
        for trigger in triggers:
            assert one["spec"]["maxReplicaCount"] <= topic_of(trigger["topic"]).partitions
            assert trigger["consumerGroup"] == group_of(service, trigger["topic"])
            assert trigger["allowIdleConsumers"] == "false"


def test_keda_logs_in_as_the_operator_says() -> None:
    """By one TriggerAuthentication for all, from a Secret that is not ours."""
    (login,) = of_kind("prod", "TriggerAuthentication")
    used = {
        trigger["authenticationRef"]["name"]
        for one in of_kind("prod", "ScaledObject")
        for trigger in one["spec"]["triggers"]
    }

    assert used == {login["metadata"]["name"]}
    assert {one["parameter"] for one in login["spec"]["secretTargetRef"]} == {
        "tls",
        "sasl",
        "username",
        "password",
    }


def test_every_service_but_the_scheduler_is_scaled() -> None:
    scaled = {one["metadata"]["name"] for one in of_kind("prod", "ScaledObject")}

    assert scaled == {one.name for one in services() if one.on} - {"scheduler"}
    assert of_kind("dev", "ScaledObject") == []


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_no_deployment_says_how_many(overlay: str) -> None:
    """Applying it again would undo what was scaled."""
    assert [
        one["metadata"]["name"] for one in of_kind(overlay, "Deployment") if "replicas" in one["spec"]
    ] == []
