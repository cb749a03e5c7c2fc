"""`fullmarks demo`: small samples of the protocols, scored, with the commands that do the same by hand."""

from __future__ import annotations

import shlex
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


def _shown(name: str, folder: Path, typed: str, page: Page) -> str:
    from fullmarks.evaluate import score
    from fullmarks.report.terminal import draw, line, result_text

    sample = read_sample(name)
    result = score(name, *sample.arguments(folder), by=sample.by, keep=False, **sample.keywords(folder))
    by = [word for column in sample.by for word in ("--by", column)]
    words = [name, *sample.words(typed)]
    return (
        "\n"
        + draw(page, line(f" {name}: {sample.lesson}", "bold"))
        + "\n"
        + result_text(result, page, by=sample.by)
        + f"\n  $ {shlex.join(['fullmarks', 'score', *words, *by])}\n"
        + f"  $ {shlex.join(['fullmarks', 'explain', *words, '--id', sample.look_at])}\n"
    )


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


def _way_there(folder: Path) -> str:
    """What to type before the other lines: where the samples are and, if the shell would not find it, the program."""
    import shutil
    import sys

    lines = [f"  $ cd {shlex.quote(str(folder))}\n"]
    if shutil.which("fullmarks") is None:
        lines.append(f"  $ export PATH={shlex.quote(str(Path(sys.executable).parent))}:$PATH\n")
    return "".join(lines)


def _run(names: tuple[str, ...], copy: Path | None) -> None:
    chosen = names or shown_unasked()
    page = output_page()
    emit("\nThe lines after $ can be typed in the folder of the samples:\n\n")
    emit(_way_there(_as_typed(HOME) if copy is None else copy))
    for name in chosen:
        sample = read_sample(name)
        folder = sample_folder(name) if copy is None else _copied(name, copy)
        try:
            emit(_shown(name, folder, _typed(folder, HOME if copy is None else copy), page))
        except MissingDependencyError as error:
            emit(f"\n {name}: {sample.lesson}\n\n  {error}\n")
    others = [name for name in sample_names() if name not in chosen]
    if others:
        emit(f"\nMore samples: fullmarks demo NAME, for {', '.join(others)}\n")
    emit("\nAll protocols and metrics: fullmarks list")


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
