"""YAML as nodes with positions: every scalar is the text that stands in the file."""

from __future__ import annotations

from collections.abc import Iterator

import yaml

from pubweave.core.reading.rules.errors import RuleError
from pubweave.core.reading.yaml_bounds import check_bounds

_Loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def documents(text: str, file: str) -> list[yaml.Node | None]:
    """The root nodes of the YAML documents in the text; an empty document is None.

    :raises RuleError: the text is no YAML; with the position
    """
    found: list[yaml.Node | None] = []
    loader = None
    try:
        check_bounds(text)
        loader = _Loader(text)
        while loader.check_node():
            node = loader.get_node()
            found.append(None if node is None or is_empty(node) else node)
    except yaml.MarkedYAMLError as wrong:
        mark = wrong.problem_mark or wrong.context_mark
        raise RuleError(
            file,
            f"{len(found) + 1}",
            f"this is not YAML: {wrong.problem or wrong.context}",
            line=mark.line + 1 if mark else 0,
            column=mark.column + 1 if mark else 0,
        ) from wrong
    except (yaml.YAMLError, RecursionError) as wrong:
        raise RuleError(file, f"{len(found) + 1}", f"this is not YAML: {wrong}") from wrong
    finally:
        if loader is not None:
            loader.dispose()
    return found


def is_empty(node: yaml.Node) -> bool:
    """Whether nothing is written there (also `~` and `null`)."""
    return isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:null"


class RulePlace:
    """A file and section, to say where something is wrong."""

    def __init__(self, file: str, section: str) -> None:
        self.file = file
        self.section = section

    def error(self, reason: str, node: yaml.Node | None = None, key: str = "") -> RuleError:
        """The error with the node's position."""
        mark = node.start_mark if node is not None else None
        return RuleError(
            self.file,
            self.section,
            reason,
            line=mark.line + 1 if mark else 0,
            column=mark.column + 1 if mark else 0,
            key=key,
        )

    def text(self, node: yaml.Node, key: str = "") -> str:
        """A scalar's text; empty where nothing is written."""
        if not isinstance(node, yaml.ScalarNode):
            raise self.error("a text was expected, not a list or mapping", node, key)
        return "" if is_empty(node) else str(node.value)

    def entries(self, node: yaml.Node | None, key: str = "") -> Iterator[tuple[str, yaml.Node, yaml.Node]]:
        """Key, the key's node and the value's node of a mapping, in the order of the file."""
        if node is None:
            return
        if not isinstance(node, yaml.MappingNode):
            raise self.error("a mapping was expected", node, key)
        for key_node, value_node in _merged(node):
            yield self.text(key_node, key), key_node, value_node

    def items(self, node: yaml.Node | None, key: str = "") -> Iterator[yaml.Node]:
        """Items of a list, in the order of the file."""
        if node is None:
            return
        if not isinstance(node, yaml.SequenceNode):
            raise self.error("a list was expected", node, key)
        yield from node.value


def _merged(node: yaml.MappingNode) -> list[tuple[yaml.Node, yaml.Node]]:
    """The entries of a mapping, those taken over by a merge key (`<<`) first."""
    taken: list[tuple[yaml.Node, yaml.Node]] = []
    own: list[tuple[yaml.Node, yaml.Node]] = []
    for key, value in node.value:
        if key.tag != "tag:yaml.org,2002:merge":
            own.append((key, value))
        elif isinstance(value, yaml.MappingNode):
            taken.extend(_merged(value))
        elif isinstance(value, yaml.SequenceNode):
            for inner in reversed(value.value):
                taken.extend(_merged(inner) if isinstance(inner, yaml.MappingNode) else [])
    return taken + own
