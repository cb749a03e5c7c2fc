"""`fullmarks demo`: a small sample of each protocol, scored, with the commands that do the same by hand."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fullmarks.cli.commands import ENTRIES
from fullmarks.cli.output import emit, output_page
from fullmarks.errors import MissingDependencyError, UsageError

if TYPE_CHECKING:
    from fullmarks.report.terminal import Page

SAMPLES = Path(__file__).parents[1] / "data" / "demo"


@dataclass(frozen=True)
class Demonstration:
    """One sample: its files, the options it is scored with, and the question worth a closer look."""

    protocol: str
    gold: str
    predictions: str | None
    lesson: str
    look_at: str
    files: dict[str, str] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)
    by: tuple[str, ...] = ()

    def words(self, command: str) -> list[str]:
        """The words of a command on this sample, typed in the folder of the samples."""
        named = [name for name in (self.gold, self.predictions) if name is not None]
        options = [word for pair in (self.files | self.options).items() for word in pair]
        return ["fullmarks", command, self.protocol, *named, *options]

    def keywords(self, folder: Path) -> dict[str, Any]:
        """The same options for a call from Python, the files being in the folder."""
        found = {flag: str(folder / name) for flag, name in self.files.items()} | self.options
        return {flag[2:].replace("-", "_"): value for flag, value in found.items()}


DEMONSTRATIONS = (
    Demonstration(
        "squad2",
        "squad2/gold.json",
        "squad2/predictions.json",
        "Some questions have no answer; a model should then say nothing.",
        "bee-1",
        {"--na-prob-file": "squad2/na_probs.json"},
    ),
    Demonstration(
        "squad1",
        "squad1/gold.json",
        "squad1/predictions.json",
        "Case, punctuation and articles do not count; a gap counts 0.",
        "lamp",
    ),
    Demonstration(
        "vqa",
        "vqa/annotations.json",
        "vqa/results.json",
        "'Blue.' against ten times 'blue' scores 0, as in the published program.",
        "20",
    ),
    Demonstration(
        "qa",
        "qa/examples.jsonl",
        None,
        "One table with predictions and references, broken down by a column.",
        "capital",
        by=("topic",),
    ),
    Demonstration(
        "webqa",
        "webqa/outputs.tsv",
        None,
        "Lemmas against keywords: 'lantern' is 'lanterns', 'eleven' is 11.",
        "tram-1",
    ),
    Demonstration(
        "fusionbrain",
        "fusionbrain/ground_truth.json",
        "fusionbrain/predictions.json",
        "Normal forms: '3 лодка' is 'три лодки'; a letter is a choice.",
        "pier-1",
        {"--ids": "fusionbrain/ids.json"},
        {"--task": "TextQA,MathQA,VisualQA,TRitW", "--synonyms": "none"},
    ),
)


def _shown(sample: Demonstration, folder: Path, page: Page) -> str:
    from fullmarks.evaluate import score
    from fullmarks.report.terminal import draw, line, result_text

    predictions = None if sample.predictions is None else str(folder / sample.predictions)
    gold, options = str(folder / sample.gold), sample.keywords(folder)
    result = score(sample.protocol, gold, predictions, by=sample.by, keep=False, **options)
    by = [word for column in sample.by for word in ("--by", column)]
    return (
        "\n"
        + draw(page, line(f" {sample.protocol}: {sample.lesson}", "bold"))
        + "\n"
        + result_text(result, page, by=sample.by)
        + f"\n  $ {shlex.join([*sample.words('score'), *by])}\n"
        + f"  $ {shlex.join([*sample.words('explain'), '--id', sample.look_at])}\n"
    )


def _copied(folder: Path) -> Path:
    """The folder with the samples in it."""
    import shutil

    try:
        shutil.copytree(SAMPLES, folder, dirs_exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: the samples cannot be copied there ({error}). Name another folder") from error
    return folder


def _as_typed(folder: Path) -> Path:
    """The shortest way to write the folder from here."""
    here = Path.cwd()
    return folder.relative_to(here) if folder.is_relative_to(here) else folder


def _way_there(folder: Path) -> str:
    """What to type before the other lines: where the samples are and, if the shell would not find it, the program."""
    import shutil
    import sys

    lines = [f"  $ cd {shlex.quote(str(folder))}\n"]
    if shutil.which("fullmarks") is None:
        lines.append(f"  $ export PATH={shlex.quote(str(Path(sys.executable).parent))}:$PATH\n")
    return "".join(lines)


def _run(copy: Path | None) -> None:
    folder = _as_typed(SAMPLES) if copy is None else _copied(copy)
    page = output_page()
    emit("\nThe lines after $ can be typed in the folder of the samples:\n\n" + _way_there(folder))
    for sample in DEMONSTRATIONS:
        try:
            emit(_shown(sample, folder, page))
        except MissingDependencyError as error:
            emit(f"\n {sample.protocol}: {sample.lesson}\n\n  {error}\n")
    emit("\nAll protocols and metrics: fullmarks list")


command = click.Command(
    "demo",
    callback=_run,
    params=[
        click.Option(
            ["--copy"],
            type=click.Path(path_type=Path),
            metavar="FOLDER",
            help="Copy the samples there first, and score the copies.",
        )
    ],
    help=ENTRIES["demo"].summary,
)
