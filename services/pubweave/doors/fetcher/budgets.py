"""How often each source may be asked: as the resources declare it, a file overrides; which family an address belongs to."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

from pubweave.contract.declaration import Budget
from pubweave.contract.resources import DECLARATIONS
from pubweave.core.politeness import host_of
from pubweave.core.reading.yaml_bounds import check_bounds
from pubweave.doors.fetcher.settings import FetcherProblem


class BudgetProblem(FetcherProblem):
    """A budgets file cannot be used; the text is one sentence that names file, line and what is wrong."""


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


def load_budgets(override: Path | None = None) -> Budgets:
    """The budgets that the resources declare, single figures overridden by a file in YAML (docs/operating-fetcher.md).

    Who overrides `requests` alone means it with and without a key.

    :raises BudgetProblem: the file cannot be read or says something that is not understood
    """
    families: dict[str, dict[str, Any]] = {
        budget.family: budget._asdict() for one in DECLARATIONS for budget in one.budgets
    }
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
    return Budgets(Budget(**{**figures, "family": family}) for family, figures in families.items())


_FIELDS = ("at", "requests", "seconds", "with_key", "connections", "daily_quota", "source", "as_of")


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
        if key == "batch":
            raise BudgetProblem(
                f"{place} was never heeded: a resource declares itself how many identifiers a request carries."
            )
        if key not in _FIELDS:
            raise BudgetProblem(f"{place} is not known; the figures are {', '.join(_FIELDS)}.")
        figures[key] = _figure(key, value, place)
    return figures


def _figure(key: str, node: yaml.Node, place: str) -> object:
    if key == "at":
        places = _scalars(node)
        if not places or any("://" in address or not address.strip("/") for address in places):
            raise BudgetProblem(f"{place} must list hosts, or hosts with a path prefix, without https://.")
        return tuple(places)
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
