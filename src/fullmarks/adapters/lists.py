"""A protocol or a metric by its name, as something that makes numbers of plain lists: what the adapters share.

The numbers are those of `fullmarks.score` and `fullmarks.load(...).compute`, under flat names, as floats.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fullmarks.checks import wrong_value
from fullmarks.errors import InputError, UsageError
from fullmarks.metrics import METRICS
from fullmarks.metrics.measure import Measure
from fullmarks.metrics.scorer import Scorer, listed
from fullmarks.metrics.set_metric import SetMetric, SetScorer
from fullmarks.protocols import PROTOCOLS
from fullmarks.protocols.protocol import Protocol
from fullmarks.result import Result, flat_numbers


class ListScorer:
    """Rules that score lists: of texts, or of Hugging Face's dictionaries with their ids."""

    name: str
    title: str
    """What it is, in one line."""
    description: str
    citation: str
    features: dict[str, str]
    """What every example brings, by name, with its kind."""
    main: str | None = None
    """The name of the number that stands for all, where it is known before scoring."""

    def numbers(self, predictions: Any, references: Any, columns: Mapping[str, Any]) -> dict[str, float]:
        """The official numbers of these examples; `columns` are further lists, with one value per example."""
        raise NotImplementedError

    def less_is_better(self, number: str) -> bool:
        """Whether the number of this name is better the smaller it is."""
        raise NotImplementedError


class MetricLists(ListScorer):
    """A metric: columns that it does not need are sliced by."""

    def __init__(self, metric: Measure) -> None:
        self.metric = metric
        self.name, self.title, self.citation = metric.name, metric.summary, metric.citation
        self.features = dict(metric.features)
        self.description = self._scorer().description

    def numbers(self, predictions: Any, references: Any, columns: Mapping[str, Any]) -> dict[str, float]:
        """What `compute` of the metric returns, the numbers of slices under joined names."""
        found = self._scorer().compute(predictions=predictions, references=references, **columns)
        return as_floats(found)

    def less_is_better(self, number: str) -> bool:
        """As the metric declares."""
        return number in self.metric.less_is_better

    def _scorer(self) -> Scorer:
        return SetScorer(self.metric) if isinstance(self.metric, SetMetric) else Scorer(self.metric)  # type: ignore[arg-type]


class ProtocolLists(ListScorer):
    """A protocol that can be given tables."""

    def __init__(self, kind: type[Protocol], options: Mapping[str, Any]) -> None:
        from fullmarks.protocols.folder import read_card

        if not kind.tables:
            raise UsageError(f"{kind.name} reads nothing but its own files: pass them to fullmarks.score")
        if "columns" in options:
            raise UsageError("columns names those of a file: here every list is passed under the name that it has")
        self.rules: Protocol = PROTOCOLS.make(kind.name, dict(options))
        self.options = dict(options)
        self.name, self.title, self.citation = kind.name, kind.title, ""
        self.description = read_card(kind.name)
        self.features = {"predictions": "text", "references": "list of texts"}

    def numbers(self, predictions: Any, references: Any, columns: Mapping[str, Any]) -> dict[str, float]:
        """The official result of these examples."""
        return as_floats(self.score(predictions, references, columns).official)

    def score(self, predictions: Any, references: Any, columns: Mapping[str, Any], *, keep: bool = False) -> Result:
        """The whole result; dictionaries are joined by their ids, texts stand side by side."""
        from fullmarks.evaluate import score

        answers, golds = listed("predictions", predictions), listed("references", references)
        named = {name: listed(name, values) for name, values in columns.items()}
        for name, values in {"references": golds, **named}.items():
            if len(values) != len(answers):
                found = f"expected {len(answers)} of them, one per prediction, found {len(values)}"
                raise InputError(name, found, "Give one per prediction.")
        if answers and all(isinstance(value, Mapping) for value in (*answers, *golds)):
            gold = list(with_columns(golds, named))
            return score(self.name, gold, answers, keep=keep, **self.options)
        pairs = [{"prediction": text, "references": gold} for text, gold in zip(answers, golds, strict=True)]
        return score(self.name, list(with_columns(pairs, named)), keep=keep, **self.options)

    def less_is_better(self, number: str) -> bool:
        """As the protocol's metrics declare, under their own names or the official ones."""
        declared = {name for metric in self.rules.metrics() for name in metric.less_is_better}
        return number in declared | {self.rules.official_names.get(name) for name in declared}


def list_scorer(what: str | Measure | Scorer, options: Mapping[str, Any]) -> MetricLists | ProtocolLists:
    """The protocol of that name or, where there is none, the metric; or a metric that is there already."""
    if isinstance(what, Scorer):
        what = what.metric
    if isinstance(what, Measure):
        if options:
            raise UsageError(f"the metric {what.name} is made already: give it its options where it is made")
        return MetricLists(what)
    if not isinstance(what, str):
        raise wrong_value("what is scored by", "the name of a protocol or metric, or a metric", what)
    if what not in PROTOCOLS.names() and what in METRICS.names():
        return MetricLists(METRICS.make(what, dict(options)))
    try:
        kind = PROTOCOLS.get(what)
    except UsageError:
        near = _near(what)
        raise UsageError(f"no protocol and no metric is named '{what}'.{near} See: fullmarks list") from None
    return ProtocolLists(kind, options)


def as_floats(found: dict[str, Any]) -> dict[str, float]:
    """The numbers of a nested result under joined names, all of them floats."""
    return {name: float(value) for name, value in flat_numbers(found).items()}


def one_number(numbers: Mapping[str, float], name: str, scored_by: str) -> float:
    """The number of that name, or an error that lists those there are."""
    if name not in numbers:
        raise UsageError(f"the result of {scored_by} has no number '{name}'. It has {', '.join(numbers)}")
    return numbers[name]


def with_columns(
    records: Sequence[Mapping[str, Any]], columns: Mapping[str, Sequence[Any]]
) -> Iterable[dict[str, Any]]:
    """The records, each with its value of every column."""
    for at, record in enumerate(records):
        yield {**record, **{name: values[at] for name, values in columns.items()}}


def _near(name: str) -> str:
    from difflib import get_close_matches

    found = get_close_matches(name, [*PROTOCOLS.names(), *METRICS.names()], n=2)
    return f" Did you mean {' or '.join(map(repr, found))}?" if found else ""
