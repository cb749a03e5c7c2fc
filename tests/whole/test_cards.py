"""Every benchmark's card: its sections, what it must name, and its example, run in the folder of the sample."""

from __future__ import annotations

import re
import shlex
import textwrap
from dataclasses import fields

import pytest

from fullmarks.cli.main import main
from fullmarks.protocols import PROTOCOLS
from fullmarks.protocols.folder import read_card
from fullmarks.protocols.protocol import Protocol
from fullmarks.protocols.sample import sample_folder
from tools.protocol_pages import PAGES, pages

SECTIONS = ("What is scored", "Files", "Result", "Variants and other tools", "Where we differ", "Source")
EXAMPLE = re.compile(r"^ {4}\$ (?P<command>fullmarks score .+)\n(?P<output>(?: {4}.*\n)+)", re.MULTILINE)
NAMES = list(PROTOCOLS.built_in)


def test_cards_have_their_sections() -> None:
    lacking = {}
    for name in NAMES:
        card = read_card(name)
        lacking[name] = [title for title in SECTIONS if f"\n## {title}\n" not in card]
        if not re.match(rf"# .+ \(`{name}`\)\n", card):
            lacking[name].append("the title")
    assert {name: what for name, what in lacking.items() if what} == {}


def test_cards_name_variants_and_options() -> None:
    general = {field.name for field in fields(Protocol)}
    lacking = {}
    for name in NAMES:
        card, protocol = read_card(name), PROTOCOLS.get(name)
        lacking[name] = [each for each in protocol.variants if f"`{each}`" not in card and each not in card]
        own = [field for field in fields(protocol) if field.name not in general and "description" in field.metadata]
        flags = {field.name: field.metadata["flags"] or (f"--{field.name.replace('_', '-')}",) for field in own}
        lacking[name] += [option for option, names in flags.items() if not any(flag in card for flag in names)]
    assert {name: what for name, what in lacking.items() if what} == {}


@pytest.mark.parametrize("name", NAMES)
def test_the_example_of_a_card(name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    found = EXAMPLE.search(read_card(name))
    assert found is not None, "the card shows no command with its output"
    monkeypatch.chdir(sample_folder(name))
    code = main(shlex.split(found["command"])[1:])
    printed = capsys.readouterr()
    if "which is not installed" in printed.err:
        pytest.skip(printed.err.strip())
    assert code == 0, printed.err
    assert printed.out == textwrap.dedent(found["output"])


def test_the_pages_are_made_from_the_cards() -> None:
    written = {path.name: path.read_text(encoding="utf-8") for path in PAGES.glob("*.md")}
    assert written == pages(), "run: make pages"
