"""The library of commands over the table of commands. A command's module is imported when the command runs."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import click

from fullmarks.cli.command_table import ENTRIES, OPTIONS, overview
from fullmarks.cli.output.streams import terminal_columns
from fullmarks.errors import UsageError
from fullmarks.version import __version__

if TYPE_CHECKING:
    from click import Command, Context


class LazyGroup(click.Group):
    """A group that imports a command only when it is asked for."""

    def list_commands(self, ctx: Context) -> list[str]:
        """The names in the order of the table."""
        del ctx
        return list(ENTRIES)

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:
        """The command of that name, its module imported now."""
        del ctx
        if cmd_name not in ENTRIES:
            return None
        command: Command = import_module(f"fullmarks.cli.commands.{ENTRIES[cmd_name].module}").command
        return command

    def resolve_command(self, ctx: Context, args: list[str]) -> tuple[str | None, Command | None, list[str]]:
        """The command that the words begin with, or an error that suggests the nearest name."""
        if args[0] not in ENTRIES and not args[0].startswith("-") and not ctx.resilient_parsing:
            from difflib import get_close_matches

            near = get_close_matches(args[0], ENTRIES, n=1)
            hint = f" Did you mean '{near[0]}'?" if near else ""
            raise UsageError(f"unknown command '{args[0]}'.{hint} See: fullmarks --help")
        return super().resolve_command(ctx, args)

    def get_help(self, ctx: Context) -> str:
        """The overview, from the table alone."""
        del ctx
        return overview(terminal_columns())


commands = LazyGroup(
    "fullmarks",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    params=[
        click.Option(
            ["--version"],
            is_flag=True,
            expose_value=False,
            is_eager=True,
            help=OPTIONS["--version"],
            callback=lambda context, _, wanted: _show_version(context) if wanted else None,
        )
    ],
)


def _show_version(context: Context) -> None:
    click.echo(f"fullmarks {__version__}")
    context.exit()


def run_command(words: list[str]) -> int:
    """The exit code of the command that these words make; what is wrong with them is raised as our own error."""
    try:
        with commands.make_context("fullmarks", words) as context:
            code = commands.invoke(context)
        return code if isinstance(code, int) else 0
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.Abort:
        raise KeyboardInterrupt from None
    except click.ClickException as error:
        raise UsageError(_in_words(error)) from None


def _in_words(error: click.ClickException) -> str:
    message = error.format_message().rstrip(".")
    context = getattr(error, "ctx", None)
    end = "" if message.endswith("?") else "."
    return f"{message}{end} See: {context.command_path} --help" if context else message
