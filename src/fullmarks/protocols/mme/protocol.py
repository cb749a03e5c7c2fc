"""MME: accuracy over questions plus accuracy over images, task by task, for perception and cognition."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from fullmarks.checks import check_columns
from fullmarks.errors import InputError
from fullmarks.metrics.tally import Tally
from fullmarks.protocols.mme.files import read_folder, with_partners
from fullmarks.protocols.mme.metric import MmeAccuracy
from fullmarks.protocols.mme.rules import GROUPS, TASKS, task_score
from fullmarks.protocols.protocol import Kind, Protocol
from fullmarks.readers.source import Source
from fullmarks.types import Audit, Examples

_READINGS = {"script": "mme", "lmms-eval": "letters", "vlmevalkit": "words"}


@dataclass(frozen=True, kw_only=True)
class Mme(Protocol):
    """The MME evaluation."""

    name: ClassVar[str] = "mme"
    title: ClassVar[str] = "MME: perception and cognition, yes-or-no questions in pairs"
    kind: ClassVar[Kind] = "visual"
    needs_all: ClassVar[bool] = True
    gold_format: ClassVar[str] = "a folder of <task>.txt: image TAB question TAB right answer TAB answer"
    prediction_format: ClassVar[str] = "none: the folder holds both"
    variants: ClassVar[dict[str, str]] = {
        "script": "what the published program computes: yes or no in the first four characters",
        "lmms-eval": "the same without blanks and periods, and y and n alone count; two sums",
        "vlmevalkit": "yes or no among the words, and not both; sums, then tasks",
    }
    slices: ClassVar[tuple[str, ...]] = ("task",)
    other_columns: ClassVar[tuple[str, ...]] = ("image", "question")
    reads_logs: ClassVar[bool] = False
    tables: ClassVar[str] = (
        "A table (JSON lines, CSV, TSV, Parquet) with id, prediction, references, task and image may stand for it."
    )

    def read(
        self, gold: Source, predictions: Source | None, audit: Audit, by: tuple[str, ...] = ()
    ) -> Iterator[Examples]:
        """The folder, or a table whose images bring their questions in pairs."""
        if gold.is_folder and predictions is None:
            examples = read_folder(gold, audit)
            check_columns(by, examples.columns, gold.name)
            yield examples if self.limit is None else examples.part(0, self.limit)
            return
        if gold.is_folder:
            problem = "the folder holds questions and answers, so there is no second file"
            raise InputError(gold.name, problem, "Leave the predictions out: fullmarks score mme FOLDER.")
        if not gold.is_object and gold.path is not None and gold.ending == ".txt":
            raise InputError(gold.name, "this is one task's file, expected the folder of all", "Name the folder.")
        needed = tuple(dict.fromkeys((*by, "task", "image")))
        examples = Examples([], [], [])
        for chunk in self.pairing(self.read_gold, needed).chunks(gold, predictions, audit):
            examples.extend(chunk)
        yield with_partners(examples, audit, gold.name)

    def metrics(self) -> tuple[MmeAccuracy]:
        """The two shares, by the variant's reading of the answers."""
        return (MmeAccuracy(_READINGS[self.variant]),)

    def breakdown(self, first: Examples) -> tuple[str, ...]:
        """The tasks."""
        del first
        return ("task",)

    def official(self, tally: Tally, audit: Audit) -> dict[str, Any]:
        """The sums over tasks, and the tasks, of the program that the variant names."""
        del audit
        groups = tally.by("task")
        missing = [task for task in TASKS if task not in groups]
        if missing:
            raise InputError("gold", f"there is no question of {', '.join(missing)}", "Score all tasks at once.")
        totals = {task: groups[task][0] for task in TASKS}
        if self.variant == "script":
            for task, total in totals.items():
                if total.sums[2] == total.n:
                    problem = f"no answer of the task '{task}' says yes or no, and the published program stops there"
                    raise InputError("predictions", problem, "Check the answers, or pass --variant lmms-eval.")
        scores = {task: task_score(total) for task, total in totals.items()}
        sums = {name: _sum([scores[task] for task in tasks]) for name, tasks in GROUPS.items()}
        if self.variant == "lmms-eval":
            return {f"mme_{name.lower()}_score": value for name, value in sums.items()}
        if self.variant == "vlmevalkit":
            return {"perception": sums["Perception"], "reasoning": sums["Cognition"], **scores}
        return {
            name: {"total score": sums[name], **{task: scores[task] for task in tasks}}
            for name, tasks in GROUPS.items()
        }


def _sum(values: list[float]) -> float:
    total = 0.0
    for value in values:
        total += value
    return total
