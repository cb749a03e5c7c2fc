"""Details of lighteval: Parquet files, or the same records as JSON."""

from __future__ import annotations

from typing import Any

from fullmarks.readers.logs.sample import About, LogFormat, Sample
from fullmarks.readers.logs.values import (
    answers_of,
    filled,
    first_id,
    first_text,
    list_of,
    object_of,
    scores_of,
    text_or_none,
)


def _read(sample: dict[str, Any], position: int, about: About) -> Sample:
    response, document = object_of(sample.get("model_response")), object_of(sample.get("doc"))
    text = first_text(response.get("text_post_processed"))
    given = [choice for choice in list_of(document.get("choices")) if isinstance(choice, str)]
    chosen = _references(given, document.get("gold_index"))
    right, no_answer = (None, None) if chosen is None else answers_of(chosen)
    found = Sample(
        first_id(document.get("id"), position),
        first_text(response.get("text")) if text is None else text,
        right,
        {
            **about.columns,
            **filled(
                task=text_or_none(document.get("task_name")),
                question=text_or_none(document.get("query")),
                choices=given if right is not None and len(right) < len(given) else None,
            ),
            **scores_of(sample.get("metric")),
        },
        no_answer=no_answer,
        left_out=max(len(list_of(response.get("text"))) - 1, 0),
    )
    if found.text is None:
        _choose(found, given, list_of(response.get("logprobs")))
    return found


def _choose(found: Sample, given: list[str], weights: list[Any]) -> None:
    """Take the likeliest of the given answers, the first where two are equal, as the tool's own `acc` does."""
    if len(given) < 2 or len(weights) != len(given) or not all(isinstance(weight, float) for weight in weights):
        return
    found.text, found.is_chosen = given[weights.index(max(weights))].strip(), True
    found.columns["choices"] = [text.strip() for text in given]
    found.references = None if found.references is None else [text.strip() for text in found.references]


def _references(choices: list[str], gold: Any) -> list[str] | None:
    """The choices that the gold points to."""
    places = gold if isinstance(gold, (list, tuple)) else [gold]
    are_places = all(isinstance(at, int) and not isinstance(at, bool) and 0 <= at < len(choices) for at in places)
    return [choices[at] for at in places] if are_places and places else None


LIGHTEVAL = (LogFormat("lighteval", frozenset(("doc", "model_response")), _read),)
