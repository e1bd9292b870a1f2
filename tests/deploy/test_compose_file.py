"""docker-compose.yml: what its schema wants, and what we promise of it."""

import re
from typing import Any

import jsonschema
import pytest
import yaml

from deploy.files import CHECKOUT, composed, schema
from pubweave.deploy.services import services
from pubweave.settings import SETTINGS

SERVICES: dict[str, Any] = composed()["services"]
OURS = [one.name for one in services()]
ONCE = ["topics", "tables", "welcome", "cli"]


def test_the_file_is_what_the_compose_specification_wants() -> None:
    jsonschema.validate(composed(), schema("compose"), jsonschema.Draft7Validator)


def test_the_schema_finds_mistakes() -> None:
    """A copy that accepts everything would prove nothing."""
    wrong = {"services": {"kafka": {"image": "kafka", "mem_limt": "1g"}}}
    with pytest.raises(jsonschema.ValidationError, match="mem_limt"):
        jsonschema.validate(wrong, schema("compose"), jsonschema.Draft7Validator)


def test_the_file_of_the_simulated_internet_is_one_too() -> None:
    class Loader(yaml.SafeLoader):
        pass

    Loader.add_constructor("!override", lambda loader, node: loader.construct_sequence(node))
    text = (CHECKOUT / "tests/stack/standins/compose.internet.yml").read_text(encoding="utf-8")
    jsonschema.validate(yaml.load(text, Loader), schema("compose"), jsonschema.Draft7Validator)


@pytest.mark.parametrize("name", [*OURS, *ONCE])
def test_our_containers_can_do_nothing_that_they_need_not(name: str) -> None:
    """No capabilities, no new ones, nothing written but /tmp, bounded memory, no privilege, no port of the host."""
    one = SERVICES[name]

    assert one["cap_drop"] == ["ALL"]
    assert one["security_opt"] == ["no-new-privileges:true"]
    assert one["read_only"] is True
    assert one["tmpfs"] == ["/tmp"]
    assert re.fullmatch(r"\d+[mg]", one["mem_limit"])
    assert not {"privileged", "ports", "user", "cap_add"} & set(one)


@pytest.mark.parametrize("name", ["kafka", "cassandra", *OURS])
def test_what_stays_up_is_watched_and_started_again(name: str) -> None:
    one = SERVICES[name]

    assert one["restart"] == "unless-stopped"
    assert one["healthcheck"]["test"]
    assert "mem_limit" in one


@pytest.mark.parametrize("name", OURS)
def test_services_wait_for_topics_and_tables(name: str) -> None:
    done = {"condition": "service_completed_successfully"}

    assert SERVICES[name]["depends_on"] == {"topics": done, "tables": done}
    assert SERVICES["topics"]["depends_on"] == {"kafka": {"condition": "service_healthy"}}
    assert SERVICES["tables"]["depends_on"] == {"cassandra": {"condition": "service_healthy"}}


def test_the_last_words_come_when_everything_is_healthy() -> None:
    assert SERVICES["welcome"]["depends_on"] == {
        one.name: {"condition": "service_healthy"} for one in services() if one.on
    }


def test_only_the_door_reaches_the_world() -> None:
    """All others are in a network that has no way out."""
    out = {name for name, one in SERVICES.items() if one.get("networks") != ["inside"]}

    assert out == {"fetcher"}
    assert SERVICES["fetcher"]["networks"] == ["inside", "world"]
    assert composed()["networks"]["inside"] == {"internal": True}


def test_every_image_of_ours_is_built_by_somebody() -> None:
    """From a target of the Dockerfile, once each; none is fetched from whoever took its name."""
    used = {one["image"] for name, one in SERVICES.items() if name in (*OURS, *ONCE)}
    targets = {one["image"]: one["build"]["target"] for one in SERVICES.values() if "build" in one}
    named = set(re.findall(r"^FROM \S+ AS (\S+)$", (CHECKOUT / "Dockerfile").read_text(), re.MULTILINE))

    assert {one["pull_policy"] for name, one in SERVICES.items() if name in (*OURS, *ONCE)} == {"never"}
    assert set(targets) == used
    assert len(targets) == sum("build" in one for one in SERVICES.values())
    assert set(targets.values()) <= named


def test_what_is_set_is_a_setting() -> None:
    """A mistyped variable would be ignored in silence."""
    known = {setting.variable for setting in SETTINGS}
    given = {name for one in SERVICES.values() for name in one.get("environment", {})}

    assert {name for name in given if name.startswith("PUBWEAVE_")} <= known


def test_the_dockerfile_leaves_tools_behind_and_root_too() -> None:
    """Every image that is started ends as user 10001, from a stage without pip."""
    lines = (CHECKOUT / "Dockerfile").read_text(encoding="utf-8").splitlines(keepends=True)
    text = "".join(line for line in lines if not line.startswith("#"))
    stages = dict(re.findall(r"^FROM \S+ AS (\S+)\n(.*?)(?=^FROM |\Z)", text, re.MULTILINE | re.DOTALL))

    for name in ("base", "pdf", "renderer"):
        assert stages[name].rstrip().splitlines()[-1] == "USER 10001:10001"
    assert not [name for name in ("runtime", "base", "pdf", "renderer") if "/pip" in stages[name]]
    assert list(stages)[-1] == "base", "the last one is built when no target is named"
    assert 'ENTRYPOINT ["pubweave"]' in stages["runtime"]
    assert "HEALTHCHECK" in stages["runtime"]
