"""What is kept of one case, as plain data. Only public functions of fullmarks are asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import fullmarks
from tests.repository import ROOT
from tools.freeze.golden_sets import golden_files

MOST_SLICES = 40
"""How many slices of a column are kept, beside their number: more would repeat the examples."""
Observation = dict[str, Any]


@dataclass(frozen=True)
class Run:
    """One call of `fullmarks.score`, and the columns that the benchmark offers to slice by."""

    benchmark: str
    gold: Any
    predictions: Any
    options: Mapping[str, Any]
    columns: tuple[str, ...]
    is_changed: bool = False
    """Whether it has a variant or option that the sample or golden set itself does not have."""

    def changed(self, option: str, value: Any) -> Run:
        """The same with one option changed."""
        return replace(self, options={**self.options, option: value}, is_changed=True)

    def observe(self, steps: int) -> Observation:
        """All that the run gives, with the explanations of so many examples."""
        result = self._score()
        ids = [record["id"] for record in result.per_example]
        counts, findings = audited(result)
        return {
            "official": plain(result.official),
            "scores": plain(result.scores),
            "signature": without_version(result.signature),
            "findings": findings,
            "counts": counts,
            "slices": {column: attempt(self._slices, result, column) for column in self.columns},
            "examples": table(ids, result.per_example.scores),
            "steps": {str(ids[at]): attempt(self._explain, ids[at]) for at in spread(len(ids), steps)},
        }

    def crosscheck(self, _: int) -> Observation:
        """The numbers that other tools' rules give."""
        found = fullmarks.crosscheck(self.benchmark, self.gold, self.predictions, **self.options).to_dict()
        return {"rules": {rule.pop("name"): plain(rule) for rule in found["rules"]}}

    def _score(self, **by: str) -> fullmarks.Result:
        return fullmarks.score(self.benchmark, self.gold, self.predictions, **by, **self.options)

    def _explain(self, identifier: Any) -> Observation:
        told = fullmarks.explain(self.benchmark, self.gold, self.predictions, id=identifier, **self.options)
        return plain(told.to_dict())

    def _slices(self, result: fullmarks.Result, column: str) -> Observation:
        """The scores of the slices; where the column has to be asked for, that is done for unchanged runs."""
        try:
            found = result.by(column)
        except fullmarks.UsageError:
            if self.is_changed:
                raise
            found = self._score(by=column).by(column)
        shown = dict(list(found.items())[:MOST_SLICES])
        names = dict.fromkeys(name for scores in shown.values() for name in scores)
        scores = {name: [each.get(name) for each in shown.values()] for name in names}
        return {"count": len(found), **table(map(repr, shown), scores)}


def of_metric(name: str, given: dict[str, list[Any]], options: Mapping[str, Any], steps: int) -> Observation:
    """The score of a metric over these examples, and that of each where it has one."""
    scorer = fullmarks.load(name, **options)
    found: Observation = {"score": plain(scorer.compute(**given))}
    if hasattr(scorer, "each_score"):
        predictions, references = given["predictions"], given["references"]

        def explain(at: int) -> Observation:
            return plain(scorer.explain(prediction=predictions[at], references=references[at]).to_dict())

        size = len(predictions)
        found["signature"] = without_version(scorer.signature(size))
        found["examples"] = table(range(size), scorer.each_score(**given))
        found["steps"] = {str(at): attempt(explain, at) for at in spread(size, steps)}
    return found


def of_extractor(spec: str, texts: list[str], _: int) -> Observation:
    """What an extractor leaves of every text."""
    result = fullmarks.score("qa", [["x"]] * len(texts), texts, extract=spec)
    left = [record["prediction"] for record in result.per_example]
    return {"examples": table(texts, {"left": left}), "findings": audited(result)[1]}


def attempt(function: Callable[..., Any], *given: Any) -> Any:
    """What a function gives, or its error; a missing package says nothing about fullmarks and stays an error."""
    try:
        return function(*given)
    except fullmarks.MissingDependencyError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a case ends in is what is kept of it
        return {"error": {"class": type(error).__name__, "message": plain(str(error))}}


def audited(result: fullmarks.Result) -> tuple[Observation, Observation]:
    """What was counted while reading, and the findings by code."""
    audit = result.audit.to_dict()
    findings = {found.pop("code"): found for found in audit.pop("findings")}
    return plain(audit), plain(findings)


def table(labels: Iterable[Any], columns: Mapping[str, Sequence[Any]]) -> Observation:
    """Named values of labelled rows, column by column."""
    return {"rows": plain(list(labels)), "columns": plain(columns)}


def spread(size: int, wanted: int) -> list[int]:
    """Positions of the examples to explain, always in the same order: the first three, and three far from them."""
    places = (0, size // 2, size - 1, 1, 2, size // 4)
    return list(dict.fromkeys(at for at in places[:wanted] if 0 <= at < size))


def plain(value: Any) -> Any:
    """A value as JSON knows it, without the paths of this machine."""
    if isinstance(value, str):
        for path, name in _paths():
            value = value.replace(path, name)
        return value
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, Mapping):
        return {plain(str(key)): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return plain(value.item() if hasattr(value, "item") else repr(value))


@lru_cache
def _paths() -> tuple[tuple[str, str], ...]:
    return (f"{golden_files()}/", "golden/"), (f"{ROOT}/", "")


def without_version(signature: str) -> str:
    """A signature that a release does not change."""
    return "|".join(part for part in plain(signature).split("|") if not part.startswith("v:"))
