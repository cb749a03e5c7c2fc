"""Result tables of VLMEvalKit: `.xlsx`, `.tsv` or JSON, one row per question."""

from __future__ import annotations

from typing import Any

from fullmarks.readers.logs.sample import About, LogFormat, Sample
from fullmarks.readers.logs.values import filled, first_id, number_of, scores_of, texts_of

_FAILED = "Failed to obtain answer"
"""What the tool writes for an answer that it did not get."""
_OPTIONS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_SCORES = ("hit", "score")
_TAKEN = frozenset(("id", "index", "prediction", "references", "answer", "choices", "image", *_SCORES, *_OPTIONS))


def _read(sample: dict[str, Any], position: int, about: About) -> Sample:
    text, answer = sample.get("prediction"), sample.get("answer")
    is_plain = isinstance(text, (int, float)) and not isinstance(text, bool)
    others = {name: value for name, value in sample.items() if name not in _TAKEN}
    scores = scores_of({name: number_of(sample.get(name)) for name in _SCORES})
    found = str(text) if is_plain else text
    return Sample(
        first_id(sample.get("index"), position),
        found,
        None if answer in (None, "") else texts_of(answer),
        {**about.columns, **filled(**others, choices=_choices(sample)), **scores},
        failure=found.strip() if isinstance(found, str) and found.startswith(_FAILED) else None,
    )


def _choices(sample: dict[str, Any]) -> list[str] | None:
    """The texts of the options A, B, ..., up to the first that the question does not have."""
    found: list[str] = []
    for letter in _OPTIONS:
        value = sample.get(letter)
        if value is None or value == "":
            break
        found.append(str(value))
    return found or None


VLMEVALKIT = (
    LogFormat(
        "VLMEvalKit",
        frozenset(("index", "question", "prediction")),
        _read,
        not_keys=frozenset(("id", "question_id", "references", "answers", "reference")),
    ),
)
