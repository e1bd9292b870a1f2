"""The services of docker-compose.yml. What they share is an anchor in the part written by hand (`x-worker`)."""

import textwrap
from collections.abc import Sequence

from pubweave.deploy.services import Deployed


def block(services: Sequence[Deployed]) -> str:
    """The generated part of the file: one service each, and what waits for all of them."""
    return "".join(_service(one) for one in services) + _welcome(services)


def _service(one: Deployed) -> str:
    lines = [
        f"  # {one.sentence}",
        f"  {one.name}:",
        f"    <<: *{'door' if one.world else 'worker'}",
        f'    command: ["work", "{one.service}"]',
    ]
    if one.image != "base":
        lines += [
            f"    image: pubweave-{one.image}:${{PUBWEAVE_VERSION:-dev}}",
            "    build:",
            "      context: .",
            f"      target: {one.image}",
        ]
    lines += [f"    mem_limit: {one.memory_mib}m"]
    if not one.on:
        # Started with COMPOSE_PROFILES={name} and asked with PUBWEAVE_RESOURCES=+{service}.
        lines += [f"    profiles: [{one.name}]"]
    if one.world:
        lines += ["    networks: [inside, world]"]
    return "\n".join(lines) + "\n\n"


def _welcome(services: Sequence[Deployed]) -> str:
    waits = "".join(f"      {one.name}: {{condition: service_healthy}}\n" for one in services if one.on)
    head = """\
        # Ends when everything works, with what to type next.
        welcome:
          <<: *once
          entrypoint: ["python", "-m", "pubweave.deploy.welcome"]
          depends_on:
        """
    return textwrap.indent(textwrap.dedent(head), "  ") + waits
