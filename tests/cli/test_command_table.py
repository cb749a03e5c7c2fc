"""The overview: the same by both ways, and true to the commands."""

from __future__ import annotations

import pytest

from fullmarks.cli.command_group import commands
from fullmarks.cli.command_table import ENTRIES, OPTIONS
from fullmarks.version import __version__


def test_version_and_overview(run):
    assert run("--version").out == f"fullmarks {__version__}\n"
    overview = run("--help")
    assert overview.code == 0
    assert all(name in overview.out for name in ENTRIES)
    assert "Exit codes: 0" in overview.out
    assert run().out == overview.out == run("-h").out


@pytest.mark.parametrize("columns", [20, 60, 80, 200])
def test_the_overview_is_the_same_by_both_ways(run, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    direct = run("--help").out
    assert run("--help", "--help").out == direct
    longest = max(map(len, direct.splitlines()))
    assert longest <= max(50, min(columns - 2, 98))
    assert all(entry.summary in " ".join(direct.split()) for entry in ENTRIES.values())


def test_the_overview_lists_the_options_there_are():
    context = commands.make_context("fullmarks", [], resilient_parsing=True)
    assert [", ".join(option.opts) for option in commands.get_params(context)] == list(OPTIONS)


@pytest.mark.parametrize("name", ENTRIES)
def test_the_overview_tells_what_the_command_says_of_itself(name):
    command = commands.get_command(None, name)
    assert command.name == name
    assert (command.short_help or command.help) == ENTRIES[name].summary


def test_the_version_ends_the_command(run):
    ended = run("--version", "list")
    assert (ended.code, ended.out) == (0, f"fullmarks {__version__}\n")
