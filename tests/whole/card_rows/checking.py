"""How the cases of the cards' differences are run: an error that says something, or numbers with a warning."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.result import Result

Case = Callable[[Path], None]
NUMBER_AND_TEXT = 'the id of a question is 1 in one file and "1" in the other'
NULL = "a prediction that is null or a number"
LIST_GOLD = "a gold answer that is a list"
RAW_TAB = "a tab or a line feed as it is inside a JSON text"
HARNESS = '`--variant lm_eval`, a text with "İ" or with U+0000 at its end'
SETS = "a text that describes F1 by *sets* of words"


def refused(match: str, benchmark: str, *files: Any, **options: Any) -> None:
    """An error that says this, with an advice or in words for the user."""
    with pytest.raises(fullmarks.FullmarksError, match=match):
        fullmarks.score(benchmark, *files, **options)


def scored(benchmark: str, *files: Any, wanted: dict[str, Any], warning: str = "", **options: Any) -> Result:
    """These official numbers among others, and a warning of that code; no warning at all where none is named."""
    result = fullmarks.score(benchmark, *files, **options)
    assert {key: result.official[key] for key in wanted} == wanted
    warnings = [found.code for found in result.audit.at_level("warning")]
    assert warning in warnings if warning else not warnings, warnings
    return result


def file(folder: Path, name: str, content: Any) -> Path:
    """A file that holds a text as it is, or JSON."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else json.dumps(content).encode())
    return path


def lines(*records: Any) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def only_unknown(benchmark: str, gold: Any, right: Any, wrong: Any, other: Any, wanted: dict[str, Any]) -> Case:
    """An error for a null where the gold has the question; for another question the number with a warning."""

    def case(folder: Path) -> None:
        refused("predictions that are not strings: 1|whose part '.*' is not a text: 1", benchmark, gold, wrong)
        result = scored(benchmark, gold, other, wanted=wanted, warning="unknown-predictions")
        assert not result.audit.at_level("error")
        scored(benchmark, gold, right, wanted=wanted)

    return case


def met_by_text(benchmark: str, gold: Any, predictions: Any, wanted: dict[str, Any]) -> Case:
    """Ids that are a number in one file and a text in the other are matched, with a warning."""
    return gives(benchmark, gold, predictions, wanted=wanted, warning="ids-of-another-kind")


def gives(benchmark: str, *files: Any, wanted: dict[str, Any], warning: str = "", **options: Any) -> Case:
    """What `scored` says."""

    def case(folder: Path) -> None:
        scored(benchmark, *files, wanted=wanted, warning=warning, **options)

    return case


def all_of(*cases: Case) -> Case:
    """Several cases of one row."""

    def case(folder: Path) -> None:
        for each in cases:
            each(folder)

    return case


def all_refused(*cases: tuple[Any, ...], **options: Any) -> Case:
    """Every one of them an error: what it says, the benchmark and the files."""

    def case(folder: Path) -> None:
        for match, benchmark, *files in cases:
            refused(match, benchmark, *files, **options)

    return case
