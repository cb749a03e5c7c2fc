"""All commands by name. A command's module is imported when the command runs; the overview needs none of them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

import click

from fullmarks.errors import UsageError
from fullmarks.version import __version__

if TYPE_CHECKING:
    from click import Command, Context, HelpFormatter

EXIT_CODES = (
    "Exit codes: 0 done; 1 a condition is not met; 2 wrong use or unusable input; 70 a defect of fullmarks; "
    "129 hung up; 130 interrupted; 141 output no longer read; 143 told to end."
)


class Entry(NamedTuple):
    """Where a command lives, its line in the overview, and what its own help adds about other words it takes."""

    place: str
    summary: str
    hint: str = ""
    takes_one_table: bool = True
    """Whether a command that takes a protocol can do without PREDICTIONS."""


ENTRIES = {
    "score": Entry("fullmarks.cli.score:command", "Score predictions as the benchmark's own script does."),
    "validate": Entry(
        "fullmarks.cli.validate:command", "Check the files: what is missing, unknown, repeated or empty."
    ),
    "explain": Entry("fullmarks.cli.explain:command", "Show why one answer got its score."),
    "compare": Entry(
        "fullmarks.cli.compare:command",
        "Compare systems: differences, how sure they are, and where.",
        "For saved runs: fullmarks compare RUN.json --help",
        takes_one_table=False,
    ),
    "report": Entry("fullmarks.cli.report:command", "Make a page or a paper's table of saved runs."),
    "crosscheck": Entry("fullmarks.cli.crosscheck:command", "Show why another library gives another number."),
    "ppi": Entry("fullmarks.cli.ppi:command", "Correct a judge's mean by the answers that a person looked at too."),
    "list": Entry("fullmarks.cli.list_command:command", "List protocols and metrics, and what each needs."),
    "card": Entry("fullmarks.cli.card:command", "Show what a protocol scores, and how."),
    "demo": Entry("fullmarks.cli.demo:command", "Score a small sample of each protocol."),
    "new-protocol": Entry("fullmarks.cli.new_protocol:command", "Make a package with a benchmark of your own."),
    "doctor": Entry("fullmarks.cli.doctor:command", "Show versions and optional parts."),
    "completion": Entry("fullmarks.cli.completion:command", "Print the completion script of a shell."),
}


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
        module, _, attribute = ENTRIES[cmd_name].place.partition(":")
        command: Command = getattr(import_module(module), attribute)
        return command

    def resolve_command(self, ctx: Context, args: list[str]) -> tuple[str | None, Command | None, list[str]]:
        """The command that the words begin with, or an error that suggests the nearest name."""
        if args[0] not in ENTRIES and not args[0].startswith("-") and not ctx.resilient_parsing:
            from difflib import get_close_matches

            near = get_close_matches(args[0], ENTRIES, n=1)
            hint = f" Did you mean '{near[0]}'?" if near else ""
            raise UsageError(f"unknown command '{args[0]}'.{hint} See: fullmarks --help")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:
        """The overview, from the table alone."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in ENTRIES.items()])


commands = LazyGroup(
    "fullmarks",
    help="Scores question-answering models, text and visual, exactly as each published benchmark scores them.",
    epilog=EXIT_CODES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    params=[
        click.Option(
            ["--version"],
            is_flag=True,
            expose_value=False,
            is_eager=True,
            help="Show the version and exit.",
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
