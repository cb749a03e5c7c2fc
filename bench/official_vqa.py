"""VQA accuracy as one plain function over the files' own nested objects: what ours is measured against.

Written from the published definition, step by step and without anything remembered between answers: for every mark of
punctuation the text is looked at again, for every annotator the others are found by comparing whole records.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

TABLES: dict[str, Any] = json.loads(
    (Path(__file__).resolve().parents[1] / "src" / "fullmarks" / "data" / "vqa.json").read_text(encoding="utf-8")
)
ARTICLES = ["a", "an", "the"]
MARKS = list(';/[]"{}()=+\\_-><@`,?!')
COMMA_IN_NUMBER = re.compile(r"(\d)(,)(\d)")
PERIOD = re.compile(r"(?!<=\d)(\.)(?!\d)")


def without_punctuation(text: str) -> str:
    result = text
    for mark in MARKS:
        if (mark + " " in text or " " + mark in text) or re.search(COMMA_IN_NUMBER, text) is not None:
            result = result.replace(mark, "")
        else:
            result = result.replace(mark, " ")
    return PERIOD.sub("", result, 32)


def plain_words(text: str) -> str:
    words = []
    for word in text.lower().split():
        word = TABLES["numbers"].get(word, word)  # noqa: PLW2901
        if word not in ARTICLES:
            words.append(word)
    for position, word in enumerate(words):
        if word in TABLES["contractions"]:
            words[position] = TABLES["contractions"][word]
    return " ".join(words)


def trimmed(text: str) -> str:
    return text.replace("\n", " ").replace("\t", " ").strip()


def accuracy(answer: str, annotators: list[dict[str, Any]]) -> float:
    answers = [{**annotator, "answer": trimmed(annotator["answer"])} for annotator in annotators]
    answer = trimmed(answer)
    if len({annotator["answer"] for annotator in answers}) > 1:
        for annotator in answers:
            annotator["answer"] = plain_words(without_punctuation(annotator["answer"]))
        answer = plain_words(without_punctuation(answer))
    each = []
    for annotator in answers:
        others = [other for other in answers if other != annotator]
        matching = [other for other in others if other["answer"] == answer]
        each.append(min(1.0, float(len(matching)) / 3))
    total = 0.0
    for value in each:
        total += value
    return total / len(each)


def evaluate(annotations: list[dict[str, Any]], results: list[dict[str, Any]]) -> dict[str, Any]:
    """The published result; types in the order in which they appear."""
    answers = {result["question_id"]: result["answer"] for result in results}
    overall: list[float] = []
    types: dict[str, dict[str, list[float]]] = {"perQuestionType": {}, "perAnswerType": {}}
    for annotation in annotations:
        value = accuracy(answers[annotation["question_id"]], annotation["answers"])
        overall.append(value)
        for key, name in (("perQuestionType", "question_type"), ("perAnswerType", "answer_type")):
            types[key].setdefault(annotation[name], []).append(value)
    return {
        "overall": percentage(overall),
        **{key: {name: percentage(values) for name, values in groups.items()} for key, groups in types.items()},
    }


def percentage(values: list[float]) -> float:
    total = 0.0
    for value in values:
        total += value
    return round(100 * total / len(values), 2)


def main(annotations: str, results: str) -> dict[str, Any]:
    """The result of two files, read by Python's own parser."""
    with Path(annotations).open(encoding="utf-8") as stream:
        gold = json.load(stream)["annotations"]
    with Path(results).open(encoding="utf-8") as stream:
        return evaluate(gold, json.load(stream))
