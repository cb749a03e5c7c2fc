"""LongBench's F1: each answer by the rule of its data set."""

from __future__ import annotations

from array import array
from collections import defaultdict
from dataclasses import dataclass
from typing import Any, ClassVar

from fullmarks.errors import InputError
from fullmarks.metrics.metric import Metric
from fullmarks.protocols.longbench.rules import (
    ENGLISH_TASKS,
    FIRST_LINE_TASKS,
    TASKS,
    first_line,
    judge,
    line_before_stop,
    recipe_of,
)
from fullmarks.types import Example, Examples, Explanation


@dataclass(frozen=True)
class LongbenchF1(Metric):
    """Token F1, the best over the references; 0 without any.

    The column `task` says which data set an example is of: SQuAD's normaliser for the English ones, the words of jieba
    for the Chinese one, the first line of the prediction alone for TriviaQA. Without it, all are as HotpotQA's.
    `harness` cuts as lm-evaluation-harness does. Source: LongBench.
    """

    name: ClassVar[str] = "longbench"
    summary: ClassVar[str] = "token F1 of LongBench's data sets of questions, in English and Chinese"
    citation: ClassVar[str] = (
        "Bai et al.: LongBench: A Bilingual, Multitask Benchmark for Long Context Understanding, ACL 2024"
    )
    features: ClassVar[dict[str, str]] = {**Metric.features, "task": "text, may be left out"}

    harness: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The F1."""
        return ("f1",)

    def rows(self, examples: Examples) -> array[float]:
        """The F1 of every example."""
        tasks = examples.columns.get("task")
        if tasks is None:
            return self._rows("hotpotqa", examples.predictions, examples.references)
        places: defaultdict[Any, list[int]] = defaultdict(list)
        for place, task in enumerate(tasks):
            places[task].append(place)
        rows = array("d", bytes(8 * len(examples)))
        for task, where in places.items():
            found = self._rows(
                task,
                [examples.predictions[place] for place in where],
                [examples.references[place] for place in where],
            )
            for place, value in zip(where, found, strict=True):
                rows[place] = value
        return rows

    def _rows(self, task: str, predictions: list[str], references: list[list[str]]) -> array[float]:
        if task not in TASKS:
            raise InputError(
                f"task {task!r}", "this is no data set of questions", f"Expected one of {', '.join(TASKS)}."
            )
        if task in FIRST_LINE_TASKS:
            predictions = list(map(line_before_stop if self.harness else first_line, predictions))
        return recipe_of(task).rows(predictions, references)[1::4]

    def explain(self, example: Example) -> Explanation:
        """What of the prediction counted, and its overlap with every reference."""
        from fullmarks.metrics.overlap_explanation import reference_table

        task = example.columns.get("task", "hotpotqa")
        cut = line_before_stop if self.harness and task in FIRST_LINE_TASKS else str
        told, recipe = judge(task, cut(example.prediction), example.references), recipe_of(task)
        facts: dict[str, Any] = {
            "task": task,
            "rule": f"token F1 of {'words' if task in ENGLISH_TASKS else 'jieba words'} after the recipe {recipe.name}",
            "prediction": example.prediction,
            "counted": told.counted,
            "tokens": told.overlap.tokens,
        }
        table = reference_table(told.overlap)
        rows = [{name: value for name, value in row.items() if name != "exact"} for row in table]
        return Explanation(example.id, {"f1": told.f1}, facts, {"references": rows})
