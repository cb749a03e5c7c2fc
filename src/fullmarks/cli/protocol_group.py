"""Commands that take a protocol's name first: `fullmarks score squad2 ...`. Only the named protocol is imported.

Options of the command itself may also stand before the name; those of the protocol stand after it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from fullmarks.cli.command_table import ENTRIES, EXIT_CODES
from fullmarks.cli.options.max_size import max_size_option
from fullmarks.errors import UsageError

if TYPE_CHECKING:
    from fullmarks.protocols.protocol import Protocol

ONE_TABLE = "Without PREDICTIONS, GOLD is one table with all of them."
MANY_FILES = "A table may be many files: a folder, or a pattern in quotes such as 'runs/*.parquet'."
STREAMS = "'-' reads standard input; .gz and .zst are read directly; s3://bucket/key and other addresses are files too."

Run = Callable[[click.Context, "type[Protocol]"], Any]
Extra = Callable[["type[Protocol]"], Sequence[click.Option]]


class ProtocolGroup(click.Group):
    """One command for every protocol there is, made when it is asked for.

    `general` makes the options that do not depend on the protocol, `special` those that do beyond its fields.
    """

    def __init__(
        self,
        name: str,
        summary: str,
        run: Run,
        *,
        general: Callable[[], list[click.Option]],
        special: Extra = lambda _: (),
    ) -> None:
        hints = filter(None, (f"For all options: fullmarks {name} PROTOCOL --help", ENTRIES[name].hint))
        super().__init__(
            name,
            help=f"{summary}\n\n\b\n" + "\n".join(hints),
            short_help=summary,
            epilog=EXIT_CODES,
            subcommand_metavar="PROTOCOL GOLD [PREDICTIONS] [OPTIONS]",
            no_args_is_help=False,
        )
        self._summary = summary
        self._takes_one_table = ENTRIES[name].takes_one_table
        self._run = run
        self._of_command = general
        self._special = special

    def _general(self) -> list[click.Option]:
        return [*self._of_command(), max_size_option()]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Move options that stand before the protocol's name behind it."""
        parser = click.Command(None, params=list(self._general())).make_parser(ctx)
        parser.allow_interspersed_args = False
        rest = parser.parse_args(list(args))[1]
        before = args[: len(args) - len(rest)]
        if not rest and not ctx.resilient_parsing and not {"-h", "--help"} & set(before):
            raise UsageError(
                f"name a protocol: {', '.join(self.list_commands(ctx))}. See: fullmarks {self.name} --help"
            )
        return super().parse_args(ctx, [*rest[:1], *before, *rest[1:]])

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all protocols."""
        del ctx
        from fullmarks.protocols import PROTOCOLS

        return PROTOCOLS.names()

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command for one protocol; an unknown name is our own error, with the nearest names."""
        from fullmarks.cli.options.protocol_options import FILE, protocol_options
        from fullmarks.protocols import PROTOCOLS

        if ctx.resilient_parsing and cmd_name not in PROTOCOLS.names():
            return None
        protocol: type[Protocol] = PROTOCOLS.get(cmd_name)
        return click.Command(
            cmd_name,
            callback=click.pass_context(lambda context, **_: self._start(context, protocol)),
            params=[
                click.Argument(["gold"], type=FILE),
                click.Argument(["predictions"], type=FILE, required=False),
                *self._general(),
                *self._special(protocol),
                *protocol_options(protocol),
            ],
            help=_help(self._summary, protocol, self._takes_one_table),
            short_help=protocol.title,
            epilog=EXIT_CODES,
        )

    def _start(self, context: click.Context, protocol: type[Protocol]) -> Any:
        from_standard_input = [name for name, value in context.params.items() if value == "-"]
        if len(from_standard_input) > 1:
            raise UsageError(f"only one of {' and '.join(from_standard_input)} can be '-', for it is read to its end")
        return self._run(context, protocol)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The protocols with their titles."""
        del ctx
        from fullmarks.protocols import PROTOCOLS

        with formatter.section("Protocols"):
            formatter.write_dl([(name, _title(name)) for name in PROTOCOLS.names()])


def _title(name: str) -> str:
    """What a protocol is; one of another package that cannot be used does not hide the others."""
    from fullmarks.protocols import PROTOCOLS

    try:
        title: str = PROTOCOLS.get(name).title
    except UsageError:
        return "cannot be used; for the reason: fullmarks list protocols"
    return title


def _help(summary: str, protocol: type[Protocol], takes_one_table: bool) -> str:
    one_table = ONE_TABLE if protocol.tables and takes_one_table else ""
    many = MANY_FILES if protocol.tables else ""
    reading = " ".join(filter(None, (protocol.tables, one_table, many, STREAMS)))
    return (
        f"{summary}\n\n{protocol.title}.\n\n\b\n"
        f"{_hanging('GOLD', protocol.gold_format)}\n"
        f"{_hanging('PREDICTIONS', protocol.prediction_format)}\n\n"
        f"{reading}"
    )


def _hanging(name: str, text: str) -> str:
    """A name and its description, in lines that fit a narrow terminal."""
    import textwrap

    return textwrap.fill(text, 76, initial_indent=f"{name:13}", subsequent_indent=13 * " ", break_on_hyphens=False)
