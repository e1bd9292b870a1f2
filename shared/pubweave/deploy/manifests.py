"""Kubernetes objects made from the services: Deployments with their PodDisruptionBudgets, and KEDA's ScaledObjects."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import yaml

from pubweave.deploy.services import HEALTH_PORT, USER, Deployed
from pubweave.runtimes.messages.groups import group_of

_PART_OF: Final = {"app.kubernetes.io/part-of": "pubweave"}

_GRACE_S: Final = 60
_CPU: Final = "50m"
_CPU_MOST: Final = "1"
_PERIOD_S: Final = 10
_START_S: Final = 420
"""Longer than the setting `start_patience`: a service that still waits for Kafka is not to be killed for it."""


def deployments(services: Sequence[Deployed]) -> str:
    """k8s/base/services.yaml."""
    return _documents(one for service in services for one in (_deployment(service), _budget(service)))


def component(service: Deployed) -> str:
    """k8s/components/<name>/kustomization.yaml: one that is started only by who wants it."""
    return (
        f"# {service.sentence[0].upper()}{service.sentence[1:]}. Off by default: an overlay that names this component starts it,\n"
        f"# and PUBWEAVE_RESOURCES=+{service.service} has it asked.\n"
        "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources:\n  - services.yaml\n"
    )


def scaled_objects(services: Sequence[Deployed]) -> str:
    """k8s/components/keda/scaled-objects.yaml: of all that can be more than one."""
    return _documents(_scaled(service) for service in services if service.replicas_most > 1)


def _documents(objects: Iterable[dict[str, Any]]) -> str:
    # `width`: no value is broken over lines, so that a difference shows as one.
    return "---\n".join(
        yaml.dump(one, sort_keys=False, allow_unicode=True, width=10_000, Dumper=_NoAliases)
        for one in objects
    )


class _NoAliases(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def _labels(one: Deployed) -> dict[str, str]:
    return {"app.kubernetes.io/name": one.name, **_PART_OF}


def _deployment(one: Deployed) -> dict[str, Any]:
    labels = _labels(one)
    reach = {"pubweave/reaches-the-world": "true"} if one.world else {}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": one.name,
            "labels": labels,
            "annotations": {"kubernetes.io/description": one.sentence},
        },
        # No `replicas`: what somebody or KEDA has scaled is not undone by the next `kubectl apply`.
        "spec": {
            "selector": {"matchLabels": labels},
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
            "template": {
                "metadata": {
                    "labels": {**labels, "pubweave/bus": "member", **reach},
                    "annotations": {
                        "prometheus.io/scrape": "true",
                        "prometheus.io/port": str(HEALTH_PORT),
                        "prometheus.io/path": "/metrics",
                    },
                },
                "spec": _pod(one),
            },
        },
    }


def _pod(one: Deployed) -> dict[str, Any]:
    memory = f"{one.memory_mib}Mi"
    return {
        "serviceAccountName": "pubweave",
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "terminationGracePeriodSeconds": _GRACE_S,
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": USER,
            "runAsGroup": USER,
            "fsGroup": USER,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "topologySpreadConstraints": [
            {
                "maxSkew": 1,
                "topologyKey": "kubernetes.io/hostname",
                "whenUnsatisfiable": "ScheduleAnyway",
                "labelSelector": {"matchLabels": _labels(one)},
            }
        ],
        "containers": [
            {
                "name": one.name,
                "image": "pubweave" if one.image == "base" else f"pubweave-{one.image}",
                "args": ["work", one.service],
                "envFrom": [
                    {"configMapRef": {"name": "pubweave"}},
                    {"secretRef": {"name": "pubweave", "optional": True}},
                ],
                "ports": [{"name": "health", "containerPort": HEALTH_PORT}],
                # Each service waits for Kafka and Cassandra before it answers: that is the start.
                "startupProbe": _probe("/healthz", failures=_START_S // _PERIOD_S),
                # Alive is who makes progress, or says why not.
                "livenessProbe": _probe("/healthz", failures=3),
                "readinessProbe": _probe("/readyz", failures=3),
                "resources": {
                    "requests": {"cpu": _CPU, "memory": f"{one.memory_mib // 2}Mi"},
                    "limits": {"cpu": _CPU_MOST, "memory": memory, "ephemeral-storage": "1Gi"},
                },
                "securityContext": {
                    "allowPrivilegeEscalation": False,
                    "readOnlyRootFilesystem": True,
                    "capabilities": {"drop": ["ALL"]},
                },
                "volumeMounts": [
                    {"name": "scratch", "mountPath": "/tmp"},
                    {"name": "config", "mountPath": "/etc/pubweave", "readOnly": True},
                ],
            }
        ],
        "volumes": [
            {"name": "scratch", "emptyDir": {"sizeLimit": "1Gi"}},
            {"name": "config", "configMap": {"name": "pubweave-files", "optional": True}},
        ],
    }


def _probe(path: str, failures: int) -> dict[str, Any]:
    return {
        "httpGet": {"path": path, "port": "health"},
        "periodSeconds": _PERIOD_S,
        "timeoutSeconds": 5,
        "failureThreshold": failures,
    }


def _budget(one: Deployed) -> dict[str, Any]:
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": one.name, "labels": _labels(one)},
        "spec": {"maxUnavailable": 1, "selector": {"matchLabels": _labels(one)}},
    }


def _scaled(one: Deployed) -> dict[str, Any]:
    return {
        "apiVersion": "keda.sh/v1alpha1",
        "kind": "ScaledObject",
        "metadata": {"name": one.name, "labels": _labels(one)},
        "spec": {
            "scaleTargetRef": {"name": one.name},
            "minReplicaCount": 1,
            "maxReplicaCount": one.replicas_most,
            "pollingInterval": 30,
            "cooldownPeriod": 300,
            # A rebalance stops a group for a moment and begins politeness anew: not for every wave.
            "advanced": {
                "horizontalPodAutoscalerConfig": {
                    "behavior": {
                        "scaleUp": {
                            "stabilizationWindowSeconds": 60,
                            "policies": [{"type": "Pods", "value": 2, "periodSeconds": 60}],
                        },
                        "scaleDown": {
                            "stabilizationWindowSeconds": 600,
                            "policies": [{"type": "Pods", "value": 1, "periodSeconds": 120}],
                        },
                    }
                }
            },
            "triggers": [
                {
                    "type": "kafka",
                    "metadata": {
                        "bootstrapServersFromEnv": "PUBWEAVE_KAFKA",
                        "consumerGroup": group_of(one.service, topic),
                        "topic": topic,
                        "lagThreshold": str(one.lag_per_replica),
                        "allowIdleConsumers": "false",
                        "offsetResetPolicy": "earliest",
                    },
                    "authenticationRef": {"name": "pubweave-kafka"},
                }
                for topic in one.topics
            ],
        },
    }
