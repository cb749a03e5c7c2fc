"""`fullmarks completion`: the script that makes a shell complete our commands, options, protocols and files."""

from __future__ import annotations

import click

from fullmarks.cli.command_group import commands
from fullmarks.cli.command_table import ENTRIES
from fullmarks.cli.output.streams import emit

SHELLS = ("bash", "zsh", "fish")


@click.command("completion", help=ENTRIES["completion"].summary)
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> None:
    """Print the script; to be loaded by the shell's own start-up file."""
    from click.shell_completion import get_completion_class

    from fullmarks.cli.run import COMPLETION_VARIABLE

    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"no completion for {shell}")
    emit(kind(commands, {}, "fullmarks", COMPLETION_VARIABLE).source())
