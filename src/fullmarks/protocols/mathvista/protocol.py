"""MathVista: accuracy of extracted answers, overall and by nine properties of the problems."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from fullmarks.checks import check_columns
from fullmarks.errors import UsageError
from fullmarks.metrics.tally import Tally
from fullmarks.protocols.mathvista.files import TABLES, read_problems, to_examples
from fullmarks.protocols.mathvista.gains import add_gains, read_scores
from fullmarks.protocols.mathvista.metric import MathvistaAccuracy
from fullmarks.protocols.protocol import Kind, Protocol, missing_option, option
from fullmarks.readers.alignment import MISSING, UNKNOWN, OnMissing
from fullmarks.readers.source import Source
from fullmarks.types import Audit, Examples, FindingKind, Total

EMPTY_EXTRACTIONS = FindingKind("empty-extractions", "empty extractions compared with choices")


@dataclass(frozen=True, kw_only=True)
class Mathvista(Protocol):
    """The MathVista evaluation of given extractions."""

    name: ClassVar[str] = "mathvista"
    title: ClassVar[str] = "MathVista: accuracy of extracted answers, by nine properties"
    kind: ClassVar[Kind] = "visual"
    gold_format: ClassVar[str] = "the output file {pid: {question_type, answer_type, answer, extraction, ...}}"
    prediction_format: ClassVar[str] = "none; or the output file, where the data set is given first"
    variants: ClassVar[dict[str, str]] = {
        "script": "what the published program computes",
        "lmms-eval": "compared without white space around; numbers with the precision 1.0 and null answers are wrong",
    }
    slices: ClassVar[tuple[str, ...]] = TABLES
    denominator: ClassVar[str] = "the problems of the output file"
    reads_logs: ClassVar[bool] = False
    tables: ClassVar[str] = ""
    predicts_texts: ClassVar[bool] = False

    ignore_empty_extractions: bool = option(
        False,
        "Take an empty extraction for no answer, instead of comparing it with the choices.",
        kind=bool,
    )
    caculate_gain: bool = option(
        False,
        "Add the gain over random guesses to every number; spelled as in the program.",
        flags=("--caculate-gain", "--caculate_gain"),
        kind=bool,
    )
    random_file: Any = option(
        None,
        "The scores of random guesses, a file of this program's results: what gains are over.",
        flags=("--random-file", "--random_file"),
        kind=Source,
    )
    on_missing: OnMissing = missing_option("skip")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.caculate_gain != (self.random_file is not None):
            raise UsageError(
                "caculate_gain and random_file belong together: the gain is over the scores of random guesses. "
                "Pass both, --caculate-gain --random-file FILE, or neither"
            )

    def read(
        self, gold: Source, predictions: Source | None, audit: Audit, by: tuple[str, ...] = ()
    ) -> Iterator[Examples]:
        """The output file alone, or the data set and the output file."""
        output = gold if predictions is None else predictions
        problems, data_set = read_problems(output), {}
        audit.gold = audit.predictions = len(problems)
        if predictions is not None:
            data_set = read_problems(gold)
            audit.gold = len(data_set)
            self._note_unpaired(problems, data_set, audit, predictions.name)
        examples = to_examples(problems, data_set, output.name)
        check_columns(by, examples.columns, output.name)
        self._note_empty(examples, audit, output.name)
        if examples.ids:
            yield examples if self.limit is None else examples.part(0, self.limit)

    def _note_unpaired(self, problems: dict[Any, Any], data_set: dict[Any, Any], audit: Audit, name: str) -> None:
        missing = [each for each in data_set if each not in problems]
        unknown = [each for each in problems if each not in data_set]
        if missing:
            detail = "they leave the denominator, as in the published program"
            audit.add(MISSING, "warning" if self.on_missing == "skip" else "error", missing, detail=detail, where=name)
        if unknown:
            audit.add(UNKNOWN, "error" if self.strict else "warning", unknown, where=name)

    def _note_empty(self, examples: Examples, audit: Audit, name: str) -> None:
        found = zip(examples.ids, examples.facts["extraction"], examples.columns["question_type"], strict=True)
        empty = [
            identifier
            for identifier, text, kind in found
            if kind == "multi_choice" and isinstance(text, str) and not text.strip()
        ]
        if empty and not self.ignore_empty_extractions:
            detail = "the nearest choice is taken for them, and may be right; --ignore-empty-extractions takes none"
            audit.add(EMPTY_EXTRACTIONS, "warning", empty, detail=detail, where=name)

    def metrics(self) -> tuple[MathvistaAccuracy]:
        """The verdict."""
        return (MathvistaAccuracy(self.ignore_empty_extractions, self.variant == "lmms-eval"),)

    def breakdown(self, first: Examples) -> tuple[str, ...]:
        """The nine properties."""
        del first
        return TABLES

    def official(self, tally: Tally, audit: Audit) -> dict[str, Any]:
        """The average, then every property with its values, the best first."""
        del audit
        result: dict[str, Any] = {"average": _numbers(tally.totals()[0])}
        for table in TABLES:
            found = {_key(value): _numbers(totals[0]) for value, totals in tally.by(table).items() if value is not None}
            result[table] = dict(sorted(found.items(), key=lambda item: item[1]["accuracy"], reverse=True))
        if self.caculate_gain:
            add_gains(result, read_scores(Source(self.random_file, "random_file")))
        return result

    def signature(self) -> dict[str, str]:
        """The variant, and whether empty extractions are ignored."""
        return {**super().signature(), **({"empty": "ignored"} if self.ignore_empty_extractions else {})}


def _key(value: Any) -> str:
    """A value as JSON writes it as a key."""
    return value if isinstance(value, str) else json.dumps(value)


def _numbers(total: Total) -> dict[str, Any]:
    return {"accuracy": total.sums[0] / total.n, "correct": round(total.sums[0]), "total": total.n}
