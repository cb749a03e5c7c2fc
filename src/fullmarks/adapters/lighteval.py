"""fullmarks in lighteval: `metric("squad2")` for the metrics of a task.

Every sample has its own scores from 0 to 1 in the details. The numbers of the task are all official ones, each under
the name `fullmarks_RULES_KEY`, and those of `fullmarks.score`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fullmarks.adapters.sample_score import official_numbers, scored
from fullmarks.adapters.samples import SampleRules, rules_named, sample_of
from fullmarks.checks import listed_names
from fullmarks.errors import UsageError
from fullmarks.optional import require_package


def metric(name: str, *, fields: str | Sequence[str] = (), **options: Any) -> Any:
    """A group of metrics, one for every score of this protocol or metric; the golds of a document are its references.

    `fields` names entries of the documents' `specific` that the rules need as columns. The other options are those of
    the protocol or metric.
    """
    levels, requests = _lighteval("metrics.utils.metric_utils"), _lighteval("tasks.requests")
    rules = rules_named(name, options)
    names = [_shown_name(rules, key) for key in rules.scores]
    wanted = listed_names("fields", fields, "the name of an entry of specific or a list of names")

    def corpus(scores: Sequence[Any]) -> dict[str, float]:
        """All numbers at once: lighteval then asks for no other of the group, and draws no bootstrap of its own."""
        return {_shown_name(rules, key): value for key, value in official_numbers(scores).items()}

    return levels.SampleLevelMetricGrouping(
        metric_name=names,
        higher_is_better={_shown_name(rules, key): not rules.less_is_better(key) for key in rules.scores},
        category=requests.SamplingMethod.GENERATIVE,
        sample_level_fn=_sample_level(rules, wanted),
        corpus_level_fn=dict.fromkeys(names, corpus),
    )


def _lighteval(module: str) -> Any:
    return require_package(f"lighteval.{module}", needed_by="fullmarks.adapters.lighteval")


def _sample_level(rules: SampleRules, fields: Sequence[str]) -> Any:
    """What lighteval calls for every sample: of a class of its own, whose base is there only once lighteval is."""

    def compute(self: Any, doc: Any, model_response: Any, **others: Any) -> dict[str, float]:
        del self, others
        columns = _columns(doc, fields)
        sample = sample_of(_answer(model_response), doc.get_golds(), identifier=doc.id or None, columns=columns)
        return {_shown_name(rules, key): value for key, value in scored(rules, rules.scores, sample).items()}

    base = _lighteval("metrics.metrics_sample").SampleLevelComputation
    return type("FullmarksScores", (base,), {"compute": compute, "__doc__": f"Scores as {rules.name} does."})()


def _answer(response: Any) -> str:
    texts = response.final_text
    if len(texts) != 1:
        raise UsageError(
            f"expected one answer per question, found {len(texts)}. Leave num_samples of the task at 1: "
            "several runs are compared by 'fullmarks compare'"
        )
    return str(texts[0])


def _columns(doc: Any, fields: Sequence[str]) -> dict[str, Any]:
    known = doc.specific or {}
    absent = next((field for field in fields if field not in known), None)
    if absent is not None:
        has = ", ".join(map(repr, known)) or "none"
        raise UsageError(f"the document {doc.id!r} has no '{absent}' in specific; it has {has}")
    return {field: known[field] for field in fields}


def _shown_name(rules: SampleRules, key: str) -> str:
    return f"fullmarks_{rules.name}" if rules.name == key else f"fullmarks_{rules.name}_{key}"
