"""All commands by name, and the overview of them: `fullmarks --help`. Nothing of what it names is imported."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

SUMMARY = "Scores question-answering models, text and visual, exactly as each published benchmark scores them."
EXIT_CODES = (
    "Exit codes: 0 done; 1 a condition is not met; 2 wrong use or unusable input; 70 a defect of fullmarks; "
    "129 hung up; 130 interrupted; 141 output no longer read; 143 told to end."
)
PIPES = (
    "Output: text on a terminal; in a pipe or a file, numbers are JSON (score, compare, power, crosscheck, ppi) and "
    "everything else stays text. --format (-f) chooses."
)


class Entry(NamedTuple):
    """A command's module, its line in the overview, and what its own help adds about other words it takes."""

    module: str
    """Its place in `cli/commands`; the command itself is called `command` there."""
    summary: str
    hint: str = ""
    takes_one_table: bool = True
    """Whether a command that takes a protocol can do without PREDICTIONS."""


ENTRIES = {
    "score": Entry("score.command", "Score predictions as the benchmark's own script does."),
    "validate": Entry("validate", "Check the files: what is missing, unknown, repeated or empty."),
    "explain": Entry("explain", "Show why one answer got its score."),
    "compare": Entry(
        "compare",
        "Compare systems: differences, how sure they are, and where.",
        "For saved runs: fullmarks compare RUN.json --help\n"
        "Several runs of one system: their files with commas, as in a1.json,a2.json",
        takes_one_table=False,
    ),
    "power": Entry("power", "Plan a comparison: how many questions show how small a difference."),
    "report": Entry("report", "Make a page or a paper's table of saved runs."),
    "crosscheck": Entry("crosscheck", "Show why another library gives another number."),
    "ppi": Entry("ppi", "Correct a judge's mean by the answers that a person looked at too."),
    "import": Entry("import_command", "Turn logs of other evaluation tools into a table to score."),
    "list": Entry("list_command", "List protocols and metrics, and what each needs."),
    "card": Entry("card", "Show what a protocol scores, and how."),
    "demo": Entry("demo", "Score a small sample of each protocol."),
    "new-protocol": Entry("new_protocol", "Make a package with a benchmark of your own."),
    "doctor": Entry("doctor", "Show versions and optional parts."),
    "completion": Entry("completion", "Print the completion script of a shell."),
}
OPTIONS = {"--version": "Show the version and exit.", "-h, --help": "Show this message and exit."}

WIDEST, NARROWEST = 98, 50
"""The longest lines of the overview, whatever the terminal."""


def overview(columns: int) -> str:
    """What `fullmarks --help` shows on a terminal of so many columns."""
    width = max(min(columns - 2, WIDEST), NARROWEST)
    lines = ["Usage: fullmarks [OPTIONS] COMMAND [ARGS]...", ""]
    lines += [*_wrapped(SUMMARY, width), "", "Options:", *_listed(OPTIONS, width), "", "Commands:"]
    lines += [*_listed({name: entry.summary for name, entry in ENTRIES.items()}, width), ""]
    lines += [*_wrapped(PIPES, width), "", *_wrapped(EXIT_CODES, width)]
    return "\n".join(lines)


def _listed(meanings: dict[str, str], width: int) -> Iterator[str]:
    """A line for each name; where its meaning needs more, the others begin below it."""
    margin = 4 + max(map(len, meanings))
    for name, meaning in meanings.items():
        first, *others = _wrapped(meaning, width, margin)
        yield f"  {name}".ljust(margin) + first.lstrip()
        yield from others


def _wrapped(text: str, width: int, margin: int = 2) -> list[str]:
    """The words in lines of this width; `textwrap` would take as long to import as all of this."""
    lines = [""]
    for word in text.split():
        if margin + len(lines[-1]) + len(word) > width and lines[-1]:
            lines.append("")
        lines[-1] += f"{word} "
    return [" " * margin + line.rstrip() for line in lines]
