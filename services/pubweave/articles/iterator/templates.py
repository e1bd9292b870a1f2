"""LOCKSS printf templates: `"%sarticle/%d", base_url, volume` (LOCKSS-IN-PRACTICE 13–18, L-22, L-26).

The format stands between the first and the last double quote, parameter names follow, separated by commas or
blanks. A template without parameter names is the bare format and is not formatted at all.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping
from enum import StrEnum

import msgspec

MAX_RANGE_VALUES = 100


class ParamType(StrEnum):
    """The types a parameter of an archival unit can have."""

    STRING = "String"
    URL = "Url"
    YEAR = "Year"
    INT = "Int"
    SET = "Set"
    NUM_RANGE = "NumRange"
    RANGE = "Range"


class TemplateError(ValueError):
    """A template or a parameter value cannot be used; the text says which and why."""


class Template(msgspec.Struct, frozen=True):
    """A parsed template. `arguments` are parameter names, or `function(name)`."""

    text: str
    format: str
    arguments: tuple[str, ...]


Value = str | int | tuple[str, ...] | tuple[int, int] | tuple[str, str]


def parse_template(text: str) -> Template:
    """Split a template into its format and its argument names; never fails, as in LOCKSS."""
    first, last = text.find('"'), text.rfind('"')
    if last <= first:
        return Template(text, text, ())

    return Template(text, text[first + 1 : last], tuple(text[last + 1 :].replace(",", " ").split()))


def parse_value(name: str, value: str, kind: ParamType) -> Value:
    """A parameter's text as its type wants it.

    :raises TemplateError: the text does not fit the type
    """
    text = value.strip()
    match kind:
        case ParamType.YEAR | ParamType.INT:
            if not re.fullmatch(r"-?[0-9]+", text):
                raise TemplateError(f"parameter {name} must be a whole number, not {value!r}")
            return int(text)
        case ParamType.SET:
            return tuple(_set_members(text))
        case ParamType.NUM_RANGE:
            match = re.fullmatch(r"([0-9]+)(?:\s*-\s*([0-9]+))?", text)
            if match is None:
                raise TemplateError(f"parameter {name} must be a range of numbers such as 3-5, not {value!r}")
            low, high = int(match[1]), int(match[2] or match[1])
            if high < low:
                raise TemplateError(f"parameter {name} ends before it begins: {value!r}")
            return (low, high)
        case ParamType.RANGE:
            start, dash, end = text.partition("-")
            return (start.strip(), end.strip() if dash else start.strip())
        case _:
            return value


def _set_members(text: str) -> list[str]:
    members: list[str] = []
    for part in (piece.strip() for piece in text.split(",")):
        match = re.fullmatch(r"\{\s*([0-9]+)\s*-\s*([0-9]+)\s*\}", part)
        if match is not None:
            members.extend(str(number) for number in range(int(match[1]), int(match[2]) + 1))
        elif part:
            members.append(part)

    return members


# What a template may call on a parameter (org.lockss.plugin.base.BaseAuParamFunctor has the same names).
_FUNCTIONS: dict[str, Callable[[str], str]] = {
    "url_host": lambda url: re.sub(r"^[a-z][a-z0-9+.-]*://([^/:?#]*).*$", r"\1", url, flags=re.S | re.I),
    "url_path": lambda url: re.sub(r"^[a-z][a-z0-9+.-]*://[^/?#]*([^?#]*).*$", r"\1", url, flags=re.S | re.I),
    "add_www": lambda url: re.sub(r"^([a-z]+://)(?!www\.)", r"\1www.", url, flags=re.I),
    "del_www": lambda url: re.sub(r"^([a-z]+://)www\.", r"\1", url, flags=re.I),
    "to_http": lambda url: re.sub(r"^https://", "http://", url, flags=re.I),
    "to_https": lambda url: re.sub(r"^http://", "https://", url, flags=re.I),
    "short_year": lambda year: year[-2:],
}


class Parameters:
    """The parameters of one archival unit with their types; unknown types are taken as String.

    :raises TemplateError: a value does not fit its type
    """

    def __init__(self, values: Mapping[str, str], types: Mapping[str, ParamType] | None = None) -> None:
        self.types: dict[str, ParamType] = dict.fromkeys(values, ParamType.STRING)
        self.types.update(types or {})
        self.values: dict[str, Value] = {
            name: parse_value(name, value, self.types[name]) for name, value in values.items()
        }

    def value(self, argument: str) -> tuple[ParamType, Value | None]:
        """The type and value of a template's argument; None where the unit has no such value.

        :raises TemplateError: no parameter and no function of that name is declared
        """
        call = re.fullmatch(r"(\w+)\((\w+)\)", argument)
        if call is None:
            if argument not in self.types:
                raise TemplateError(f"parameter {argument} is not declared")
            return self.types[argument], self.values.get(argument)
        function = _FUNCTIONS.get(call[1])
        if function is None:
            raise TemplateError(f"function {call[1]} is not known (known: {', '.join(sorted(_FUNCTIONS))})")
        _, value = self.value(call[2])
        if value is None:
            return ParamType.STRING, None

        return ParamType.STRING, function(str(value))


def expand_regex(template: Template, parameters: Parameters) -> str | None:
    """The template as a Java regular expression: values quoted, sets as alternatives, ranges as groups.

    None where a parameter has no value.

    :raises TemplateError: the format does not fit its arguments
    """
    if not template.arguments:
        return template.format
    values: list[str | int] = []
    for argument in template.arguments:
        kind, value = parameters.value(argument)
        if value is None:
            return None
        match kind:
            case ParamType.SET:
                assert isinstance(value, tuple)
                values.append("(?:" + "|".join(_quoted(str(member)) for member in value) + ")")
            case ParamType.NUM_RANGE:
                values.append(r"(\d+)")
            case ParamType.RANGE:
                values.append("(.*)")
            case _:
                assert isinstance(value, str | int)
                values.append(_quoted(value) if isinstance(value, str) else value)

    return formatted(template, values)


def expand_urls(template: Template, parameters: Parameters) -> list[str] | None:
    """The URLs a root template stands for: sets and ranges of numbers enumerated, the last varying slowest.

    None where a parameter has no value. A range of more than 100 numbers is cut.

    :raises TemplateError: a range of strings, or the format does not fit its arguments
    """
    if not template.arguments:
        return [template.format]
    choices: list[tuple[str | int, ...]] = []
    for argument in template.arguments:
        kind, value = parameters.value(argument)
        if value is None:
            return None
        match kind:
            case ParamType.RANGE:
                raise TemplateError(f"{argument} is a range of strings, which no root can enumerate")
            case ParamType.SET:
                assert isinstance(value, tuple)
                choices.append(value)
            case ParamType.NUM_RANGE:
                choices.append(_numbers(value))
            case _:
                assert isinstance(value, str | int)
                choices.append((value,))
    # The Java program varies the first fastest; itertools.product does the last.
    product = itertools.product(*reversed(choices))

    return [formatted(template, list(reversed(chosen))) for chosen in product]


def _numbers(value: Value) -> tuple[int, ...]:
    assert isinstance(value, tuple)
    low, high = int(value[0]), int(value[1])
    if high - low + 1 > MAX_RANGE_VALUES:
        # The Java program cuts at lowest + 100, both ends included.
        high = low + MAX_RANGE_VALUES

    return tuple(range(low, high + 1))


def _quoted(value: str) -> str:
    """A value for use in a regular expression; a blank also stands for its encodings, as a group (14)."""
    return "".join(
        char if char.isalnum() or char == "_" else r"( |\+|%20)" if char == " " else "\\" + char
        for char in value
    )


_CONVERSION = re.compile(r"%([-+ 0#]*)([0-9]*)(?:\.([0-9]+))?(?:[hlL])?([a-zA-Z%]?)")


def conversions(template: Template) -> list[str]:
    """The conversion letters of the format in order, without `%%`."""
    return [match[4] for match in _CONVERSION.finditer(template.format) if match[4] != "%"]


def formatted(template: Template, values: list[str | int]) -> str:
    """The format filled as C's printf does it.

    :raises TemplateError: too few values, an unknown conversion, or a text where a number must be
    """
    remaining = iter(values)

    def fill(match: re.Match[str]) -> str:
        flags, width, precision, conversion = match.groups()
        if conversion == "%":
            return "%"
        if conversion not in tuple("sdiuxXoc"):
            raise TemplateError(f"%{conversion or ' at the end'} is not a conversion in {template.text}")
        try:
            value = next(remaining)
        except StopIteration:
            raise TemplateError(f"too few arguments in {template.text}") from None
        if conversion in "diuxXo":
            if not isinstance(value, int):
                raise TemplateError(f"%{conversion} wants a number, not {value!r}, in {template.text}")
            return f"%{flags}{width}{'.' + precision if precision else ''}{conversion}" % value
        text = str(value)[: int(precision)] if precision else str(value)
        return text.ljust(int(width or 0)) if "-" in flags else text.rjust(int(width or 0))

    return _CONVERSION.sub(fill, template.format)
