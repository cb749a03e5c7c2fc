"""VQA accuracy with ten annotators: loaded data, and whole files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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
    yield loaded("made", data, wanted=35)
    gold, answers = settings.folder / "annotations.json", settings.folder / "results.json"
    gold.write_text(json.dumps({"annotations": data[0]}), encoding="utf-8")
    answers.write_text(json.dumps(data[1]), encoding="utf-8")
    yield whole_files("made", size, gold, answers)
    real = SHARED / "vqa"
    if real.is_dir():
        gold, answers = real / "textvqa_val_annotations.json", real / "textvqa_val_results.json"
        annotations = json.loads(gold.read_text(encoding="utf-8"))["annotations"]
        yield loaded("TextVQA", (annotations, json.loads(answers.read_text(encoding="utf-8"))), wanted=None)


def loaded(name: str, data: Files, wanted: float | None) -> Case:
    return Case(
        "VQA accuracy, loaded data",
        name,
        len(data[0]),
        lambda: VqaAccuracy().rows(as_examples(data)).tolist(),
        {"plain rules": lambda: plain(data)},
        wanted={"plain rules": wanted} if wanted else {},
    )


def whole_files(name: str, size: int, gold: Path, answers: Path) -> Case:
    return Case(
        "VQA accuracy, whole files",
        name,
        size,
        lambda: score("vqa", gold, answers, keep=False).official,
        {"plain program": lambda: official_vqa.main(str(gold), str(answers))},
    )
