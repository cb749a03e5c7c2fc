"""Small valid files of every benchmark: its sample, and the golden sets cut down to a few questions.

What the cut leaves is kept only if it can be scored, so that every case starts from a valid input.
"""

from __future__ import annotations

import csv
import io
import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import fullmarks
from fullmarks.protocols.sample import read_sample, sample_folder
from tools.freeze.golden_sets import GOLDEN_SETS, GoldenSet
from tools.fuzz.json_text import Pairs, read_json, write_json

KEPT = 3
"""Questions that are left of a golden file."""
DELIMITERS = {".csv": ",", ".tsv": "\t", ".txt": "\t"}


@dataclass
class SmallFile:
    """One file: the option that takes it ("" for those passed by position), its name, and what it holds."""

    option: str
    name: str
    content: Any
    """A JSON document; the lines of JSON lines; the rows, each a list of cells, of delimited text."""

    def write(self, folder: Path) -> None:
        """Write it below the folder, by the ending of its name."""
        path = folder / self.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.bytes())

    def bytes(self) -> bytes:
        """What is written; a content that has lost its outer list is written as JSON."""
        delimiter = DELIMITERS.get(path_ending(self.name))
        is_list = isinstance(self.content, list) and not isinstance(self.content, Pairs)
        if delimiter and is_list:
            text = "\n".join(delimiter.join(map(_cell, _cells(row))) for row in self.content) + "\n"
        elif self.name.endswith(".jsonl") and is_list:
            text = "".join(f"{write_json(line)}\n" for line in self.content)
        else:
            text = write_json(self.content)
        return text.encode("utf-8", "surrogatepass")


@dataclass
class SmallInput:
    """What `fullmarks.score` is given: the files, the arguments by position, the other options."""

    benchmark: str
    origin: str
    """Where it is from: "sample", or the name of a golden set."""
    files: list[SmallFile]
    given: list[str]
    options: dict[str, Any] = field(default_factory=dict)

    def score(self, folder: Path) -> fullmarks.Result:
        """The result, the files having been written to the folder."""
        for file in self.files:
            file.write(folder)
        files = {file.option: str(folder / file.name) for file in self.files if file.option}
        given = [str(folder / name) for name in self.given]
        return fullmarks.score(self.benchmark, given[0], given[1] if len(given) > 1 else None, **files, **self.options)


def find_inputs(benchmark: str) -> list[SmallInput]:
    """The sample first, then every golden set of the benchmark that can be scored after the cut."""
    cut = [_from_golden_set(each) for each in GOLDEN_SETS if each.benchmark == benchmark and ":" not in each.gold]
    with tempfile.TemporaryDirectory() as folder:
        usable = [each for at, each in enumerate(cut) if _is_scored(each, Path(folder) / str(at))]
    return [_from_sample(benchmark), *usable]


def _is_scored(given: SmallInput, folder: Path) -> bool:
    try:
        return given.score(folder).official is not None
    except fullmarks.FullmarksError:
        return False


def _from_sample(benchmark: str) -> SmallInput:
    sample, folder = read_sample(benchmark), sample_folder(benchmark)
    files = sample.keywords(folder)
    named = {flag[2:].replace("-", "_"): name for flag, name in sample.files.items()}
    options = {name: value for name, value in files.items() if name not in named}
    return _input(benchmark, "sample", folder, (sample.gold, sample.predictions), named, options)


def _from_golden_set(golden: GoldenSet) -> SmallInput:
    place = Path(str(golden.arguments()[0])).parents[len(Path(golden.gold).parts) - 1]
    pair = golden.gold, golden.predictions
    made = _input(golden.benchmark, golden.name, place, pair, golden.files, dict(golden.options))
    known: set[Any] = set()
    for file in made.files:
        file.content = _cut(file.content, known)
        known.update(_scalars(file.content))
    return made


def _input(
    benchmark: str, origin: str, folder: Path, pair: tuple[str, str | None], named: dict[str, str], options: Any
) -> SmallInput:
    given = [name for name in pair if name is not None]
    files = [file for name in given for file in _read(folder, name, "")]
    files += [file for option, name in named.items() for file in _read(folder, name, option)]
    return SmallInput(benchmark, origin, files, given, options)


def _read(folder: Path, name: str, option: str) -> list[SmallFile]:
    """The files under a name: one, or those of a folder."""
    path = folder / name
    paths = sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]
    return [SmallFile(option, str(each.relative_to(folder)), _content(each)) for each in paths]


def _content(path: Path) -> Any:
    text = path.read_bytes().decode("utf-8", "surrogatepass")
    delimiter = DELIMITERS.get(path.suffix)
    if delimiter:
        return [list(row) for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row]
    if path.suffix != ".jsonl":
        try:
            return read_json(text)
        except json.JSONDecodeError:  # JSON lines under another name
            pass
    return [read_json(line) for line in text.split("\n") if line.strip()]


def _cut(content: Any, known: set[Any]) -> Any:
    """The first questions, at every depth; of a file that speaks of questions kept before, those."""
    if isinstance(content, Pairs):
        is_by_id = len(content) > 2 * KEPT and len({type(value) for _, value in content}) == 1
        met = [pair for pair in content if pair[0] in known] if is_by_id else []
        kept = (met or content)[: 4 * KEPT] if is_by_id else content
        return Pairs((key, _cut(value, known)) for key, value in kept)
    if isinstance(content, list) and content and isinstance(content[0], list):
        met = [row for row in content if known.intersection(_scalars(row, 0))]
        return [_cut(row, known) for row in (met or content)[: KEPT + 1]]  # a header may be the first
    return content


def _scalars(content: Any, depth: int = 6) -> Iterator[Any]:
    """Keys, texts and numbers, down to a depth."""
    if isinstance(content, Pairs):
        for key, value in content:
            yield key
            yield from _scalars(value, depth)
    elif isinstance(content, list):
        if depth:
            for value in content:
                yield from _scalars(value, depth - 1)
    elif isinstance(content, (str, int)) and not isinstance(content, bool):
        yield content


def _cells(row: Any) -> list[Any]:
    return row if isinstance(row, list) and not isinstance(row, Pairs) else [row]


def _cell(value: Any) -> str:
    text = value if isinstance(value, str) else write_json(value)
    return '"' + text.replace('"', '""') + '"' if any(mark in text for mark in '\t,\n"') else text


def path_ending(name: str) -> str:
    """The ending of a file's name, with its dot."""
    return name[name.rfind(".") :]
