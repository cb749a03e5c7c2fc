"""Files of a HELM run: the predictions that its pages show, or the whole state of its requests.

The right answers to predictions stand in another file of the run's folder, `instances.json`.
"""

from __future__ import annotations

import os
from typing import Any

from fullmarks.errors import InputError
from fullmarks.readers.documents import parse_json
from fullmarks.readers.logs.sample import About, Given, LogFormat, Sample
from fullmarks.readers.logs.values import (
    answers_of,
    filled,
    first_id,
    first_object,
    list_of,
    object_of,
    reason_of,
    scores_of,
    text_or_none,
)
from fullmarks.readers.source import Source

_INSTANCES, _RUN = "instances.json", "run_spec.json"
_CORRECT = "correct"


def _about_predictions(given: Given) -> About:
    about = _about_run(given)
    for item in list_of(_beside(given, _INSTANCES)):
        instance = object_of(item)
        if instance.get("perturbation") is None:
            about.beside[instance.get("id")] = instance
    return about


def _about_run(given: Given) -> About:
    """Task and model, and whether the requests were made in several trials."""
    spec = object_of(_beside(given, _RUN))
    adapter = object_of(given.document.get("adapter_spec", spec.get("adapter_spec")))
    columns = filled(task=text_or_none(spec.get("name")), model=text_or_none(adapter.get("model")))
    return About(columns, any(object_of(sample).get("train_trial_index") not in (None, 0) for sample in given.samples))


def _beside(given: Given, name: str) -> Any:
    """The document of another file in the same folder; None where there is none."""
    if given.source is None or given.source.path is None or given.source.is_remote:
        return None
    path = os.path.join(os.path.dirname(given.source.path), name)  # noqa: PTH118, PTH120 - any text
    if not os.path.isfile(path):  # noqa: PTH113 - likewise
        return None
    other = Source(path, given.source.role)
    try:
        return parse_json(other.read(), other.name)
    except InputError as error:
        raise InputError(error.where, error.problem, f"{error.advice} It is read with {given.name}.") from None


def _read_prediction(sample: dict[str, Any], position: int, about: About) -> Sample:
    identifier = first_id(sample.get("instance_id"), position)
    mapped = text_or_none(sample.get("mapped_output"))
    text = sample.get("predicted_text") if mapped is None else mapped
    found = _made(identifier, text, object_of(about.beside.get(identifier)), sample, about)
    found.is_perturbed = sample.get("perturbation") is not None
    found.columns.update(scores_of(sample.get("stats")))
    return found


def _read_state(sample: dict[str, Any], position: int, about: About) -> Sample:
    instance, result = object_of(sample.get("instance")), object_of(sample.get("result"))
    text = first_object(result.get("completions")).get("text")
    mapping = object_of(sample.get("output_mapping"))
    if isinstance(text, str) and text.strip() in mapping:
        text = mapping[text.strip()]
    found = _made(first_id(instance.get("id"), position), text, instance, sample, about)
    found.is_perturbed = instance.get("perturbation") is not None
    found.failure = reason_of(result.get("error")) if result.get("success") is False else None
    found.left_out = max(len(list_of(result.get("completions"))) - 1, 0)
    return found


def _made(identifier: Any, text: Any, instance: dict[str, Any], sample: dict[str, Any], about: About) -> Sample:
    references = list_of(instance.get("references"))
    right = [each for each in references if _CORRECT in list_of(object_of(each).get("tags"))]
    columns = {
        **({"run": sample.get("train_trial_index")} if about.has_runs else {}),
        **about.columns,
        **filled(
            question=text_or_none(object_of(instance.get("input")).get("text")),
            split=text_or_none(instance.get("split")),
            choices=_texts(references) if len(right) < len(references) else None,
        ),
    }
    found, no_answer = answers_of(_texts(right)) if right else (None, None)
    return Sample(identifier, text, found, columns, no_answer=no_answer)


def _texts(references: list[Any]) -> list[str]:
    found = (object_of(object_of(each).get("output")).get("text") for each in references)
    return [text for text in found if isinstance(text, str)]


HELM = (
    LogFormat("HELM", frozenset(("instance_id", "predicted_text")), _read_prediction, about=_about_predictions),
    LogFormat("HELM", frozenset(("adapter_spec", "request_states")), _read_state, "request_states", about=_about_run),
)
