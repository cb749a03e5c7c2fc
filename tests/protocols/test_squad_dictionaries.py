"""Hugging Face's dictionaries: what `squad` and `squad_v2` of its package `evaluate` give, and clear errors.

`evaluate` 0.4.6 keeps the probabilities of `squad_v2` in single precision before its script sees them; the scripts are
the published programs, whose results on the golden files are expected here.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fullmarks
from fullmarks.errors import InputError, MismatchError, UsageError

Row = dict[str, Any]


def prediction(identifier: Any, text: Any, probability: Any = None) -> Row:
    row = {"id": identifier, "prediction_text": text}
    return row if probability is None else {**row, "no_answer_probability": probability}


def reference(identifier: Any, *texts: str) -> Row:
    return {"id": identifier, "answers": {"text": list(texts), "answer_start": [0] * len(texts)}}


def single(value: float) -> float:
    """A number in single precision."""
    return float(struct.unpack("f", struct.pack("f", value))[0])


def golden(folder: Path) -> tuple[dict[str, str], list[Row]]:
    gold = json.loads((folder / "gold.json").read_text(encoding="utf-8"))
    answers: dict[str, str] = json.loads((folder / "predictions.json").read_text(encoding="utf-8"))
    questions = [each for article in gold["data"] for part in article["paragraphs"] for each in part["qas"]]
    return answers, [reference(each["id"], *(answer["text"] for answer in each["answers"])) for each in questions]


# Worked out by hand from the published rule: 1976 matches, "beyonce" shares one token of five, "" shares none.
ANSWERS = [prediction("1", "1976"), prediction("2", "the Beyonce"), prediction("3", "")]
GOLDS = [reference("2", "Beyoncé", "Beyonce and Bruno Mars"), reference("1", "1976"), reference("3", "climate change")]


def test_version_1() -> None:
    found = fullmarks.load("squad").compute(predictions=ANSWERS, references=GOLDS)
    assert found == {"exact_match": 100.0 / 3, "f1": 100.0 * (0.4 + 1.0) / 3}
    assert list(found) == ["exact_match", "f1"]
    assert found == fullmarks.load("squad_v1").compute(predictions=ANSWERS, references=GOLDS)


def test_version_2() -> None:
    rows = [prediction("1", "1976", 0.0)]
    expected = {
        "exact": 100.0,
        "f1": 100.0,
        "total": 1,
        "HasAns_exact": 100.0,
        "HasAns_f1": 100.0,
        "HasAns_total": 1,
        "best_exact": 100.0,
        "best_exact_thresh": 0.0,
        "best_f1": 100.0,
        "best_f1_thresh": 0.0,
    }
    for name in ("squad", "squad_v2"):
        found = fullmarks.load(name).compute(predictions=rows, references=[reference("1", "1976")])
        assert found == expected
        assert list(found) == list(expected)


def test_golden_version_1(golden_files: Path) -> None:
    folder = golden_files / "squad1"
    answers, references = golden(folder)
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    given = {**dict.fromkeys(expected["missing"], "nothing like it"), **answers}
    rows = [prediction(identifier, text) for identifier, text in given.items()]
    assert fullmarks.load("squad").compute(predictions=rows, references=references) == expected["missing_counts_zero"]


@pytest.mark.parametrize(("run", "threshold"), [("plain", None), ("thresholded_0.5", 0.5), ("with_pr", 1.0)])
def test_golden_version_2(golden_files: Path, run: str, threshold: float | None) -> None:
    folder = golden_files / "squad2"
    answers, references = golden(folder)
    given = json.loads((folder / "na_prob.json").read_text(encoding="utf-8"))
    order = answers if threshold is None else given
    rows = [prediction(known, answers[known], None if threshold is None else given[known]) for known in order]
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))[run]
    expected = {key: value for key, value in expected.items() if not key.startswith("pr_")}
    for key in ("best_exact_thresh", "best_f1_thresh"):
        if key in expected:
            expected[key] = single(expected[key])
    options = {} if threshold is None else {"no_answer_threshold": threshold}
    found = fullmarks.load("squad_v2").compute(predictions=rows, references=references, **options)
    assert found == expected
    assert list(found) == list(expected)


SCORES: list[Row] = [
    prediction("b", "dogs", np.float32(0.3)),
    prediction("a", "the cat", 0.1),
    prediction("c", "x", 1),
    prediction("d", "", 0.7),
]
FORMS: dict[str, list[Row]] = {
    "lists by field": [reference("a", "cat"), reference("b", "two dogs", "dogs"), reference("c"), reference("d")],
    "dictionaries": [
        {"id": identifier, "answers": [{"text": text, "answer_start": 3} for text in texts]}
        for identifier, texts in (("a", ["cat"]), ("b", ["two dogs", "dogs"]), ("c", []), ("d", []))
    ],
    "arrays": [
        {
            "id": identifier,
            "answers": {"text": np.array(texts, dtype=object), "answer_start": np.array([0] * len(texts))},
        }
        for identifier, texts in (("a", ["cat"]), ("b", ["two dogs", "dogs"]), ("c", []), ("d", []))
    ],
}


@pytest.mark.parametrize("references", FORMS.values(), ids=FORMS)
def test_every_form_and_way_in(references: list[Row]) -> None:
    wanted = fullmarks.load("squad_v2").compute(predictions=SCORES, references=FORMS["lists by field"])
    assert (wanted["exact"], wanted["NoAns_exact"], wanted["total"]) == (75.0, 50.0, 4)
    for name in ("squad", "squad_v2"):
        scorer = fullmarks.load(name)
        assert scorer.compute(predictions=SCORES, references=references) == wanted
        assert scorer.compute(predictions=tuple(SCORES), references=iter(references)) == wanted  # type: ignore[arg-type]
        for start in (0, 2):
            scorer.add_batch(predictions=SCORES[start : start + 2], references=references[start : start + 2])
        assert scorer.compute() == wanted
        for one, other in zip(SCORES, references, strict=True):
            scorer.add(prediction=one, reference=other)
        assert scorer.compute(no_answer_threshold=1.0) == wanted
        second = fullmarks.load(name)
        scorer.add_batch(predictions=SCORES[:1], references=references[:1])
        second.add_batch(predictions=SCORES[1:], references=references[1:])
        scorer.merge(second)
        assert scorer.compute() == wanted
        second = fullmarks.load(name)
        second.add_batch(predictions=SCORES, references=references)
        empty = fullmarks.load(name)
        empty.merge(second)
        assert empty.compute() == wanted


def test_thresholds_are_compared_in_single_precision() -> None:
    """0.1 in single precision is greater than 0.1, so that the answer is withheld, as in `evaluate`."""
    rows, golds = [prediction("a", "cat", 0.1)], [reference("a", "cat")]
    found = fullmarks.load("squad_v2", no_answer_threshold=0.1).compute(predictions=rows, references=golds)
    assert (found["exact"], found["best_exact"], found["best_exact_thresh"]) == (0.0, 100.0, single(0.1))


def test_texts_are_scored_as_ever() -> None:
    scorer = fullmarks.load("squad")
    assert scorer.compute(predictions=["the cat"], references=[["cat"]]) == {"exact": 1.0, "f1": 1.0}
    scorer.add_batch(predictions=["the cat"], references=[["cat"]])
    with pytest.raises(UsageError, match="some batches hold texts and others dictionaries"):
        scorer.add_batch(predictions=ANSWERS, references=GOLDS)
    other = fullmarks.load("squad")
    other.add_batch(predictions=ANSWERS, references=GOLDS)
    with pytest.raises(UsageError, match="some batches hold texts and others dictionaries"):
        other.add_batch(predictions=["the cat"], references=[["cat"]])
    with pytest.raises(UsageError, match="one of the two holds texts, the other dictionaries"):
        scorer.merge(other)
    assert scorer.compute() == {"exact": 1.0, "f1": 1.0}
    assert other.compute() == fullmarks.load("squad").compute(predictions=ANSWERS, references=GOLDS)
    assert other.compute(predictions=["x"], references=["x"]) == {"exact": 1.0, "f1": 1.0}


ONE, TWO = prediction("1", "x"), prediction("2", "x")
GOLD, OTHER = reference("1", "x"), reference("2", "x")
WRONG: dict[str, tuple[list[Any], list[Any], type[Exception], str]] = {
    "an id twice": (
        [ONE, ONE],
        [GOLD, OTHER],
        MismatchError,
        r"\[1\]: predictions\[0\] has the id '1'",
    ),
    "a gold id twice": (
        [ONE, TWO],
        [GOLD, GOLD],
        MismatchError,
        r"\[1\]: references\[0\] has the id",
    ),
    "another id": ([ONE], [OTHER], MismatchError, r"predictions: 1 of 1 ids .* \(first: '2'\)"),
    "one too many": ([ONE, TWO], [GOLD], MismatchError, r"references: 1 of 2 ids .* \(first: '2'\)"),
    "no reference": ([ONE], [], InputError, "references: there is none"),
    "no text": (
        [{"id": "1"}],
        [GOLD],
        InputError,
        r"\[0\]: the field 'prediction_text' is missing, found 'id'",
    ),
    "no id": ([{"prediction_text": "x"}], [GOLD], InputError, r"predictions\[0\]: the field 'id' is missing"),
    "null": ([prediction("1", None)], [GOLD], InputError, "'prediction_text' must be a text, found null"),
    "odd id": ([prediction(1.5, "x")], [GOLD], InputError, "'id' must be a text or a whole number, found a number"),
    "no answers": ([ONE], [{"id": "1"}], InputError, r"references\[0\]: the field 'answers' is missing"),
    "no texts": ([ONE], [{"id": "1", "answers": {"answer_start": [1]}}], InputError, "the field 'text' is missing"),
    "one text": ([ONE], [{"id": "1", "answers": "x"}], InputError, "must be a list of texts, found a string"),
    "numbers": ([ONE], [{"id": "1", "answers": {"text": [5]}}], InputError, "must be a list of texts, found a number"),
    "a text among them": (
        [ONE, "x"],
        [GOLD, GOLD],
        InputError,
        r"predictions\[1\]: expected a dictionary, found a string",
    ),
    "texts for gold": ([ONE], ["x"], InputError, r"references\[0\]: expected a dictionary, found a string"),
    "unanswerable": ([ONE], [reference("1")], InputError, r"references\[0\]: .*Load 'squad_v2'"),
    "not a number": ([prediction("1", "x", float("nan"))], [GOLD], InputError, "must be a finite number, found nan"),
    "a text for one": ([prediction("1", "x", "0.5")], [GOLD], InputError, "must be a finite number, found a string"),
    "true": ([prediction("1", "x", True)], [GOLD], InputError, "must be a finite number, found True"),
    "some": (
        [prediction("1", "x", 0.5), TWO],
        [GOLD, OTHER],
        InputError,
        r"predictions\[1\]: .* null",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong(case: str) -> None:
    predictions, references, kind, words = WRONG[case]
    with pytest.raises(kind, match=words):
        fullmarks.load("squad").compute(predictions=predictions, references=references)


def test_what_has_no_place() -> None:
    given = {"predictions": [ONE], "references": [GOLD]}
    with pytest.raises(UsageError, match="'threshold' has no place there"):
        fullmarks.load("squad", threshold=0.5).compute(**given)
    with pytest.raises(UsageError, match="squad_v1 has no option or column 'topic'"):
        fullmarks.load("squad").compute(**given, topic=["a"])
    for name in ("each", "each_score"):
        with pytest.raises(UsageError, match="scored together, none of them alone"):
            getattr(fullmarks.load("squad"), name)(**given)
        with pytest.raises(UsageError, match="a single example has no score"):
            getattr(fullmarks.load("squad_v2"), name)(**given)
    with pytest.raises(InputError, match=r"predictions\[0\]: expected a dictionary, found a string"):
        fullmarks.load("squad_v2").compute(predictions=["x"], references=["x"])
