"""Plugins: YAML files in `rules/articles`, or Python classes named `module:Class` (L-02, L-03).

A plugin file is checked when it is loaded; whatever is wrong is said with file, line, column, place and reason.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import msgspec

from pubweave.articles.iterator.builder import TARGET_ARTICLE, BuilderMisuseError, Spec
from pubweave.articles.iterator.definition import (
    CASE_BLIND,
    Aspect,
    Definition,
    DefinitionError,
    Pattern,
    problems,
)
from pubweave.articles.iterator.files import FULL_TEXT_PREFERENCE, ArticleFiles
from pubweave.articles.iterator.order import ArchivalUnit
from pubweave.articles.iterator.templates import (
    Parameters,
    ParamType,
    Template,
    TemplateError,
    conversions,
    expand_regex,
    expand_urls,
    parse_template,
)
from pubweave.articles.problems import BadInput
from pubweave.core.reading.yaml_bounds import check_bounds

ENTRY_POINTS = "pubweave.article_iterators"
FACTORY_KEY = "plugin_article_iterator_factory"
_PREFERRED = "preferred"


@runtime_checkable
class ArticleIteratorFactory(Protocol):
    """What a Python plugin is: makes the articles of a unit, in the order in which they are to come out."""

    def create_article_iterator(self, au: ArchivalUnit, target: str | None) -> Iterable[ArticleFiles]:
        """The articles of the unit; `target` is "Any", "Article" (mere counting) or another purpose."""
        ...


class AspectEntry(msgspec.Struct, forbid_unknown_fields=True):
    """An aspect as a plugin file writes it; major with `patterns`, minor without."""

    replacements: str | list[str]
    roles: str | list[str]
    patterns: str | list[str] = []
    case_blind: bool | None = None


class PluginFile(msgspec.Struct, forbid_unknown_fields=True):
    """A plugin file. Either `plugin_article_iterator_factory`, or the keys of the builder."""

    name: str
    description: str = ""
    checked: Any = None
    status: str = "unverified"
    example: str = ""
    hosts: list[str] = []
    notes: str = ""
    params: dict[str, ParamType] = {}
    defaults: dict[str, str | int] = {}
    plugin_article_iterator_factory: str | None = None
    root: str | None = None
    roots: list[str] | None = None
    root_template: str | None = None
    root_templates: list[str] | None = None
    include: str | None = None
    include_template: str | None = None
    exclude: str | None = None
    exclude_template: str | None = None
    pattern: str | None = None
    pattern_template: str | None = None
    case_blind: bool = False
    media_type: str | list[str] = []
    aspects: list[AspectEntry] | None = None
    full_text_from_roles: str | list[str] = []
    role_from_other_roles: dict[str, list[str]] = {}


class Plugin:
    """A loaded plugin: `definition` fills it with the parameters of a unit, or `factory` does it all."""

    def __init__(
        self, name: str, file: PluginFile | None, factory: ArticleIteratorFactory | None, place: str
    ) -> None:
        self.name = name
        self.file = file
        self.factory = factory
        self.place = place

    @property
    def params(self) -> dict[str, ParamType]:
        return {} if self.file is None else dict(self.file.params)

    def unit_params(self, given: Mapping[str, str]) -> dict[str, str]:
        """What the unit's `params` are: the plugin's defaults, then what was given."""
        defaults = {} if self.file is None else self.file.defaults

        return {name: str(value) for name, value in defaults.items()} | dict(given)

    def parameters(self, given: Mapping[str, str]) -> Parameters:
        """The unit's parameters with the plugin's defaults.

        :raises Refused: one that the plugin does not have, or a value that does not fit its type
        """
        assert self.file is not None
        for name in given:
            if name not in self.file.params:
                known = ", ".join(self.file.params) or "none"
                raise BadInput(f"plugin {self.name} has no parameter {name} (it has: {known})")
        try:
            return Parameters(self.unit_params(given), self.file.params)
        except TemplateError as error:
            raise BadInput(f"plugin {self.name}: {error}") from None

    def definition(
        self, given: Mapping[str, str], *, target: str | None = "Any", unique: bool = False
    ) -> Definition:
        """The definition for one unit.

        :raises Refused: parameters are missing or do not fit
        """
        assert self.file is not None
        parameters = self.parameters(given)
        try:
            filled = _spec(self.file, target).definition(parameters)
        except TemplateError as error:
            raise BadInput(f"plugin {self.name}: {error}") from None
        roots_given = (self.file.root, self.file.roots, self.file.root_template, self.file.root_templates)
        if any(roots_given) and not filled.roots:
            # The Java program would walk the whole unit; a person more likely forgot a parameter.
            missing = ", ".join(name for name in self.file.params if name not in parameters.values)
            raise BadInput(f"plugin {self.name}: no root is left, for want of {missing}")

        return msgspec.structs.replace(filled, unique=unique, **_aspects(self.file))


def _listed(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def _spec(file: PluginFile, target: str | None) -> Spec:
    spec = Spec().set_target(target)
    flags = CASE_BLIND if file.case_blind else 0
    roots = ([file.root] if file.root is not None else []) + (file.roots or [])
    templates = ([file.root_template] if file.root_template is not None else []) + (file.root_templates or [])
    if roots:
        spec.set_roots(roots)
    if templates:
        spec.set_root_templates(templates)
    if file.pattern is not None:
        spec.set_pattern(file.pattern, flags)
    if file.pattern_template is not None:
        spec.set_pattern_template(file.pattern_template, flags)
    if file.include is not None:
        spec.set_include_sub_tree_pattern(file.include, flags)
    if file.include_template is not None:
        spec.set_include_sub_tree_pattern_template(file.include_template, flags)
    if file.exclude is not None:
        spec.set_exclude_sub_tree_pattern(file.exclude, flags)
    if file.exclude_template is not None:
        spec.set_exclude_sub_tree_pattern_template(file.exclude_template, flags)

    return spec.set_mime_type(*_listed(file.media_type))


def _aspects(file: PluginFile) -> dict[str, Any]:
    aspects = None
    if file.aspects is not None:
        aspects = tuple(
            Aspect(
                tuple(_listed(each.replacements)),
                tuple(_listed(each.roles)),
                tuple(
                    Pattern(regex, CASE_BLIND if _blind(each, file) else 0)
                    for regex in _listed(each.patterns)
                ),
            )
            for each in file.aspects
        )
    order = _listed(file.full_text_from_roles)
    if order == [_PREFERRED]:
        order = list(FULL_TEXT_PREFERENCE)

    return {
        "aspects": aspects,
        "full_text_order": tuple(order),
        "role_from_others": tuple(
            (role, tuple(others)) for role, others in file.role_from_other_roles.items()
        ),
    }


def _blind(aspect: AspectEntry, file: PluginFile) -> bool:
    return file.case_blind if aspect.case_blind is None else aspect.case_blind


# ---------------------------------------------------------------------------------------------------------
# Finding and loading


def folders() -> list[Path]:
    """Where plugin files are looked for: `PUBWEAVE_ARTICLE_PLUGINS` first, then the built-in ones."""
    own = [Path(each) for each in os.environ.get("PUBWEAVE_ARTICLE_PLUGINS", "").split(os.pathsep) if each]
    here = Path(__file__).resolve()
    built_in = [here.parents[3] / "rules" / "articles", here.parents[1] / "rules" / "articles"]

    return [folder for folder in own + built_in if folder.is_dir()]


def known_plugins() -> dict[str, Path | str]:
    """Plugins by name: a file, or the `module:Class` of an entry point; earlier folders win."""
    found: dict[str, Path | str] = {}
    for folder in folders():
        for file in sorted(folder.glob("*.yaml")):
            found.setdefault(file.stem, file)
    for point in importlib.metadata.entry_points(group=ENTRY_POINTS):
        found.setdefault(point.name, point.value)

    return found


def load_plugin(given: str) -> Plugin:
    """A plugin by file, by name, or by `module:Class`.

    :raises Refused: there is none, or it is wrong; one sentence with the place
    """
    path = Path(given)
    if path.suffix in (".yaml", ".yml") or path.is_file():
        return load_file(path)
    known = known_plugins()
    if given in known:
        place = known[given]
        return (
            load_file(place)
            if isinstance(place, Path)
            else Plugin(given, None, load_factory(place, given), place)
        )
    if re.fullmatch(r"[\w.]+:\w+", given):
        return Plugin(given, None, load_factory(given, given), given)
    near = ", ".join(sorted(known)) or "none"
    raise BadInput(f"{given}: no such plugin file, and no plugin of that name (known: {near})")


def load_factory(value: str, place: str) -> ArticleIteratorFactory:
    """The factory that `module:Class` names.

    :raises Refused: not of that form, not there, or not a factory
    """
    module_name, colon, class_name = value.partition(":")
    if not colon or not module_name or not class_name:
        raise BadInput(f"{place}: {FACTORY_KEY} must be module:Class, not {value!r}")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not (module_name == error.name or module_name.startswith(error.name + ".")):
            raise
        raise BadInput(f"{place}: there is no module {error.name} (wanted for {value})") from None
    kind = getattr(module, class_name, None)
    if kind is None:
        raise BadInput(f"{place}: module {module_name} has no class {class_name}")
    if not isinstance(kind, type):
        raise BadInput(f"{place}: {value} is not a class")
    if not callable(getattr(kind, "create_article_iterator", None)):
        raise BadInput(
            f"{place}: {value} is no article iterator factory (it has no method create_article_iterator)"
        )
    try:
        factory = kind()
    except TypeError as error:
        raise BadInput(f"{place}: {value} cannot be made without arguments ({error})") from None
    assert isinstance(factory, ArticleIteratorFactory)

    return factory


def load_file(path: Path) -> Plugin:
    """A plugin from its YAML file, checked.

    :raises Refused: the first thing that is wrong, with file, line and column
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise BadInput(f"{path}: no such plugin file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: cannot be read ({error})") from None

    return read_plugin(text, str(path))


def read_plugin(text: str, name: str) -> Plugin:
    """A plugin from YAML text; `name` stands for the file in messages.

    :raises Refused: the first thing that is wrong, with line and column
    """
    data, places = _yaml(text, name)
    declared = data.get("params") if isinstance(data, dict) else None
    for param, kind in declared.items() if isinstance(declared, dict) else ():
        if kind not in tuple(ParamType):
            known = ", ".join(ParamType)
            raise BadInput(
                f"{_at(name, places, f'params.{param}')}{kind!r} is no type of parameter ({known})"
            )
    try:
        file = msgspec.convert(data, PluginFile)
    except msgspec.ValidationError as error:
        reason, _, where = str(error).partition(" - at `$")
        place = where.rstrip("`").removeprefix(".")
        raise BadInput(f"{_at(name, places, place)}{_sentence(reason)}") from None
    wrong = _first_problem(file)
    if wrong is not None:
        place, reason = wrong
        raise BadInput(f"{_at(name, places, place)}{reason}")
    factory = None
    if file.plugin_article_iterator_factory is not None:
        where = _at(name, places, FACTORY_KEY).rstrip(": ")
        factory = load_factory(file.plugin_article_iterator_factory, where)

    return Plugin(file.name, file, factory, name)


def _sentence(reason: str) -> str:
    return reason[:1].lower() + reason[1:]


def _at(name: str, places: dict[str, tuple[int, int]], place: str) -> str:
    """`file:line:column: place: `, of the place itself or of the nearest thing around it."""
    near = place
    while near and near not in places:
        near = near[: max(near.rfind("."), near.rfind("["), 0)]
    line, column = places.get(near, (1, 1))

    return f"{name}:{line}:{column}: {place}: " if place else f"{name}:{line}:{column}: "


def _yaml(text: str, name: str) -> tuple[Any, dict[str, tuple[int, int]]]:
    """The data of a YAML text, and the (line, column) of each place in it, counted from 1."""
    import yaml

    loader = None
    places: dict[str, tuple[int, int]] = {}

    def value_of(node: yaml.Node, place: str) -> Any:
        places[place] = (node.start_mark.line + 1, node.start_mark.column + 1)
        if isinstance(node, yaml.MappingNode):
            made: dict[str, Any] = {}
            for key_node, value_node in node.value:
                key = str(key_node.value)
                inner = f"{place}.{key}" if place else key
                if key in made:
                    line = key_node.start_mark.line + 1
                    raise BadInput(f"{name}:{line}:{key_node.start_mark.column + 1}: {inner}: is given twice")
                made[key] = value_of(value_node, inner)
            return made
        if isinstance(node, yaml.SequenceNode):
            return [value_of(each, f"{place}[{number}]") for number, each in enumerate(node.value)]
        return loader.construct_object(node) if loader is not None else None

    try:
        check_bounds(text)
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        return (None if node is None else value_of(node, "")), places
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
        reason = getattr(error, "problem", None) or str(error)
        raise BadInput(f"{name}:{line}:{column}: is not YAML ({reason})") from None
    finally:
        if loader is not None:
            loader.dispose()


_SAMPLES: dict[ParamType, str] = {
    ParamType.STRING: "abc",
    ParamType.URL: "http://www.example.com/",
    ParamType.YEAR: "2010",
    ParamType.INT: "12",
    ParamType.SET: "1,2",
    ParamType.NUM_RANGE: "3-5",
    ParamType.RANGE: "a-c",
}


def _first_problem(file: PluginFile) -> tuple[str, str] | None:
    """The place and reason of the first thing wrong in a file whose keys and types are right."""
    if file.plugin_article_iterator_factory is not None:
        return None
    for name in ("root", "pattern", "include", "exclude"):
        one = getattr(file, name) or (name == "root" and file.roots)
        other = getattr(file, f"{name}_template") or (name == "root" and file.root_templates)
        if one and other:
            return f"{name}_template", f"give {name} or {name}_template, not both"
    for name in file.defaults:
        if name not in file.params:
            return f"defaults.{name}", "is not among the params"
    sample = Parameters({name: _SAMPLES[kind] for name, kind in file.params.items()}, file.params)
    for place, text, is_root in _templates(file):
        wrong = _template_problem(parse_template(text), sample, is_root)
        if wrong is not None:
            return place, wrong
    try:
        definition = msgspec.structs.replace(_spec(file, "Any").definition(sample), **_aspects(file))
    except (TemplateError, BuilderMisuseError) as error:
        return "", str(error)
    found: list[DefinitionError] = problems(definition)
    if found:
        place = found[0].place
        if place in ("pattern", "include", "exclude") and getattr(file, place) is None:
            place += "_template"
        return place, found[0].reason

    return None


def _templates(file: PluginFile) -> list[tuple[str, str, bool]]:
    found = [
        (name, text, name == "root_template")
        for name in ("root_template", "include_template", "exclude_template", "pattern_template")
        if (text := getattr(file, name)) is not None
    ]
    for number, text in enumerate(file.root_templates or ()):
        found.append((f"root_templates[{number}]", text, True))

    return found


def _template_problem(template: Template, sample: Parameters, is_root: bool) -> str | None:
    if not template.arguments:
        return None
    wanted, given = len(conversions(template)), len(template.arguments)
    if wanted != given:
        return f"{template.text} has {wanted} places for {given} arguments"
    try:
        if is_root:
            expand_urls(template, sample)
        else:
            expand_regex(template, sample)
    except TemplateError as error:
        return str(error)

    return None


__all__ = [
    "FACTORY_KEY",
    "TARGET_ARTICLE",
    "ArticleIteratorFactory",
    "Plugin",
    "PluginFile",
    "known_plugins",
    "load_factory",
    "load_file",
    "load_plugin",
    "read_plugin",
]
