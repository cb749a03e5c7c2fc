"""FusionBrain's hidden tasks: scores that the host gives, as numbers or as a metric over two files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from fullmarks.errors import InputError, UsageError
from fullmarks.metrics import METRICS
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.set_metric import SetMetric
from fullmarks.metrics.tally import Tally, chunk_rows
from fullmarks.protocols.fusionbrain.files import Elements, first_of, read_elements
from fullmarks.readers.alignment import REPEATED_GOLD, Gaps, OnMissing, align, raise_errors
from fullmarks.readers.predictions import TakenById, ids_like
from fullmarks.readers.source import Source
from fullmarks.types import Audit, Examples, FindingKind, Gold

MOST = 6
FORM = "name=score or name=metric:gold:predictions"


@dataclass(frozen=True)
class HiddenTask:
    """One hidden task: its score, or the metric and the two files that give it."""

    name: str
    given: float | None
    metric: str = ""
    gold: str = ""
    predictions: str = ""

    @property
    def described(self) -> str:
        """The name with the score or the metric, for the signature."""
        return f"{self.name}={self.metric if self.given is None else repr(self.given).removesuffix('.0')}"

    def check(self, audit: Audit, on_missing: OnMissing, *, strict: bool) -> None:
        """Add what is odd about the two files to the audit, under the task's name."""
        if self.given is not None:
            return
        self._kind()
        own = Audit()
        self._examples(own, on_missing, strict=strict)
        for found in own.findings.values():
            kind = FindingKind(f"{found.code}:{self.name}", f"hidden task {self.name}: {found.kind}", found.advice)
            audit.add(kind, found.level, found.first_ids, count=found.count, detail=found.detail, where=found.where)

    def score(self, lexicon: str | None, nltk: str, on_missing: OnMissing) -> float:
        """The score from 0 to 1; a metric that asks for a lexicon or a release of NLTK gets these."""
        if self.given is not None:
            return self.given
        kind = self._kind()
        taken = {field.name for field in fields(kind)}
        metric = kind(**{name: value for name, value in (("lexicon", lexicon), ("nltk", nltk)) if name in taken})
        audit = Audit()
        examples = self._examples(audit, on_missing, strict=False)
        raise_errors(audit, self.predictions)
        tally = Tally([metric])
        tally.add(examples, chunk_rows([metric], examples))
        value = metric.finish(tally.totals()[0])[metric.scores[0]]
        if not 0 <= value <= 1:
            raise UsageError(f"--hidden {self.name}: {self.metric} gives {value:g}, expected a score from 0 to 1")
        return value

    def _kind(self) -> type[Metric]:
        kind: type[Metric] = METRICS.get(self.metric)
        if issubclass(kind, SetMetric):
            raise UsageError(f"--hidden {self.name}: {self.metric} has no score from 0 to 1. Give the score itself")
        return kind

    def _examples(self, audit: Audit, on_missing: OnMissing, *, strict: bool) -> Examples:
        gold, answers = Source(self.gold, f"gold of {self.name}"), Source(self.predictions, f"answers of {self.name}")
        taken = TakenById(audit, "error", gold.name, REPEATED_GOLD)
        truth = read_elements(gold, taken, several=True, plain=True)
        given: dict[str | int, Elements] = ids_like(
            list(truth), read_elements(answers, TakenById(audit, "error", answers.name), several=False, plain=True)
        )
        examples = align(
            Gold(list(truth), [_texts(elements) for elements in truth.values()]),
            {identifier: "".join(_texts(elements)[:1]) for identifier, elements in given.items()},
            audit,
            Gaps(on_missing, strict=strict),
            gold_name=gold.name,
            name=answers.name,
        )
        if not all(examples.references):
            at = next(at for at, texts in enumerate(examples.references) if not texts)
            raise InputError(gold.name, f"id {examples.ids[at]!r} has no text to compare with", "Add one.")
        return examples


def _texts(elements: Elements) -> list[str]:
    element = first_of(elements, "text")
    return element.content if element else []


def hidden_tasks(described: Sequence[str]) -> tuple[HiddenTask, ...]:
    """The tasks as the user wrote them down; at most six, each with a name of its own."""
    tasks = tuple(map(_parsed, described))
    names = [task.name for task in tasks]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"the hidden task '{name}' is given twice")
    if len(tasks) > MOST:
        raise UsageError(f"the contest has at most {MOST} hidden tasks, found {len(tasks)}")
    return tasks


def _parsed(described: object) -> HiddenTask:
    if not isinstance(described, str):
        raise UsageError(f"hidden: expected texts of the form {FORM}, found {described!r}")
    name, _, value = (part.strip() for part in described.partition("="))
    if not name or not value or any(mark in name for mark in "|:."):
        raise UsageError(f"--hidden {described}: expected {FORM}, the name without | : and .")
    try:
        number = float(value)
    except ValueError:
        metric, _, files = value.partition(":")
        return HiddenTask(name, None, metric, *_two_files(files, described))
    if not 0 <= number <= 1:
        raise UsageError(f"--hidden {described}: a score is from 0 to 1, found {number:g}")
    return HiddenTask(name, number)


def _two_files(files: str, described: str) -> tuple[str, str]:
    """The two paths around the colon; of several colons (drives have one) the one between two files."""
    cuts = [at for at, mark in enumerate(files) if mark == ":"]
    pairs = [(files[:at], files[at + 1 :]) for at in cuts if at and at + 1 < len(files)]
    if not pairs:
        raise UsageError(f"--hidden {described}: expected {FORM}, as in memes=token_f1:gold.json:answers.json")
    return next((pair for pair in pairs if all(Path(name).is_file() for name in pair)), pairs[0])
