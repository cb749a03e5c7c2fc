"""`fullmarks demo`: small samples of the protocols, scored, with the commands that do the same by hand."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fullmarks.cli.command_table import ENTRIES
from fullmarks.cli.options.local_path import LOCAL_PATH
from fullmarks.cli.output.streams import emit, output_page
from fullmarks.errors import MissingDependencyError, UsageError
from fullmarks.protocols.sample import HOME, read_sample, sample_folder, sample_names, shown_unasked

if TYPE_CHECKING:
    from fullmarks.report.terminal import Page


INTRODUCTION = (
    "Each benchmark is scored as its own program scores it. Below are small samples that come with fullmarks, scored "
    "on this machine now. The lines after $ do the same by hand, in the folder of the samples:"
)


def _shown(name: str, folder: Path, typed: str, page: Page, *, in_detail: bool) -> str:
    """The lesson, the result, the lines that make it; in detail, why the answer worth a look got its score."""
    from fullmarks.evaluate import explain, score
    from fullmarks.report.terminal import draw, explanation_text, line, result_text

    sample = read_sample(name)
    files, options = sample.arguments(folder), sample.keywords(folder)
    result = score(name, *files, by=sample.by, keep=False, **options)
    by = [word for column in sample.by for word in ("--by", column)]
    words = [name, *sample.words(typed)]
    title = draw(page, line(f" {name}: {sample.lesson}", "bold"))
    scored = result_text(result, page, by=sample.by) + "\n" + _typed_line(page, "fullmarks", "score", *words, *by)
    why = "\n" + explanation_text(explain(name, *files, id=sample.look_at, **options), page) + "\n" if in_detail else ""
    last = _typed_line(page, "fullmarks", "explain", *words, "--id", sample.look_at)
    return f"\n{title}\n{scored}{why}{last}"


def _typed_line(page: Page, *words: str) -> str:
    """A line to be typed, which is never wrapped."""
    from fullmarks.report.terminal import draw, line

    return draw(page, line(f"  $ {shlex.join(words)}", "cyan", to_copy=True))


def _copied(name: str, folder: Path) -> Path:
    """The folder with the sample of one protocol in it; a file of its user's is not written over."""
    import shutil

    try:
        for sample in sample_folder(name).iterdir():
            there = folder / name / sample.name
            if there.exists() and (not there.is_file() or there.read_bytes() != sample.read_bytes()):
                raise UsageError(f"{there}: this is not the sample and would be overwritten. Name another folder")
        shutil.copytree(sample_folder(name), folder / name, dirs_exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: the samples cannot be copied there ({error}). Name another folder") from error
    return folder / name


def _as_typed(folder: Path) -> Path:
    """The shortest way to write the folder from here."""
    here = Path.cwd()
    return folder.relative_to(here) if folder.is_relative_to(here) else folder


def _typed(folder: Path, home: Path) -> str:
    """The folder of a sample as it is typed in the folder of all; that of another package lies elsewhere."""
    return str(folder.relative_to(home) if folder.is_relative_to(home) else folder)


def _way_there(folder: Path, page: Page) -> str:
    """What to type before the other lines: where the samples are and, if the shell would not find it, the program."""
    import shutil
    import sys

    lines = [_typed_line(page, "cd", str(folder))]
    if shutil.which("fullmarks") is None:
        path = f"export PATH={shlex.quote(str(Path(sys.executable).parent))}:$PATH"
        lines.append(f"  $ {path}\n")
    return "".join(lines)


def _run(names: tuple[str, ...], copy: Path | None) -> None:
    from fullmarks.report.terminal import draw, line

    chosen = names or shown_unasked()
    page = output_page()
    emit(
        "\n" + draw(page, line(f" {INTRODUCTION}")) + "\n" + _way_there(_as_typed(HOME) if copy is None else copy, page)
    )
    missing = []
    for at, name in enumerate(chosen):
        folder = sample_folder(name) if copy is None else _copied(name, copy)
        typed = _typed(folder, HOME if copy is None else copy)
        try:
            emit(_shown(name, folder, typed, page, in_detail=at == 0))
        except MissingDependencyError as error:
            missing.append(f"{name}: {error}")
    others = [name for name in sample_names() if name not in chosen]
    emit("\n" + draw(page, *(line(f" {text}") for text in _endings(missing, others))))


def _endings(missing: list[str], others: list[str]) -> Iterator[str]:
    """What could not be shown, and where to go from here."""
    yield from missing
    if others:
        yield f"More samples: fullmarks demo NAME, for {', '.join(others)}"
    yield "All protocols and metrics: fullmarks list; what a protocol scores and how: fullmarks card NAME"


command = click.Command(
    "demo",
    callback=_run,
    params=[
        click.Argument(["names"], nargs=-1, metavar="[PROTOCOL]..."),
        click.Option(
            ["--copy"],
            type=LOCAL_PATH,
            metavar="FOLDER",
            help="Copy the samples there first, and score the copies.",
        ),
    ],
    help=ENTRIES["demo"].summary,
)
