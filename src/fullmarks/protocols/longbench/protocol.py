"""LongBench: token F1 of its data sets of questions, English and Chinese; by length for LongBench-E."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from fullmarks.errors import UsageError
from fullmarks.metrics.answers import pairwise_mean
from fullmarks.metrics.tally import Tally
from fullmarks.protocols.longbench.files import data_sets, read_data_set
from fullmarks.protocols.longbench.metric import LongbenchF1
from fullmarks.protocols.longbench.rules import LENGTHS
from fullmarks.protocols.other_rule import OtherRule
from fullmarks.protocols.protocol import Protocol, option
from fullmarks.readers.alignment import NO_REFERENCES, note_empty
from fullmarks.readers.source import Source
from fullmarks.types import Audit, Examples


@dataclass(frozen=True, kw_only=True)
class Longbench(Protocol):
    """The evaluation of LongBench's data sets of questions."""

    name: ClassVar[str] = "longbench"
    title: ClassVar[str] = "LongBench: token F1 of its data sets of questions, English and Chinese"
    gold_format: ClassVar[str] = (
        "a folder with hotpotqa.jsonl and the like, lines {pred, answers, length}; or one of them"
    )
    prediction_format: ClassVar[str] = "none: they stand beside the answers"
    needs_more: ClassVar[str] = "multifieldqa_zh needs: pip install 'fullmarks[zh]'"
    slices: ClassVar[tuple[str, ...]] = ("task",)
    other_columns: ClassVar[tuple[str, ...]] = ("length",)
    scale: ClassVar[float] = 100.0
    tables: ClassVar[str] = ""
    reads_logs: ClassVar[bool] = False

    e: bool = option(False, "Score LongBench-E: every data set by the length of its texts.", kind=bool)
    task: str | None = option(None, "The data sets to score, on commas; that of a file, where its name does not tell.")

    def read(
        self, gold: Source, predictions: Source | None, audit: Audit, by: tuple[str, ...] = ()
    ) -> Iterator[Examples]:
        """The data sets one after the other, by name."""
        if predictions is not None:
            raise UsageError("longbench has its predictions beside the answers, in one folder: leave PREDICTIONS out")
        left = self.limit
        for task, source in data_sets(gold, self._tasks()):
            examples = read_data_set(task, source, audit, by_length=self.e or "length" in by)
            examples = examples if left is None else examples.part(0, left)
            audit.gold += len(examples)
            audit.predictions += len(examples)
            without = [examples.ids[at] for at, golds in enumerate(examples.references) if not golds]
            if without:
                audit.add(NO_REFERENCES, "warning", without, detail="they score 0, as in the published program")
            note_empty(examples, audit)
            yield examples
            left = None if left is None else left - len(examples)
            if left is not None and left <= 0:
                return

    def _tasks(self) -> tuple[str, ...]:
        return () if self.task is None else tuple(name.strip() for name in self.task.split(","))

    def metrics(self) -> tuple[LongbenchF1]:
        """F1 by the rule of each data set."""
        return (LongbenchF1(),)

    def breakdown(self, first: Examples) -> tuple[str, ...]:
        """The official result is by data set."""
        del first
        return ("task",)

    def keeps_rows(self, first: Examples) -> bool:
        """LongBench-E is averaged by NumPy, whose sum is no running one."""
        del first
        return self.e

    def official(self, tally: Tally, audit: Audit) -> dict[str, Any]:
        """Every data set from 0 to 100 with two digits; of LongBench-E every class of length."""
        del audit
        if self.e:
            return _by_length(tally.examples.columns, tally.rows[0])
        return {str(task): round(100 * totals[0].sums[0] / totals[0].n, 2) for task, totals in tally.by("task").items()}

    def signature(self) -> dict[str, str]:
        """What was asked for; the rules for gaps are idle, for nothing can be missing."""
        parts = {name: value for name, value in super().signature().items() if name != "missing"}
        chosen = {"task": "+".join(sorted(self._tasks()))} if self.task else {}
        return {"norm": "longbench", **chosen, **({"lengths": "e"} if self.e else {}), **parts}

    def other_rules(self) -> Sequence[OtherRule]:
        """How lm-evaluation-harness cuts."""
        cut = "lm-evaluation-harness: TriviaQA's predictions end at the first line feed, leading ones included"
        return (OtherRule("lm-eval", cut, (LongbenchF1(harness=True),)),)


def _by_length(columns: dict[str, list[Any]], scores: array[float]) -> dict[str, dict[str, float]]:
    """NumPy's mean, rounded as NumPy does, of every class; NaN where a class has no example."""
    values: dict[str, dict[str, array[float]]] = {}
    for task, length, score in zip(columns["task"], columns["length"], scores, strict=True):
        values.setdefault(task, {name: array("d") for name in LENGTHS})[length].append(score)
    return {
        task: {length: _rounded_mean(found) for length, found in classes.items()} for task, classes in values.items()
    }


def _rounded_mean(values: array[float]) -> float:
    import numpy as np

    return float(np.round(np.float64(100) * pairwise_mean(values), 2)) if values else float("nan")
