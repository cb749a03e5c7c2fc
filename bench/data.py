"""Data to measure on: real files where they lie beside the repository, otherwise made by a seeded generator."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from case import SHARED

Examples = tuple[list[str], list[list[str]]]

LATIN = "abcdefghijklmnopqrstuvwxyz"
CYRILLIC = "абвгдежзийклмнопрстуфхцчшщыэюя"
SQUAD_QUESTIONS = 11_873


def make_pairs(alphabet: str, count: int, seed: int) -> Iterator[tuple[str, list[str]]]:
    """Answers of one to six words, half of them right: three references, two of them alike, as annotators give."""
    source = random.Random(seed)
    words = ["".join(source.choices(alphabet, k=source.randint(2, 10))).capitalize() for _ in range(5_000)]
    words += ["the", "a", "of", "in", "U.S.", "1,066", "—"] * 60
    for _ in range(count):
        gold = " ".join(source.choices(words, k=source.choice((1, 1, 2, 2, 3, 4, 6))))
        longer = f"{gold} {source.choice(words)}"
        prediction = source.choice((gold, longer.lower(), " ".join(source.choices(words, k=3)), gold))
        yield prediction, [gold, gold, longer]


def make_examples(alphabet: str, count: int, seed: int) -> Examples:
    predictions, references = [], []
    for prediction, golds in make_pairs(alphabet, count, seed):
        predictions.append(prediction)
        references.append(golds)
    return predictions, references


def shuffled(examples: Examples) -> Examples:
    """Predictions that never match: the hardest case for shortcuts."""
    predictions = list(examples[0])
    random.Random(7).shuffle(predictions)
    return predictions, examples[1]


def write_rows(path: Path, count: int) -> Path:
    """A table of examples, written row by row, so that any size can be made."""
    with path.open("w", encoding="utf-8") as stream:
        for number, (prediction, golds) in enumerate(make_pairs(LATIN, count, 1)):
            row = {"id": f"q{number:08d}", "prediction": prediction, "references": golds}
            stream.write(json.dumps(row, ensure_ascii=False) + "\n")
    return path


def squad_files(folder: Path) -> tuple[str, Path, Path]:
    """The name, gold and predictions of SQuAD 2.0's development set, or of a made one of its size and shape."""
    real = SHARED / "squad"
    if real.is_dir():
        return "SQuAD dev", real / "dev-v2.0.json", real / "bert.json"
    gold, predictions = folder / "made-squad.json", folder / "made-squad-predictions.json"
    if not gold.exists():
        _make_squad(gold, predictions)
    return "made like SQuAD dev", gold, predictions


def _make_squad(gold: Path, predictions: Path) -> None:
    source = random.Random(3)
    answers: dict[str, str] = {}
    paragraphs: list[Any] = []
    pairs = make_pairs(LATIN, SQUAD_QUESTIONS, 4)
    for number, (prediction, golds) in enumerate(pairs):
        if number % 10 == 0:
            context = " ".join(word for text, _ in make_pairs(LATIN, 40, number) for word in text.split())
            paragraphs.append({"context": context, "qas": []})
        has_answer = source.random() < 0.5
        identifier = f"{number:024x}"
        answers[identifier] = prediction if source.random() < 0.6 else ""
        listed = [{"text": text, "answer_start": 0} for text in golds] if has_answer else []
        question = {"id": identifier, "question": f"{prediction} what?", "answers": listed}
        paragraphs[-1]["qas"].append({**question, "is_impossible": not has_answer})
    articles = [{"title": f"T{at}", "paragraphs": paragraphs[at : at + 40]} for at in range(0, len(paragraphs), 40)]
    gold.write_text(json.dumps({"version": "v2.0", "data": articles}), encoding="utf-8")
    predictions.write_text(json.dumps(answers), encoding="utf-8")


def read_squad(gold_file: Path, prediction_file: Path) -> Examples:
    gold = json.loads(gold_file.read_text(encoding="utf-8"))
    predicted = json.loads(prediction_file.read_text(encoding="utf-8"))
    questions = [
        question for article in gold["data"] for paragraph in article["paragraphs"] for question in paragraph["qas"]
    ]
    return (
        [predicted[question["id"]] for question in questions],
        [[answer["text"] for answer in question["answers"]] for question in questions],
    )


def make_vqa(count: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Annotations and results: ten annotators who mostly agree, answers as frequent as in a natural collection."""
    source = random.Random(5)
    answers = ["yes", "no", "1", "2", "white", "two dogs", "a frisbee", "on the left.", "dont know", "1,000", "7:30"]
    answers += ["".join(source.choices(LATIN, k=source.randint(3, 9))) for _ in range(3_000)]
    weights = [1 / rank for rank in range(1, len(answers) + 1)]
    annotations, results = [], []
    for number in range(count):
        likely, *others = source.choices(answers, weights, k=4)
        given = [likely if source.random() < 0.7 else source.choice(others) for _ in range(10)]
        annotations.append(
            {
                "question_id": number,
                "image_id": number // 3,
                "question_type": source.choice(("what", "how many", "is the")),
                "answer_type": source.choice(("yes/no", "number", "other")),
                "answers": [
                    {"answer": text, "answer_confidence": "yes", "answer_id": at}
                    for at, text in enumerate(given, start=1)
                ],
            }
        )
        results.append({"question_id": number, "answer": source.choice((likely, likely, others[0]))})
    return annotations, results
