"""The record as a file, and the differences between what it holds and what is found now."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import fullmarks
from tests.repository import ROOT
from tools.freeze.cases import Case
from tools.freeze.observations import Observation, attempt

RECORD = ROOT / "tests" / "frozen_record.jsonl.xz"
ABSENT = "(nothing)"
MOST_SHOWN = 150
"""How many characters of a value are shown."""
Record = dict[str, Observation]
"""The observation of every case by its name."""


@lru_cache
def read_record(path: Path = RECORD) -> Record:
    """The record in a file; empty where there is none."""
    lines = lzma.decompress(path.read_bytes()).splitlines() if path.exists() else []
    return {found.pop("case"): found for found in map(json.loads, lines)}


def write_record(record: Record, path: Path = RECORD) -> None:
    """Write it, one line per case, sorted: the same record gives the same bytes."""
    lines = (json.dumps({"case": name, **record[name]}) + "\n" for name in sorted(record))
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 1 << 26}]  # equal parts are far from each other
    path.write_bytes(lzma.compress("".join(lines).encode("ascii"), filters=filters))
    read_record.cache_clear()


@dataclass
class Comparison:
    """What comparing some cases gave."""

    found: Record = field(default_factory=dict)
    """What was observed now."""
    differences: dict[str, list[str]] = field(default_factory=dict)
    """The places that differ, by case."""
    skipped: dict[str, str] = field(default_factory=dict)
    """Cases that cannot be observed here, with the line to install."""

    def lines(self, most: int) -> Iterator[str]:
        """The differences for people, so many of each case, and the count of all."""
        for name, differences in self.differences.items():
            yield name
            yield from (f"    {line}" for line in differences[:most])
            if len(differences) > most:
                yield f"    ... and {len(differences) - most} more"
        yield from (f"skipped: {name}: {reason}" for name, reason in self.skipped.items())
        total = sum(map(len, self.differences.values()))
        places = f"{total} differences in {len(self.differences)} of {len(self.found)} cases"
        yield f"{places}, {len(self.skipped)} skipped"


def compare_cases(cases: Iterable[Case], record: Record, *, quick: bool = False) -> Comparison:
    """What these cases give now against the record."""
    comparison = Comparison()
    for case in cases:
        steps = case.quick_steps if quick else case.steps
        try:
            now = attempt(case.observe, steps)
        except fullmarks.MissingDependencyError as missing:
            comparison.skipped[case.name] = str(missing)
            continue
        comparison.found[case.name] = now
        before = dict(record.get(case.name, {}))
        if "steps" in before:
            before["steps"] = dict(list(before["steps"].items())[:steps])
        if json.dumps(before) != json.dumps(now):
            comparison.differences[case.name] = list(differing(before, now))
    return comparison


def differing(before: Observation, after: Observation) -> Iterator[str]:
    """Every place at which two observations differ, with both values; then the first place that is out of order."""
    old, new = dict(places(before)), dict(places(after))
    for place in {**old, **new}:
        was, now = old.get(place, ABSENT), new.get(place, ABSENT)
        if was != now:
            yield f"{place}: {' -> '.join(_shortened(was, now))}"
    common = ([place for place in one if place in other] for one, other in ((old, new), (new, old)))
    moved = next((pair for pair in zip(*common, strict=True) if pair[0] != pair[1]), None)
    if moved:
        yield f"order: {moved[0]} -> {moved[1]}"


def _shortened(was: str, now: str) -> list[str]:
    """Both values, long ones from a little before the first difference."""
    same = next((at for at, (one, other) in enumerate(zip(was, now, strict=False)) if one != other), 0)
    start = max(0, same - 30)
    return [
        each if len(each) <= MOST_SHOWN else f"{'... ' if start else ''}{each[start : start + MOST_SHOWN]} ..."
        for each in (was, now)
    ]


def places(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every single value as JSON, with the path to it."""
    if isinstance(value, dict) and value.keys() >= {"rows", "columns"}:
        others = {name: each for name, each in value.items() if name not in ("rows", "columns")}
        value = {**others, **dict(_rows(value["rows"], value["columns"]))}
    if isinstance(value, (dict, list)) and value:
        pairs: Mapping[Any, Any] = value if isinstance(value, dict) else dict(enumerate(value))
        for name, each in pairs.items():
            yield from places(each, f"{path}/{name}" if path else str(name))
    else:
        yield path, json.dumps(value)


def _rows(labels: list[Any], columns: dict[str, list[Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rows of a table by label; where a label comes again, its position is added."""
    seen: set[Any] = set()
    for at, label in enumerate(map(str, labels)):
        yield (f"{label} (row {at})" if label in seen else label), {name: each[at] for name, each in columns.items()}
        seen.add(label)
