"""A case: files in a folder and the words of the commands. It is a function of the seed and its number alone."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from tools.fuzz import forms
from tools.fuzz.forms import Part
from tools.fuzz.json_text import Pairs
from tools.fuzz.mutations import changed_bytes, changed_document, changed_records, compressed
from tools.fuzz.odd_values import odd_name
from tools.fuzz.samples import Sample

OTHERS = ("explain", "explain", "compare", "compare-runs", "report")
GAPS = ((), (), ("--on-missing", "zero"), ("--on-missing", "skip"))
REPEATS = ((), (), ("--on-duplicate", "first"), ("--on-duplicate", "last"))


@dataclass
class Case:
    """What is run: the files by name, those passed by position, the options, and one more command."""

    protocol: str
    files: dict[str, bytes]
    given: list[str]
    options: list[str]
    other: str
    by: str = ""
    form: str = "official"
    identifier: str = "x"
    extra: list[str] = field(default_factory=list)
    twins: dict[str, str] = field(default_factory=dict)
    """Files that hold the records of another one as a JSON list instead of JSON lines: the same must come of both."""

    def save(self, folder: Path, why: list[str]) -> None:
        """Write the case so that `load` and a person can read it."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in self.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        record = {key: value for key, value in vars(self).items() if key != "files"}
        record.update(names=list(self.files), why=why)
        (folder / "case.json").write_text(json.dumps(record, indent=1) + "\n")

    @classmethod
    def load(cls, folder: Path) -> Case:
        """A case that was saved."""
        record = json.loads((folder / "case.json").read_text())
        record.pop("why")
        return cls(files={name: (folder / name).read_bytes() for name in record.pop("names")}, **record)


def make_case(samples: list[Sample], seed: int, number: int) -> Case:
    """The case of this number; the samples take turns."""
    source = Random(f"{seed}:{number}")
    sample = samples[number % len(samples)]
    form, parts = _chosen_form(sample, source)
    identifier = _some_id(parts, source)
    files: dict[str, bytes] = {}
    twins: dict[str, str] = {}
    given: list[str] = []
    options = [*sample.options, *source.choice(GAPS), *source.choice(REPEATS)]
    if source.random() < 0.1:
        options += ["--limit", str(source.choice((0, 1, 2, 3, 10**6, -1)))]
    unlucky = source.randrange(len(parts))
    for position, part in enumerate(parts):
        name, data, is_plain = _finished(part, source, is_changed=position == unlucky or source.random() < 0.2)
        files[name] = data
        if is_plain and name == part.name and name.endswith(".jsonl") and form != "other tool":
            twin = forms.written(replace(part, name=f"{name}.twin.json"), source)
            if _is_utf8(twin) == _is_utf8(data):  # a lone surrogate may be escaped in one and not in the other
                twins[name] = f"{name}.twin.json"
                files[twins[name]] = twin
        if part.flag:
            options += [part.flag, f"@{name}"]
        else:
            given.append(name)
    by = odd_name(source) if source.random() < 0.1 else "topic" if source.random() < 0.2 else ""
    other, extra = source.choice(OTHERS), _extra(source)
    return Case(sample.protocol, files, given, options, other, by, form, identifier, extra, twins)


def _chosen_form(sample: Sample, source: Random) -> tuple[str, list[Part]]:
    choice = source.random()
    if choice < 0.4 or not forms.reads_tables(sample):
        return "official", deepcopy(forms.official(sample))
    if choice < 0.6:
        return "one table", deepcopy(forms.one_table(sample, source.choice(forms.TABLES)))
    if choice < 0.85:
        return "two tables", deepcopy(
            forms.two_tables(sample, source.choice(forms.TABLES), source.choice(forms.TABLES))
        )
    return "other tool", deepcopy(forms.other_tools(sample, source))


def _finished(part: Part, source: Random, *, is_changed: bool) -> tuple[str, bytes, bool]:
    """The name and the bytes of a part after its changes, and whether the bytes are as they were written."""
    part.escaped = source.random() < 0.5
    level = source.choices(("content", "bytes", "both"), (6, 2, 1))[0] if is_changed else ""
    if level in ("content", "both"):
        for _ in range(source.choice((1, 1, 1, 2, 3))):
            if part.records:
                part.records = changed_records(part.records, source)
            elif part.document is not None:
                part.document = changed_document(part.document, source)
    data, name = forms.written(part, source), part.name
    if level in ("bytes", "both"):
        data = changed_bytes(data, source)
    if source.random() < 0.1:
        data, ending = compressed(data, source)
        name += ending
    if is_changed and source.random() < 0.03:
        name = name.partition(".")[0] + source.choice(
            (".json", ".jsonl", ".csv", ".parquet", ".txt", "", ".gz", ".xlsx")
        )
    return name, data, level in ("", "content")


def _some_id(parts: list[Part], source: Random) -> str:
    """An id that the files hold, where that is easily seen."""
    for part in parts:
        if part.records:
            record = dict(source.choice(part.records))
            return str(record.get("id", record.get("Guid", "x")))
        if isinstance(part.document, Pairs) and len(part.document) > 3:
            return str(source.choice(part.document)[0])
    return "light-1"


def _extra(source: Random) -> list[str]:
    """How the score is shown besides."""
    shown: tuple[list[str], ...] = ([], [], [], ["-f", "csv"], ["-f", "markdown"], ["-f", "text"])
    return list(source.choice((*shown, ["--ci", "--resamples", "40", "-f", "text"])))


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
