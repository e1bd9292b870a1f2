"""How often each source may be asked: budgets.yaml, read strictly, and which family an address belongs to."""

from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
import yaml

from pubweave.core.politeness import host_of
from pubweave.core.reading.yaml_bounds import check_bounds
from pubweave.doors.fetcher.settings import FetcherProblem


class BudgetProblem(FetcherProblem):
    """A budgets file cannot be used; the text is one sentence that names file, line and what is wrong."""


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """What one API family allows. 0 means no limit of that kind."""

    family: str
    at: tuple[str, ...] = ()
    """Host, or host and path prefix, without scheme."""
    requests: int = 0
    """Starts allowed in any window of `seconds`."""
    seconds: float = 1
    with_key: int = 0
    connections: int = 0
    daily_quota: int = 0
    batch: Mapping[str, int] = msgspec.field(default_factory=dict)
    source: str = ""
    as_of: str = ""

    def starts(self, *, keyed: bool) -> int:
        """Requests per window; 0 without limit. Slower than one a second is said with a longer window."""
        return self.with_key if keyed and self.with_key else self.requests


class Budgets:
    """All families. Addresses are matched by host and longest path prefix."""

    def __init__(self, budgets: Iterable[Budget]) -> None:
        self.families: dict[str, Budget] = {budget.family: budget for budget in budgets}
        self._at: dict[str, list[tuple[str, str]]] = {}
        for budget in self.families.values():
            for place in budget.at:
                host, _, path = place.partition("/")
                self._at.setdefault(host_of(f"//{host}"), []).append((f"/{path}".rstrip("/"), budget.family))
        for prefixes in self._at.values():
            prefixes.sort(key=lambda entry: len(entry[0]), reverse=True)

    def get(self, family: str) -> Budget | None:
        return self.families.get(family)

    def family_of(self, url: str) -> str:
        """The family an address belongs to; "" if none: then the host is its own politeness unit."""
        prefixes = self._at.get(host_of(url))
        if prefixes is None:
            return ""
        path = urlsplit(url).path
        return next(
            (
                family
                for prefix, family in prefixes
                if path.startswith(prefix) and path[len(prefix) : len(prefix) + 1] in ("", "/")
            ),
            "",
        )

    def unit_of(self, url: str, family: str = "") -> str:
        """The politeness unit (design law 6) of a request: its family, else its folded host, else `-`."""
        return family or self.family_of(url) or host_of(url) or "-"

    def batch(self, resource: str, default: int) -> int:
        """How many identifiers one request of a resource may carry."""
        return next(
            (budget.batch[resource] for budget in self.families.values() if resource in budget.batch), default
        )


def load_budgets(override: Path | None = None) -> Budgets:
    """The budgets that come with the fetcher, single figures overridden by a file of the same form.

    Who overrides `requests` alone means it with and without a key.

    :raises BudgetProblem: the file cannot be read or says something that is not understood
    """
    shipped = resources.files("pubweave.doors.fetcher").joinpath("budgets.yaml").read_text("utf-8")
    families = _read(shipped, "budgets.yaml")
    if override is not None:
        try:
            text = override.read_text("utf-8-sig")
        except (OSError, UnicodeError) as problem:
            reason = problem.strerror if isinstance(problem, OSError) else "it is not UTF-8 text"
            raise BudgetProblem(f"The budgets file {override} cannot be read: {reason}.") from problem
        for family, figures in _read(text, str(override)).items():
            given = {**families.get(family, {}), **figures}
            if "requests" in figures and "with_key" not in figures:
                given.pop("with_key", None)
            families[family] = given
    return Budgets(
        msgspec.convert({"family": family, **figures}, Budget) for family, figures in families.items()
    )


_FIELDS = tuple(name for name in Budget.__struct_fields__ if name != "family")


def _read(text: str, name: str) -> dict[str, dict[str, Any]]:
    try:
        check_bounds(text)
        top = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as problem:
        line = problem.problem_mark.line + 1 if problem.problem_mark else 1
        raise BudgetProblem(f"{name} line {line} is not YAML: {problem.problem}.") from problem
    except yaml.YAMLError as problem:
        raise BudgetProblem(f"{name} is not YAML: {' '.join(str(problem).split())}.") from problem
    if top is None:
        return {}
    return {
        family: _figures(node, family, name)
        for family, node in _mapping(top, name, "the file", "family names")
    }


def _mapping(node: yaml.Node, name: str, where: str, what: str) -> list[tuple[str, yaml.Node]]:
    if not isinstance(node, yaml.MappingNode):
        raise BudgetProblem(f"{name} line {node.start_mark.line + 1}: {where} must map {what} to values.")
    seen: set[str] = set()
    for key, _ in node.value:
        if key.value in seen:
            raise BudgetProblem(
                f"{name} line {key.start_mark.line + 1}: {key.value} stands twice in {where}."
            )
        seen.add(key.value)
    return [(str(key.value), value) for key, value in node.value]


def _figures(node: yaml.Node, family: str, name: str) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    for key, value in _mapping(node, name, family, "figures"):
        place = f"{name} line {value.start_mark.line + 1}: {family}.{key}"
        if key not in _FIELDS:
            raise BudgetProblem(f"{place} is not known; the figures are {', '.join(_FIELDS)}.")
        figures[key] = _figure(key, value, place)
    return figures


def _figure(key: str, node: yaml.Node, place: str) -> object:
    if key == "at":
        places = _scalars(node)
        if not places or any("://" in address or not address.strip("/") for address in places):
            raise BudgetProblem(f"{place} must list hosts, or hosts with a path prefix, without https://.")
        return places
    if key == "batch":
        if not isinstance(node, yaml.MappingNode):
            raise BudgetProblem(f"{place} must map resources to numbers.")
        return {item.value: _number(size, f"{place}.{item.value}", whole=True) for item, size in node.value}
    if key in ("source", "as_of"):
        return str(node.value)
    unlimited = key in ("requests", "with_key", "connections", "daily_quota")
    if unlimited and node.value == "unlimited":
        return 0
    return _number(node, place, whole=key != "seconds", unlimited=unlimited)


def _scalars(node: yaml.Node) -> list[str]:
    if not isinstance(node, yaml.SequenceNode):
        return []
    return [str(item.value) for item in node.value if isinstance(item, yaml.ScalarNode)]


def _number(node: yaml.Node, place: str, *, whole: bool, unlimited: bool = False) -> float:
    try:
        number = float(node.value)
    except (TypeError, ValueError):
        number = 0
    if not 0 < number < 1e9 or (whole and number != int(number)):
        kind = "a whole number above 0" if whole else "a number above 0"
        more = " or `unlimited`" if unlimited else ""
        raise BudgetProblem(f"{place} must be {kind}{more}, not `{node.value}`.")
    return int(number) if whole else number
