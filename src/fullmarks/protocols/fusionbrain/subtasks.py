"""FusionBrain's sub-tasks in one metric: a row holds the parts of its own sub-task's score and zeros for the others.

Sums over rows then give every sub-task's mean, and these the integral score, for the whole contest as for a slice or
a resample of it. What belongs to the whole (FID, hidden scores) stands in every row, so that its mean is itself; beside
FID stands how far the row's own images move it.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from fullmarks.metrics.answers import mean
from fullmarks.metrics.held_columns import HasHeldColumns
from fullmarks.metrics.meteor import MeteorMetric, Nltk
from fullmarks.metrics.metric import Metric, only
from fullmarks.metrics.ned import Ned
from fullmarks.protocols.fusionbrain.metric import FusionbrainMathqa, FusionbrainTextqa, FusionbrainVisualqa
from fullmarks.types import Example, Examples, Explanation, Total

TASK = "task"
"""The column that says which sub-task an example belongs to."""
CLIP, FID, INFLUENCE, HIDDEN = "clip", "fid", "fid_influence", "hidden"
"""The parts: the cosine of text and image, the distance of the sets, how far the example's images move it, the hidden
scores."""
COMPARED = "compared"
"""The part that says whether CLIP compares the answer at all; where it does not, its cosine is 0."""
GENERATION, CAPTIONING = "ImageGeneration", "ImageCaptioning"
FID_INFLUENCE = "FID_influence"
FID_COLUMN, INFLUENCE_COLUMN = f"{GENERATION}.FID", f"{GENERATION}.{FID_INFLUENCE}"
WORST_FID = 200.0
OPEN_SHARE, HIDDEN_SHARE = 1 / 15, 1 / 10


class Task(NamedTuple):
    """An open sub-task: its number in ids.json, what its score is made of, and what a prize takes at least."""

    name: str
    number: int
    answer: str
    parts: tuple[str, ...]
    threshold: float


TASKS = {
    task.name: task
    for task in (
        Task("TextQA", 0, "text", ("F1",), 0.2),
        Task("MathQA", 1, "text", ("EM",), 0.25),
        Task(GENERATION, 2, "image", ("FID", "CLIP"), 0.21),
        Task(CAPTIONING, 3, "text", ("METEOR", "CLIP"), 0.15),
        Task("VisualQA", 4, "text", ("METEOR",), 0.24),
        Task("TRitW", 5, "text", ("1-NED",), 0.13),
    )
}


HIDDEN_TASKS = {str(len(TASKS) + at): f"Hidden{at + 1}" for at in range(6)}
"""The hidden sub-tasks by their numbers in ids.json."""


def task_score(parts: dict[str, float]) -> float:
    """A sub-task's score from its parts: the part itself, or half the sum of two, FID turned so that more is better."""
    values = [
        (WORST_FID - min(WORST_FID, max(0.0, value))) / WORST_FID if part == "FID" else value
        for part, value in parts.items()
    ]
    return values[0] if len(values) == 1 else 0.5 * (values[0] + values[1])


def integral_score(tasks: list[float], hidden: list[float]) -> float:
    """1/15 of the sum of the open scores and 1/10 of the sum of the hidden ones."""
    return OPEN_SHARE * _folded(tasks) + HIDDEN_SHARE * _folded(hidden)


@dataclass(frozen=True)
class FusionbrainScores(Metric, HasHeldColumns):
    """The chosen sub-tasks, their parts but those in `left_out`, and the integral score where all are there.

    The scores of images come as parts of the examples; texts are judged here.
    """

    name: ClassVar[str] = "fusionbrain"
    less_is_better: ClassVar[tuple[str, ...]] = (FID_COLUMN,)
    interval_notes: ClassVar[Mapping[str, str]] = {
        FID_COLUMN: "of FID at this number of images; that of endless ones lies lower, maybe below the interval"
    }
    summary: ClassVar[str] = "the sub-tasks of FusionBrain Challenge 2.0 and their integral score"
    needs: ClassVar[str] = "ru"
    is_mean: ClassVar[bool] = False
    is_expensive: ClassVar[bool] = True

    tasks: tuple[str, ...] = tuple(TASKS)
    left_out: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    lexicon: str | None = None
    gamma: float = 0.5
    second_try: bool = True
    nltk: Nltk = "3.9"
    by_words: bool = False
    """Whether VisualQA takes an answer word by word, as the published description has it."""

    # What follows from the options is worked out once: scores are finished for every one of 10,000 resamples.

    @cached_property
    def _parts(self) -> dict[str, tuple[str, ...]]:
        return {name: tuple(part for part in task.parts if part not in self.left_out) for name, task in TASKS.items()}

    @cached_property
    def _whole(self) -> frozenset[str]:
        return frozenset(name for name, task in TASKS.items() if len(self._parts[name]) == len(task.parts))

    def parts(self, task: str) -> tuple[str, ...]:
        """The parts of a sub-task that are computed."""
        return self._parts[task]

    def is_whole(self, task: str) -> bool:
        """Whether all parts of a sub-task are computed, so that it has a score."""
        return task in self._whole

    @property
    def has_integral(self) -> bool:
        """Whether all six sub-tasks have a score."""
        return len(self.tasks) == len(self._whole) == len(TASKS)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """For every sub-task its parts and whether the row belongs to it; then the hidden scores."""
        own = [f"{task}.{part}" for task in self.tasks for part in (*self._in_rows(task), "n")]
        return (*own, *(f"hidden.{name}" for name in self.hidden))

    def _in_rows(self, task: str) -> tuple[str, ...]:
        """The parts of a sub-task; with FID how far a row moves it."""
        parts = self.parts(task)
        return (*parts, FID_INFLUENCE) if "FID" in parts else parts

    @cached_property
    def scores(self) -> tuple[str, ...]:
        """The mean over the sub-tasks that occur, every sub-task, the parts of those with two, the integral score."""
        whole = [task for task in self.tasks if self.is_whole(task)]
        parts = [f"{task}.{part}" for task in self.tasks if len(TASKS[task].parts) > 1 for part in self.parts(task)]
        mean = ["score"] if len(whole) > 1 else []
        return (*mean, *whole, *parts, *([self.integral_name] if self.has_integral else []))

    @cached_property
    def integral_name(self) -> str:
        """S; without hidden tasks only its open part is known, and is named so."""
        return "S" if self.hidden else "S_open_part"

    def judge(self, task: str) -> Metric | None:
        """The metric of a sub-task's texts; None where only images are judged."""
        if task == "TextQA":
            return FusionbrainTextqa(self.second_try)
        if task == "MathQA":
            return FusionbrainMathqa(self.second_try)
        if task == CAPTIONING:
            return MeteorMetric("russian", self.lexicon, gamma=self.gamma, tokens="caption", nltk=self.nltk)
        if task == "VisualQA":
            return FusionbrainVisualqa(self.lexicon, self.nltk, self.by_words)
        return Ned() if task == "TRitW" else None

    def rows(self, examples: Examples) -> array[float]:
        """One row per example."""
        columns = self.columns
        width = len(columns)
        rows = array("d", bytes(8 * width * len(examples)))
        for task in self.tasks:
            own = [at for at, name in enumerate(examples.columns[TASK]) if name == task]
            for at in own:
                rows[width * at + columns.index(f"{task}.n")] = 1.0
            for part, values in self._values(task, examples, own):
                offset = columns.index(f"{task}.{part}")
                for at, value in values.items():
                    rows[width * at + offset] = value
        for number, name in enumerate(self.hidden):
            hidden = [scores[number] for scores in examples.parts[HIDDEN]]
            rows[columns.index(f"hidden.{name}") :: width] = array("d", hidden)
        return rows

    def unanswered_row(self, row: array[float]) -> array[float]:
        """The example counts in its sub-task; what belongs to the whole stays."""
        return only([name for name in self.columns if _is_of_the_question(name)], self.columns, row)

    def _values(self, task: str, examples: Examples, own: list[int]) -> Iterator[tuple[str, dict[int, float]]]:
        """Every part of a sub-task with its values by position."""
        judge = self.judge(task)
        for part in self.parts(task):
            if part == "CLIP":
                yield part, {at: examples.parts[CLIP][at] for at in own}
            elif part == "FID":
                yield part, {at: examples.parts[FID][at] for at in own}
                yield FID_INFLUENCE, {at: examples.parts[INFLUENCE][at] for at in own}
            elif judge is not None and own:
                yield part, dict(zip(own, judge.rows(examples.take(own)), strict=True))

    def means(self, total: Total) -> dict[str, dict[str, float]]:
        """The mean of every part of every sub-task that occurs."""
        sums = dict(zip(self.columns, total.sums, strict=True))
        if FID_COLUMN in sums:
            sums[FID_COLUMN] += sums[INFLUENCE_COLUMN]
        return {
            task: {part: sums[f"{task}.{part}"] / sums[f"{task}.n"] for part in self.parts(task)}
            for task in self.tasks
            if sums[f"{task}.n"]
        }

    def finish(self, total: Total) -> dict[str, float]:
        """All scores; NaN for what these examples leave undefined, 0.0 everywhere without examples."""
        if total.n == 0:
            return dict.fromkeys(self.scores, 0.0)
        means = self.means(total)
        found = {f"{task}.{part}": value for task, parts in means.items() for part, value in parts.items()}
        tasks = [task for task in means if self.is_whole(task)]
        found.update({task: task_score(means[task]) for task in tasks})
        if tasks:
            found["score"] = mean([found[task] for task in tasks])
        if self.has_integral and len(tasks) == len(TASKS):
            hidden = total.sums[len(total.sums) - len(self.hidden) :]
            found[self.integral_name] = integral_score(
                [found[task] for task in TASKS], [value / total.n for value in hidden]
            )
        return {name: found.get(name, math.nan) for name in self.scores}

    def held_columns(self, rows: array[float]) -> tuple[str, ...]:
        """The hidden scores, and FID where no row moves it because its statistics came ready."""
        hidden = tuple(name for name in self.columns if name.startswith("hidden."))
        is_held = FID_COLUMN in self.columns and not any(self._column(rows, INFLUENCE_COLUMN))
        return (FID_COLUMN, *hidden) if is_held else hidden

    def _column(self, rows: array[float], name: str) -> array[float]:
        columns = self.columns
        return rows[columns.index(name) :: len(columns)]

    def _judged_by_the_set(self, rows: array[float]) -> array[float]:
        """The rows without influence on FID: an image alone is judged by the distance of the set it is part of."""
        if FID_COLUMN not in self.columns:
            return rows
        still, columns = rows[:], self.columns
        still[columns.index(INFLUENCE_COLUMN) :: len(columns)] = array("d", bytes(8 * (len(rows) // len(columns))))
        return still

    def scores_alone(self, rows: array[float]) -> dict[str, list[float]]:
        """Every score of every row alone; FID is that of the set, moved by the row, which touches no other score."""
        found = super().scores_alone(self._judged_by_the_set(rows))
        if FID_COLUMN in found:
            influences = self._column(rows, INFLUENCE_COLUMN)
            found[FID_COLUMN] = [fid + by for fid, by in zip(found[FID_COLUMN], influences, strict=True)]
        return found

    def per_example(self, rows: array[float]) -> dict[str, list[Any]]:
        """The score in its own sub-task, the parts of those with two, how far FID is moved; None for what is not."""
        records = self._records(self._judged_by_the_set(rows))
        if FID_COLUMN in self.columns and any(self._column(rows, INFLUENCE_COLUMN)):
            moved = zip(self._column(rows, INFLUENCE_COLUMN), self._column(rows, f"{GENERATION}.n"), strict=True)
            records[FID_INFLUENCE] = [value if is_own else None for value, is_own in moved]
        return records

    def _records(self, rows: array[float]) -> dict[str, list[Any]]:
        width = len(self.columns)
        records: dict[str, list[Any]] = {"score": []} if any(map(self.is_whole, self.tasks)) else {}
        shown = {part for task in self.tasks if len(TASKS[task].parts) > 1 for part in self.parts(task)} - {"FID"}
        records.update({part: [] for part in ("METEOR", "CLIP") if part in shown})
        for start in range(0, len(rows), width):
            means = self.means(Total(1, tuple(rows[start : start + width])))
            task, parts = next(iter(means.items()))
            for name, values in records.items():
                whole = task_score(parts) if name == "score" and self.is_whole(task) else None
                values.append(whole if name == "score" or len(TASKS[task].parts) == 1 else parts.get(name))
        return records

    def explain(self, example: Example) -> Explanation:
        """The steps of the example's sub-task, and its parts."""
        task = example.columns[TASK]
        judge = self.judge(task)
        told = Explanation(example.id, {}) if judge is None else judge.explain(example)
        parts = {part: next(iter(told.scores.values())) for part in self.parts(task) if part not in ("CLIP", "FID")}
        for part, name in (("CLIP", CLIP), ("FID", FID)):
            if part in self.parts(task) and example.parts.get(name) is not None:
                parts[part] = example.parts[name]
        scores = {"score": task_score(parts)} if len(parts) == len(TASKS[task].parts) else {}
        if len(TASKS[task].parts) > 1:
            scores.update(parts)
        facts = {"task": task, "prediction": example.prediction, **told.facts}
        if example.parts.get(INFLUENCE):
            facts["FID moved by"] = example.parts[INFLUENCE]
        return Explanation(example.id, scores, facts, told.tables)


def _is_of_the_question(column: str) -> bool:
    """Whether a column holds what no prediction of the row's own changes: its sub-task, FID, hidden scores."""
    return column.endswith(".n") or column in (FID_COLUMN, INFLUENCE_COLUMN) or column.startswith("hidden.")


def _folded(values: list[float]) -> float:
    total = 0.0
    for value in values:
        total += value
    return total
