"""`process_results` of a task file, as lm-evaluation-harness and lmms-eval both call it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fullmarks.adapters.sample_score import SampleScore, scored
from fullmarks.adapters.samples import rules_named, sample_of
from fullmarks.checks import listed_names
from fullmarks.errors import UsageError

ProcessResults = Callable[[Mapping[str, Any], Sequence[Any]], dict[str, SampleScore]]


def process_results_for(
    name: str,
    *,
    references: str,
    identifier: str | None = None,
    columns: str | Sequence[str] = (),
    scores: str | Sequence[str] = (),
    **options: Any,
) -> ProcessResults:
    """A function for `process_results` of a task file, which scores each answer by this protocol or metric.

    `references` names the field of a document that holds the right answers, one text or a list; `identifier` that of
    its id; `columns` others that the rules need. `scores` are the ones to report, by default all, or other keys of the
    official result; each wants a line in the task's `metric_list` whose aggregation is `official`. The other options
    are those of the protocol or metric.
    """
    rules = rules_named(name, options)
    keys = rules.check_keys(listed_names("scores", scores, "the name of a score or a list of names"))
    named = listed_names("columns", columns, "the name of a field or a list of names")
    wanted = [references, *named, *([] if identifier is None else [identifier])]

    def process_results(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, SampleScore]:
        missing = next((field for field in wanted if field not in doc), None)
        if missing is not None:
            raise UsageError(f"a document has no field '{missing}'; its fields are {', '.join(map(repr, doc))}")
        of = None if identifier is None else doc[identifier]
        others = {column: doc[column] for column in named}
        return scored(rules, keys, sample_of(one_text(results), doc[references], identifier=of, columns=others))

    return process_results


def one_text(results: Sequence[Any]) -> str:
    """The answer among the results of a question, or an error where there is not exactly one text."""
    if len(results) != 1 or not isinstance(results[0], str):
        kinds = ", ".join(type(result).__name__ for result in results) or "nothing"
        raise UsageError(
            f"expected one text per question, found {kinds}. Score tasks of generate_until, "
            "and take one of several answers by a filter such as take_first"
        )
    return results[0]
