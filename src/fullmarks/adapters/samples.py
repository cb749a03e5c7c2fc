"""Rules by name, for tools that show one sample after another and ask for the whole in the end.

A sample is plain data (its id, prediction, references and columns), so that it passes through logs and to other
processes. The whole is scored from the samples as `fullmarks.score` scores a table of them: with the same digits.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from fullmarks.adapters.lists import MetricLists, ProtocolLists, as_floats, list_scorer
from fullmarks.analysis.published import official_names, score_named
from fullmarks.errors import InputError, UsageError
from fullmarks.metrics import METRICS
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.scorer import Scorer
from fullmarks.protocols import PROTOCOLS
from fullmarks.protocols.sample import expected_result, sample_folder
from fullmarks.result import Result, flat_numbers
from fullmarks.text.extraction.extractor import extractor
from fullmarks.types import Explanation

Sample = dict[str, Any]
"""`id`, `prediction` and `references`, and whatever columns the rules need."""
OWN = ("id", "prediction", "references")
NO_ANSWER = ("", "[]")
"""Targets of questions that have no answer."""


class Judged(NamedTuple):
    """What the rules say of one sample alone."""

    scores: dict[str, float]
    """From 0 to 1, by name; those that the sample leaves undefined are absent."""
    numbers: dict[str, float]
    """The official numbers if there were no other sample."""
    answer: str
    """What was scored: the prediction, or what was taken out of it."""
    explanation: Explanation


class SampleRules(ABC):
    """A protocol or a metric with its options."""

    def __init__(self, name: str, options: Mapping[str, Any]) -> None:
        self.name = name
        self.options = dict(options)

    @property
    @abstractmethod
    def scores(self) -> tuple[str, ...]:
        """The names of the scores, the main one first."""

    @property
    def other_numbers(self) -> tuple[str, ...]:
        """The names of further official numbers, as far as they are known before anything is scored."""
        return ()

    def check_keys(self, keys: Sequence[str]) -> tuple[str, ...]:
        """The names of scores or official numbers that were asked for, by default all scores."""
        known = (*self.scores, *self.other_numbers)
        unknown = next((key for key in keys if key not in known), None)
        if unknown is not None:
            raise UsageError(f"{self.name} has no score '{unknown}'. It has: {', '.join(dict.fromkeys(known))}")
        return tuple(keys) or self.scores

    @abstractmethod
    def less_is_better(self, key: str) -> bool:
        """Whether the score of this name is better the smaller it is."""

    @abstractmethod
    def judge(self, sample: Sample) -> Judged:
        """The scores of one sample alone, and why."""

    @abstractmethod
    def numbers(self, samples: Sequence[Sample]) -> dict[str, float]:
        """The official numbers of all samples by name, and every score by its own name too; none without samples."""


class _ProtocolRules(SampleRules):
    """Samples as the rows of one table."""

    def __init__(self, lists: ProtocolLists) -> None:
        super().__init__(lists.name, lists.options)
        self._lists = lists

    @property
    def scores(self) -> tuple[str, ...]:
        return tuple(name for metric in self._lists.rules.metrics() for name in metric.scores)

    @property
    def other_numbers(self) -> tuple[str, ...]:
        if not (sample_folder(self.name) / "expected.json").is_file():
            return tuple(self._lists.rules.official_names.values())
        return tuple(flat_numbers(expected_result(self.name)))

    def less_is_better(self, key: str) -> bool:
        return self._lists.less_is_better(key)

    def judge(self, sample: Sample) -> Judged:
        result = self._result([sample])
        example = result.tally.examples[0]
        told = result.rules.explanation(example)
        return Judged(_defined(result.scores), _numbers(result), str(example.prediction), told)

    def numbers(self, samples: Sequence[Sample]) -> dict[str, float]:
        return _numbers(self._result(samples)) if samples else {}

    def _result(self, samples: Sequence[Sample]) -> Result:
        """Tools write the target of a question without answer as "" or "[]"; a table has no reference there.

        Nothing is joined by ids any more, so that places stand for ids that are missing or not unique.
        """
        given = [sample["id"] for sample in samples]
        has_ids = None not in given and len(set(given)) == len(given)
        golds = [
            each["references"] if any(gold not in NO_ANSWER for gold in each["references"]) else [] for each in samples
        ]
        names = [name for name in samples[0] if name not in OWN]
        columns = {name: [sample[name] for sample in samples] for name in names}
        columns["id"] = given if has_ids else list(range(len(samples)))
        return self._lists.score([sample["prediction"] for sample in samples], golds, columns, keep=True)


class _MetricRules(SampleRules):
    """Samples as the lists that a metric computes from."""

    def __init__(self, lists: MetricLists, options: Mapping[str, Any]) -> None:
        super().__init__(lists.name, options)
        if not isinstance(lists.metric, Metric):
            raise UsageError(f"{self.name} compares two whole sets and has no score of a single sample")
        self._lists, self._scorer = lists, Scorer(lists.metric)
        spec = self.options.get("extract")
        self._extractor = None if spec is None else extractor(spec)

    @property
    def scores(self) -> tuple[str, ...]:
        return self._scorer.metric.scores

    def less_is_better(self, key: str) -> bool:
        return self._lists.less_is_better(key)

    def judge(self, sample: Sample) -> Judged:
        columns = self._columns([sample])
        alone = {name: values[0] for name, values in self._scorer.each_score(**columns).items()}
        answer = columns["predictions"][0]
        told = self._scorer.explain(prediction=answer, references=columns["references"][0])
        return Judged(_defined(alone), self.numbers([sample]), str(answer), told)

    def numbers(self, samples: Sequence[Sample]) -> dict[str, float]:
        return _defined(as_floats(self._scorer.compute(**self._columns(samples)))) if samples else {}

    def _columns(self, samples: Sequence[Sample]) -> dict[str, list[Any]]:
        """The arguments of the metric; of the samples' columns those that it asks for."""
        wanted = [name for name in self._lists.features if name not in ("predictions", "references")]
        columns = {name: [each[name] for each in samples] for name in wanted if all(name in each for each in samples)}
        taken = [each["prediction"] for each in samples]
        if self._extractor is not None:
            taken = [self._extractor.extract(text).text if isinstance(text, str) else text for text in taken]
        return {"predictions": taken, "references": [each["references"] for each in samples], **columns}


def rules_named(name: str, options: Mapping[str, Any] | None = None) -> SampleRules:
    """The protocol of that name, or else the metric, with its options; `extract` is one that both have.

    >>> rules_named("squad1").numbers([sample_of("the Danube", ["Danube"]), sample_of("Danube", ["Rhine"])])
    {'exact_match': 50.0, 'f1': 50.0, 'exact': 50.0}
    """
    given = dict(options or {})
    is_metric = isinstance(name, str) and name not in PROTOCOLS.names() and name in METRICS.names()
    own = {key: value for key, value in given.items() if not is_metric or key != "extract"}
    lists = list_scorer(name, own)
    return _ProtocolRules(lists) if isinstance(lists, ProtocolLists) else _MetricRules(lists, given)


def sample_of(
    prediction: Any, references: Any, *, identifier: Any = None, columns: Mapping[str, Any] | None = None
) -> Sample:
    """A sample; one text as references stands for a list of one.

    >>> sample_of("four", "4", identifier="q1")
    {'id': 'q1', 'prediction': 'four', 'references': ['4']}
    """
    taken = sorted(set(columns or {}) & set(OWN))
    if taken:
        raise UsageError(f"a sample's columns must not be called {', '.join(taken)}: these are told apart already")
    if isinstance(references, str):
        golds: list[Any] = [references]
    elif isinstance(references, Sequence) and not isinstance(references, bytes):
        golds = list(references)
    else:
        found = f"expected a text or a list of texts, found {type(references).__name__}"
        raise InputError("references", found, "Name the field that holds the right answers.")
    return {"id": identifier, "prediction": prediction, "references": golds, **(columns or {})}


def told(explanation: Explanation) -> str:
    """An explanation as lines of text, for a log that people read.

    >>> print(told(Explanation("q1", {"f1": 2 / 3}, {"read as": "four"}, {"overlap": [{"gold": "4", "f1": 0.0}]})))
    f1 0.6667
    read as: four
    overlap
    - gold: 4; f1: 0
    """
    lines = [", ".join(f"{name} {_shown(value)}" for name, value in explanation.scores.items())]
    lines += [f"{name}: {_shown(value)}" for name, value in explanation.facts.items()]
    for name, records in explanation.tables.items():
        lines.append(name)
        lines += ["- " + "; ".join(f"{key}: {_shown(value)}" for key, value in each.items()) for each in records]
    return "\n".join(lines)


def _numbers(result: Result) -> dict[str, float]:
    """The official numbers, and under the name of every score the one that is it."""
    found = as_floats(result.official)
    for name, key in official_names(result).items():
        is_official = key in found and score_named(result, key) == name
        found.setdefault(name, found[key] if is_official else result.scale * result.scores[name])
    return _defined(found)


def _defined(numbers: Mapping[str, float]) -> dict[str, float]:
    return {name: value for name, value in numbers.items() if not math.isnan(value)}


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
