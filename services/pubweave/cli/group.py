"""Click made helpful: commands loaded when they are called, nothing given twice, lists after one option."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Final, NamedTuple

import click


class Lazy(NamedTuple):
    """A command that is imported when it is called."""

    target: str
    """`module:attribute`."""
    sentence: str
    """What `--help` of its group says."""


def _nearest(word: str, known: Sequence[str]) -> str:
    from pubweave.settings import nearest

    return nearest(word, known)


class GuessingGroup(click.Group):
    """A group that guesses what was meant."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        unknown = args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None
        if unknown and not ctx.resilient_parsing:
            known = self.list_commands(ctx)
            near = _nearest(args[0], known)
            hint = f"did you mean {near!r}?" if near else f"there are: {', '.join(known)}"
            ctx.fail(f"there is no command {args[0]!r}; {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Each with its whole first sentence, over as many lines as it takes; click would cut it at the end of one."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(
                [
                    (name, one.get_short_help_str(_A_SENTENCE))
                    for name, one in commands
                    if one and not one.hidden
                ]
            )


def group_of(other: click.Group) -> GuessingGroup:
    """The group of another application as one of ours, with the same commands."""
    return GuessingGroup(
        name=other.name,
        commands=other.commands,
        params=other.params,
        callback=other.callback,
        help=other.help,
        context_settings=other.context_settings,
    )


_A_SENTENCE: Final = 1_000
"""Characters that no first sentence has."""


class LazyGroup(GuessingGroup):
    """A group whose help costs no imports."""

    def __init__(
        self, *args: Any, lazy: Mapping[str, Lazy], aliases: Mapping[str, str] | None = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.lazy: Final = dict(lazy)
        self.aliases: Final = dict(aliases or {})

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        name = self.aliases.get(cmd_name, cmd_name)
        if name not in self.lazy:
            return None
        module, _, attribute = self.lazy[name].target.partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, lazy.sentence) for name, lazy in self.lazy.items()])


class Option(click.Option):
    """An option that may have further spellings, and that knows the heading it stands under.

    :param also: spellings that are accepted and not shown
    :param listed: what it takes is a list: it may be given as `--x a b`, `--x a,b` or several times
    """

    def __init__(
        self,
        declarations: Sequence[str],
        *,
        heading: str = "",
        also: Sequence[str] = (),
        listed: Sequence[str] = (),
        **kwargs: Any,
    ) -> None:
        super().__init__(
            [*declarations, *also], multiple=bool(listed) or kwargs.pop("multiple", False), **kwargs
        )
        self.heading = heading
        self.also = tuple(also)
        self.listed = tuple(listed)

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        spellings = self.opts
        self.opts = [spelling for spelling in spellings if spelling not in self.also]
        try:
            return super().get_help_record(ctx)
        finally:
            self.opts = spellings


class Command(click.Command):
    """A command with examples whose options stand under headings; a single-valued option given twice is refused
    (F-CLI-06)."""

    def __init__(self, *args: Any, examples: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples: Final = examples

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        args = self._spread(args)
        _, _, given = self.make_parser(ctx).parse_args(list(args))
        seen: set[str] = set()
        for parameter in given:
            if isinstance(parameter, click.Option) and not parameter.multiple and not parameter.count:
                if parameter.opts[0] in seen:
                    ctx.fail(f"{parameter.opts[0]} is given twice")
                seen.add(parameter.opts[0])
        return super().parse_args(ctx, args)

    def _spread(self, args: Sequence[str]) -> list[str]:
        """`--x a b,c` becomes `--x a --x b --x c`, as far as the words after `--x` are words of its list."""
        lists = {
            spelling: option
            for option in self.params
            if isinstance(option, Option) and option.listed
            for spelling in option.opts
        }
        result: list[str] = []
        left = list(args)
        while left:
            argument = left.pop(0)
            spelling, equals, value = argument.partition("=")
            option = lists.get(spelling)
            if argument == "--":
                return [*result, argument, *left]
            if option is None:
                result.append(argument)
                continue
            words = [value] if equals else left[:1]
            if not equals:
                del left[:1]
                while left and all(word in option.listed for word in left[0].split(",")):
                    words.append(left.pop(0))
            for word in words or [""]:
                for one in word.split(","):
                    result += [spelling, one] if word else [spelling]
        return result

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        headings: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                headings.setdefault(getattr(parameter, "heading", "") or "Options", []).append(record)
        options = headings.pop("Options", [])
        for heading, records in [*headings.items(), ("Options", options)]:
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if self.examples:
            with formatter.section("Examples"):
                for line in self.examples.strip("\n").splitlines():
                    formatter.write(" " * formatter.current_indent + line + "\n")
        super().format_epilog(ctx, formatter)
