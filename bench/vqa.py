"""VQA accuracy with ten annotators: loaded data, lists of texts, and the whole result of objects and of files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fullmarks
import official_vqa
from case import SHARED, Case, Settings
from data import make_vqa
from fullmarks.evaluate import score
from fullmarks.metrics.vqa_accuracy import VqaAccuracy
from fullmarks.types import Examples

Files = tuple[list[dict[str, Any]], list[dict[str, Any]]]


def as_examples(data: Files) -> Examples:
    """The same nested objects as lists of texts; this is part of what is measured."""
    annotations, results = data
    answers = {result["question_id"]: result["answer"] for result in results}
    ids = [annotation["question_id"] for annotation in annotations]
    golds = [[given["answer"] for given in annotation["answers"]] for annotation in annotations]
    return Examples(ids, [answers[identifier] for identifier in ids], golds)


def plain(data: Files) -> list[float]:
    annotations, results = data
    answers = {result["question_id"]: result["answer"] for result in results}
    return [official_vqa.accuracy(answers[each["question_id"]], each["answers"]) for each in annotations]


def cases(settings: Settings) -> Iterator[Case]:
    size = 20_000 if settings.quick else 200_000
    data = make_vqa(size)
    yield loaded("made", data, wanted=60)
    yield listed("made", data)
    yield whole_objects("made", data)
    gold, answers = settings.folder / "annotations.json", settings.folder / "results.json"
    gold.write_text(json.dumps({"annotations": data[0]}), encoding="utf-8")
    answers.write_text(json.dumps(data[1]), encoding="utf-8")
    yield whole_files("made", size, gold, answers)
    real = SHARED / "vqa"
    if real.is_dir():
        gold, answers = real / "textvqa_val_annotations.json", real / "textvqa_val_results.json"
        annotations = json.loads(gold.read_text(encoding="utf-8"))["annotations"]
        yield loaded("TextVQA", (annotations, json.loads(answers.read_text(encoding="utf-8"))), wanted=60)


def loaded(name: str, data: Files, wanted: float | None) -> Case:
    return Case(
        "VQA accuracy, loaded data",
        name,
        len(data[0]),
        lambda: VqaAccuracy().rows(as_examples(data)).tolist(),
        {"plain rules": lambda: plain(data)},
        wanted={"plain rules": wanted} if wanted else {},
    )


def listed(name: str, data: Files) -> Case:
    """The metric's own interface, whose input is lists already; what is checked of them is part of what is measured."""
    examples = as_examples(data)
    scorer = fullmarks.load("vqa_accuracy")
    return Case(
        "VQA accuracy, lists of texts",
        name,
        len(data[0]),
        lambda: scorer.compute(predictions=examples.predictions, references=examples.references)["overall"],
        {"plain rules": lambda: official_vqa.percentage(plain(data))},
        wanted={"plain rules": 60},
    )


def whole_objects(name: str, data: Files) -> Case:
    return Case(
        "VQA accuracy, whole result of loaded data",
        name,
        len(data[0]),
        lambda: score("vqa", {"annotations": data[0]}, data[1], keep=False).official,
        {"plain program": lambda: official_vqa.evaluate(*data)},
        wanted={"plain program": 40},
    )


def whole_files(name: str, size: int, gold: Path, answers: Path) -> Case:
    return Case(
        "VQA accuracy, whole files",
        name,
        size,
        lambda: score("vqa", gold, answers, keep=False).official,
        {"plain program": lambda: official_vqa.main(str(gold), str(answers))},
        wanted={"plain program": 40},
    )
