"""Samples of lm-evaluation-harness, as `--log_samples` writes them.

The answer is what the model wrote (`resps`). What a filter of the task made of it (`filtered_resps`) is kept beside it.
Where answers were only weighed, the likeliest of several to one question is the answer that the model chose; this is
what the tool's own `acc` looks at. A target that is a list is written as Python writes it: `"['4', 'four']"`.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from fullmarks.readers.documents import Pairs
from fullmarks.readers.logs.sample import About, Given, LogFormat, Sample
from fullmarks.readers.logs.values import (
    answers_of,
    filled,
    first_id,
    first_text,
    is_list,
    is_number,
    list_of,
    object_of,
    scores_of,
    text_or_none,
    texts_of,
)
from fullmarks.readers.source import ending_of

_FILE = re.compile(r"samples_(?P<task>.+?)_\d{4}-\d\d-\d\dT[\d.:-]+$")
_LMMS_FILE = re.compile(r"\d{8}_\d{6}_samples_(?P<task>.+)$")
_QUESTIONS = ("question", "query", "input", "problem", "prompt")
"""What data sets call a question."""
_SIMPLE_LIST = re.compile(r"\['[^'\\]*'(?:, '[^'\\]*')*\]")
"""A list as Python writes it of texts that have no quotes in them."""
MOST_OF_A_LABEL = 200
"""How many characters of a field make it too long to be a column."""
_UNANSWERABLE = "unanswerable"
"""The target of the task `squadv2` for a question without an answer."""
_NO_COLUMNS = frozenset(("id", "prediction", "references", "run", "filter", "choices", "task", "model"))
"""Fields of a question that would be taken for something else."""
_TRUTH = (True, False, "True", "False")


def about_file(given: Given) -> About:
    """The task, which only the file's name tells."""
    stem = os.path.basename(given.name).removesuffix(".gz").removesuffix(".zst")  # noqa: PTH119 - a name, no path
    stem = stem.removesuffix(ending_of(stem))
    found = _FILE.search(stem) or _LMMS_FILE.search(stem)
    return About(filled(task=found["task"] if found else None))


def read_sample(sample: dict[str, Any], position: int, about: About) -> Sample:
    """A sample of either tool: lmms-eval writes no `doc`, but the `input`."""
    document = object_of(sample.get("doc"))
    text, filtered, left_out = _answer(sample)
    columns = {**_fields_of(document), **about.columns}
    if text_or_none(sample.get("filter")):
        columns["filter"] = sample["filter"]
    question = _question(document) or text_or_none(sample.get("input"))
    if question is not None:
        columns["question"] = question
    identifier = document.get("id")
    if type(identifier) is not str:
        identifier = first_id(identifier, document.get("question_id"), sample.get("doc_id"), position)
    references, no_answer = _references(sample, document)
    found = Sample(identifier, text, references, columns, filtered=filtered, no_answer=no_answer, left_out=left_out)
    if text is None:
        _choose(found, sample)
    columns.update(_scores(sample))
    return found


def _fields_of(document: dict[str, Any]) -> dict[str, Any]:
    """The fields of the question that hold a single value, as columns; not long texts, which nobody slices by."""
    return {name: value for name, value in document.items() if name not in _NO_COLUMNS and _is_label(value)}


def _is_label(value: Any) -> bool:
    return len(value) <= MOST_OF_A_LABEL if isinstance(value, str) else isinstance(value, (int, float))


def _answer(sample: dict[str, Any]) -> tuple[str | None, str | None, int]:
    """The text that was generated, what the filter made of it, and how many more texts there are."""
    request = object_of(object_of(sample.get("arguments")).get("gen_args_0"))
    raw, filtered = sample.get("resps"), sample.get("filtered_resps")
    text, made = _answer_text(raw, request), _answer_text(filtered, request)
    if text is None:
        return made, made, _further(filtered) if made is not None else 0
    return text, made, _further(raw)


def _references(sample: dict[str, Any], document: dict[str, Any]) -> tuple[list[str] | None, str | None]:
    """The right answers, and how it is written that there are none.

    Where the document has answers as SQuAD does, these are taken: the task `squadv2` writes only the first of them as
    target, or the word "unanswerable".
    """
    target, answers = sample.get("target"), object_of(document.get("answers"))
    word = target.strip() if isinstance(target, str) else ""
    if is_list(answers.get("text")) and (found := texts_of(answers["text"])) is not None:
        return found, None
    if is_list(answers.get("text")) or (word == _UNANSWERABLE and "answers" not in document):
        return [], word
    return answers_of(_target(sample))


def _answer_text(responses: Any, request: dict[str, Any]) -> str | None:
    """The first generated text; None where the request was for log-likelihoods, whose numbers are written as strings.

    The second argument of a request tells what was asked for: settings for a text, a given answer for its likelihood;
    without one the whole document was weighed.
    """
    if isinstance(request.get("arg_1"), (dict, Pairs)):
        return first_text(responses)
    while is_list(responses) and responses:
        if _weight(responses) is not None:
            return None
        responses = responses[0]
    is_weight = request.keys() == {"arg_0"} and is_number(responses)
    return responses if isinstance(responses, str) and not is_weight else None


def _further(responses: Any) -> int:
    """How many texts come after the first one, of a request that was made several times."""
    while is_list(responses) and len(responses) == 1:
        responses = responses[0]
    return sum(isinstance(item, str) for item in responses[1:]) if is_list(responses) else 0


class _Option(NamedTuple):
    """A given answer, what it was given to, and how likely it was."""

    context: Any
    text: str
    weight: float


def _choose(found: Sample, sample: dict[str, Any]) -> None:
    """Take the likeliest of the given answers, the first where two are equal, and the one at the target's place."""
    options = _options(sample)
    if len(options) < 2 or any(option.context != options[0].context for option in options):
        return  # one continuation alone is no choice, and one after several contexts does not tell them apart
    best = max(range(len(options)), key=lambda at: options[at].weight)
    found.text, found.is_chosen = options[best].text, True
    found.columns["choices"] = [option.text for option in options]
    places = [_place(item, len(options)) for item in found.references or ()]
    if places and None not in places:
        found.references = [options[at].text for at in places if at is not None]
    elif found.references is not None:
        found.references = [text.strip() for text in found.references]


def _place(target: str, count: int) -> int | None:
    """The place of an option among so many, where the target is one."""
    return int(target) if target.isascii() and target.isdecimal() and int(target) < count else None


def _target(sample: dict[str, Any]) -> Any:
    """The right answers: as they are, or the items of a list that was written as a text."""
    target = sample.get("target")
    if not isinstance(target, str) or not (target.startswith("[") and target.endswith("]")):
        return target
    if _SIMPLE_LIST.fullmatch(target):
        return target[2:-2].split("', '")
    from ast import literal_eval

    try:
        items = literal_eval(target)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return target
    are_answers = bool(items) and all(isinstance(item, str) for item in items)
    return items if are_answers or _are_places(items, sample) else target


def _are_places(items: list[Any], sample: dict[str, Any]) -> bool:
    """Whether these are numbers of given answers."""
    return bool(items) and all(type(item) is int for item in items) and bool(_options(sample))


def _options(sample: dict[str, Any]) -> list[_Option]:
    """The answers that were weighed, each after the same context, in the order of the requests."""
    requests = object_of(sample.get("arguments"))
    weights = [_weight(_innermost(response)) for response in list_of(sample.get("resps"))]
    if len(weights) != len(requests):
        return []
    options: list[_Option] = []
    for at, weight in enumerate(weights):
        request = object_of(requests.get(f"gen_args_{at}"))
        text = request.get("arg_1")
        if weight is None or math.isnan(weight) or not isinstance(text, str):
            return []
        options.append(_Option(request.get("arg_0"), text.strip(), weight))
    return _without_baseline(options)


def _without_baseline(options: list[_Option]) -> list[_Option]:
    """The first half, where the second holds the same answers once more without their question."""
    half = len(options) // 2
    first, second = options[:half], options[half:]
    is_baseline = half > 1 and [each.text for each in first] == [each.text for each in second]
    return first if is_baseline else options


def _innermost(response: Any) -> Any:
    while is_list(response) and len(response) == 1:
        response = response[0]
    return response


def _weight(response: Any) -> float | None:
    """The log-likelihood, where this is a number with whether the answer is what the model would have written."""
    if not is_list(response) or len(response) != 2 or not is_number(response[0]) or response[1] not in _TRUTH:
        return None
    try:
        return float(response[0])
    except OverflowError:
        return None


def _question(document: dict[str, Any]) -> str | None:
    for name in _QUESTIONS:
        found = document.get(name)
        if isinstance(found, str) and found:
            return found
    return None


def _scores(sample: dict[str, Any]) -> dict[str, Any]:
    """The tool's own scores, whose names the sample gives where it does."""
    names = sample.get("metrics")
    if _are_names(names):
        return scores_of(sample, names)
    return scores_of(
        {name: value for name, value in sample.items() if name not in _FIELDS and isinstance(value, (int, float))}
    )


def _are_names(value: Any) -> bool:
    return isinstance(value, Sequence) and is_list(value) and all(isinstance(name, str) for name in value)


_FIELDS = frozenset(("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "schema_version"))

HARNESS = tuple(
    LogFormat("lm-evaluation-harness", frozenset(keys), read_sample, about=about_file)
    for keys in (("doc_id", "resps"), ("doc_id", "filtered_resps"))
)
