"""Published schemas of compose files and Kubernetes objects, cut to what our files use: `python -m stack.schemas`.

Writes tests/deploy/schemas anew from Go modules. Sentences for people are left out, nothing else is changed but
that unknown members are refused, as the API server does on strict validation.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import yaml

from stack.programs import module

FOLDER: Final = Path(__file__).resolve().parents[1] / "deploy" / "schemas"
COMPOSE: Final = ("github.com/compose-spec/compose-go/v2", "v2.9.1")
KUBERNETES: Final = ("k8s.io/kubernetes", "v1.34.2")
KEDA: Final = ("github.com/kedacore/keda/v2", "v2.17.2")

KINDS: Final = {
    "api__v1": ("v1", ("Namespace", "ServiceAccount", "ConfigMap", "Service")),
    "apis__apps__v1": ("apps/v1", ("Deployment", "StatefulSet")),
    "apis__batch__v1": ("batch/v1", ("Job",)),
    "apis__policy__v1": ("policy/v1", ("PodDisruptionBudget",)),
    "apis__networking.k8s.io__v1": ("networking.k8s.io/v1", ("NetworkPolicy",)),
}
"""By file of the published OpenAPI: the group's version and the kinds that we use."""


def kubernetes() -> dict[str, Any]:
    """JSON Schema: `$defs` named `apps.v1.Deployment` and, for what they refer to, as Kubernetes names them."""
    folder = module(*KUBERNETES) / "api" / "openapi-spec" / "v3"
    found: dict[str, Any] = {}
    for file, (version, kinds) in KINDS.items():
        text = (folder / f"{file}_openapi.json").read_text(encoding="utf-8")
        known = json.loads(text.replace("#/components/schemas/", "#/$defs/"))["components"]["schemas"]
        wanted = []
        for name, schema in known.items():
            for kind in schema.get("x-kubernetes-group-version-kind", []):
                group = "/".join(filter(None, (kind["group"], kind["version"])))
                if group == version and kind["kind"] in kinds and kind["kind"] == name.rpartition(".")[2]:
                    found[f"{version}.{kind['kind']}".replace("/", ".")] = {"$ref": f"#/$defs/{name}"}
                    wanted.append(name)
        _take(wanted, known, found)
    return {"$comment": f"{KUBERNETES[0]} {KUBERNETES[1]}, Apache-2.0", "$defs": found}


def _take(names: Iterable[str], known: dict[str, Any], found: dict[str, Any]) -> None:
    """These schemas and all that they refer to."""
    left = list(names)
    while left:
        name = left.pop()
        if name in found:
            continue
        found[name] = plain(known[name])
        left += _references(found[name])


def _references(schema: Any) -> list[str]:
    if isinstance(schema, list):
        return [name for one in schema for name in _references(one)]
    if not isinstance(schema, dict):
        return []
    here = [schema["$ref"].rpartition("/")[2]] if isinstance(schema.get("$ref"), str) else []
    return here + [name for one in schema.values() for name in _references(one)]


def plain(schema: Any) -> Any:
    """Without words for people and for other programs; an object has no members but those it names."""
    if isinstance(schema, list):
        return [plain(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    kept: dict[str, Any] = {}
    for name, value in schema.items():
        if name == "properties":
            kept[name] = {member: plain(one) for member, one in value.items()}
        elif name in ("description", "default", "example") or name.startswith("x-"):
            continue
        elif name == "allOf" and len(value) == 1:
            kept |= plain(value[0])
        else:
            kept[name] = plain(value)
    if schema.get("x-kubernetes-int-or-string"):
        kept["type"] = ["integer", "string"]
    if "properties" in kept and "additionalProperties" not in kept:
        kept["additionalProperties"] = False
    if kept.pop("nullable", False):
        kept["type"] = [kept["type"], "null"]
    return kept


KEDA_KINDS: Final = {"ScaledObject": "scaledobjects", "TriggerAuthentication": "triggerauthentications"}


def keda_files() -> list[Path]:
    """The definitions of KEDA's objects, as they are given to a cluster."""
    folder = module(*KEDA) / "config" / "crd" / "bases"
    return [folder / f"keda.sh_{plural}.yaml" for plural in KEDA_KINDS.values()]


def keda() -> dict[str, Any]:
    """JSON Schema: `$defs` by kind."""
    found = {}
    for kind, file in zip(KEDA_KINDS, keda_files(), strict=True):
        definition = yaml.safe_load(file.read_text(encoding="utf-8"))
        found[kind] = plain(definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"])
        # The server adds what every object has; here it is said.
        found[kind]["properties"]["metadata"] = {"type": "object"}
    return {"$comment": f"{KEDA[0]} {KEDA[1]}, Apache-2.0", "$defs": found}


def compose() -> Any:
    found = json.loads((module(*COMPOSE) / "schema" / "compose-spec.json").read_text(encoding="utf-8"))
    return {"$comment": f"{COMPOSE[0]} {COMPOSE[1]}, Apache-2.0", **_without_words(found)}


def _without_words(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_without_words(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        name: {member: _without_words(one) for member, one in value.items()}
        if name in ("properties", "patternProperties", "definitions") and isinstance(value, dict)
        else _without_words(value)
        for name, value in schema.items()
        if not (name == "description" and isinstance(value, str))
    }


def main() -> None:
    for name, schema in (("compose", compose()), ("kubernetes", kubernetes()), ("keda", keda())):
        text = json.dumps(schema, separators=(",", ":"), sort_keys=True)
        (FOLDER / f"{name}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
