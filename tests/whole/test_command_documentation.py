"""Whatever users can type is documented."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from fullmarks.cli.command_group import commands
from fullmarks.cli.command_table import ENTRIES
from fullmarks.cli.protocol_group import ProtocolGroup
from fullmarks.metrics import METRICS
from fullmarks.protocols import PROTOCOLS

DOCS = Path(__file__).resolve().parents[2] / "docs"


def text() -> str:
    return (DOCS / "cli.md").read_text(encoding="utf-8")


def every_page() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(DOCS.rglob("*.md")))


def every_command() -> list[click.Command]:
    context = click.Context(commands)
    found: list[click.Command] = []
    for name in ENTRIES:
        command = commands.get_command(context, name)
        found.append(command)
        if isinstance(command, ProtocolGroup):
            found.extend(command.get_command(context, protocol) for protocol in PROTOCOLS.built_in)
    return found


@pytest.mark.parametrize("name", ENTRIES)
def test_every_command_has_its_section(name):
    assert f"\n## {name}\n" in text()
    assert f"`fullmarks {name}`" in text()


def test_every_option_is_documented():
    words = set(re.findall(r"(?<![\w-])--?[a-z][a-z_-]*", every_page()))  # a protocol's own may stand on its page
    missing = {
        flag
        for command in every_command()
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for flag in (*parameter.opts, *parameter.secondary_opts)
        if flag not in words
    }
    assert missing == set()


def test_every_documented_option_exists():
    known = {
        flag
        for command in [commands, *every_command()]
        for parameter in command.params
        for flag in (*parameter.opts, *parameter.secondary_opts)
    }
    known |= {"--help", "-h"}
    words = set(re.findall(r"`(--?[a-z][a-z-]*)", text()))
    assert words - known - {"-"} == set()


def test_every_exit_code_is_documented():
    from fullmarks.cli.command_table import EXIT_CODES
    from fullmarks.cli.commands.score.gate import UNMET
    from fullmarks.cli.run import DEFECT, DONE, INTERRUPTED, NO_READER, TRACEBACK_VARIABLE, UNUSABLE
    from fullmarks.cli.signals import ENDING_SIGNALS, EndedBySignal

    ended = [EndedBySignal(number).code for number in ENDING_SIGNALS]
    for code in (DONE, UNMET, UNUSABLE, DEFECT, INTERRUPTED, NO_READER, *ended):
        assert f"\n| {code} |" in text()
        assert re.search(rf"\b{code} \w", EXIT_CODES)
    assert TRACEBACK_VARIABLE in text()


def test_every_metric_and_protocol_is_documented():
    everything = every_page()
    missing = [name for name in (*METRICS.own_names(), *PROTOCOLS.built_in) if f"`{name}`" not in everything]
    assert missing == []
