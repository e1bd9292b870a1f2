"""Writes what is made from the registry: services of docker-compose.yml, Deployments and ScaledObjects of k8s/.

python -m pubweave.deploy.generate            write what is out of date
python -m pubweave.deploy.generate --check    only say what is; exit status 1 if anything is
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from pubweave.contract.generated import GeneratedFile
from pubweave.deploy import compose, manifests
from pubweave.deploy.services import services

COMMAND: Final = "python -m pubweave.deploy.generate"

_BEGIN: Final = f"  # services: made by `{COMMAND}`, do not edit\n"
_END: Final = "  # end of services\n"
_HEAD: Final = f"# Made by `{COMMAND}`; do not edit.\n"


def everything(root: Path) -> Iterator[GeneratedFile]:
    """All generated files of a checkout at `root`."""
    known = services()
    composed = root / "docker-compose.yml"
    before, _, rest = composed.read_text(encoding="utf-8").partition(_BEGIN)
    _, _, after = rest.partition(_END)
    yield GeneratedFile(composed, f"{before}{_BEGIN}{compose.block(known)}{_END}{after}")
    on = [one for one in known if one.on]
    yield GeneratedFile(root / "k8s" / "base" / "services.yaml", _HEAD + manifests.deployments(on))
    components = root / "k8s" / "components"
    yield GeneratedFile(components / "keda" / "scaled-objects.yaml", _HEAD + manifests.scaled_objects(on))
    for one in known:
        if not one.on:
            yield GeneratedFile(
                components / one.name / "kustomization.yaml", _HEAD + manifests.component(one)
            )
            yield GeneratedFile(components / one.name / "services.yaml", _HEAD + manifests.deployments([one]))


def stale(root: Path) -> list[GeneratedFile]:
    """Those that are missing or not what they must be."""
    return [
        made
        for made in everything(root)
        if not made.path.is_file() or made.path.read_text(encoding="utf-8") != made.content
    ]


def main(arguments: Sequence[str] | None = None, root: Path | None = None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    old = stale(root or Path.cwd())
    for made in old:
        if "--check" in given:
            print(f"{made.path} is out of date; run: {COMMAND}", file=sys.stderr)
        else:
            made.path.parent.mkdir(parents=True, exist_ok=True)
            made.path.write_text(made.content, encoding="utf-8")
            print(f"{made.path} written")
    return 1 if old and "--check" in given else 0


if __name__ == "__main__":
    sys.exit(main())
