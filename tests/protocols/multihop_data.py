"""Made questions over several pages, with answers, facts, triples and predictions: a seeded generator.

Texts are hard ones where asked for; otherwise short words, so that a case costs little.
"""

from __future__ import annotations

import random
from typing import Any

from tests.hard_texts import hard_text

WORDS = (
    "yes",
    "no",
    "noanswer",
    "the",
    "a",
    "Yes,",
    "Bo",
    "bo.",
    "Ann Holt",
    "the Osk",
    "red",
    "River",
    "1822",
    "",
    "É",
)
TITLES = ("Ann", "ann", "Bo (film)", "É", "e\u0301", "Osk")
NUMBERS: tuple[Any, ...] = (0, 1, 2, 3, 1.0, True, "1", None)
RELATIONS = ("director", "Director!", "place of birth", "the mother", "mother")
IDS = ("Q1", "Q2", "Q3", "Q4", None)
ALIASES = {"Q1": ["Ann", "the Ann", "Bo"], "Q2": [], "Q3": ["River Osk", "É", "yes"]}


def text_of(source: random.Random, is_hard: bool) -> str:
    if is_hard:
        return hard_text(source)
    return " ".join(source.choices(WORDS, k=source.choice((1, 1, 2, 3))))


def facts_of(source: random.Random) -> list[list[Any]]:
    return [
        [source.choice(TITLES), source.choice(NUMBERS), *([0] if source.random() < 0.1 else [])]
        for _ in range(source.choice((0, 1, 1, 2, 3, 4)))
    ]


def triples_of(source: random.Random) -> list[list[str]]:
    return [
        [source.choice(TITLES), source.choice(RELATIONS), source.choice((*TITLES, "River Osk", "3 May"))]
        for _ in range(source.choice((0, 1, 2, 2, 3)))
    ]


def multihop(count: int, seed: int, *, is_hard: bool = False) -> tuple[list[dict[str, Any]], dict[str, dict[str, Any]]]:
    """Gold and predictions in the form of HotpotQA and 2WikiMultihopQA; some parts are missing, some ids unknown."""
    source = random.Random(seed)
    gold = []
    predictions: dict[str, dict[str, Any]] = {"answer": {"unknown": "x"}, "sp": {}, "evidence": {}}
    for number in range(count):
        answer, facts, triples = text_of(source, is_hard), facts_of(source), triples_of(source)
        ids = [[source.choice(IDS), relation, source.choice(IDS)] for _, relation, _ in triples]
        question = {"_id": f"q{number}", "answer": answer, "answer_id": source.choice(IDS), "supporting_facts": facts}
        gold.append({**question, "evidences": triples, "evidences_id": source.choice((ids, [])), "type": "x"})
        made = {
            "answer": source.choice((answer, answer.upper(), text_of(source, is_hard))),
            "sp": source.choice((facts, facts_of(source), facts[:1] + facts_of(source))),
            "evidence": source.choice(
                (triples, triples_of(source), triples[1:] + triples_of(source), [*triples, ["Ann", "director"], []])
            ),
        }
        for part, value in made.items():
            if source.random() < 0.9:
                predictions[part][f"q{number}"] = value
    return gold, predictions


def twins(count: int, seed: int, *, is_full: bool, is_hard: bool = False) -> tuple[list[Any], list[Any]]:
    """Gold and predictions in the form of MuSiQue; in the full form every id comes twice, not always side by side."""
    source = random.Random(seed)
    ids = [f"{source.choice((2, 3, 4))}hop__{number}" for number in range(count)]
    order = ids * 2 if is_full else ids
    source.shuffle(order)
    first = {identifier: source.random() < 0.5 for identifier in ids}
    seen: set[str] = set()
    gold, predictions = [], []
    for identifier in order:
        flag = not is_full or first[identifier] is not (identifier in seen)
        seen.add(identifier)
        answer = text_of(source, is_hard)
        aliases = [text_of(source, is_hard) for _ in range(source.choice((0, 0, 1, 3)))]
        paragraphs = [{"idx": number, "is_supporting": source.random() < 0.5} for number in range(source.randrange(6))]
        gold.append(
            {
                "id": identifier,
                "answer": answer,
                "answer_aliases": aliases,
                "answerable": flag,
                "paragraphs": paragraphs,
            }
        )
        numbers = [paragraph["idx"] for paragraph in paragraphs if paragraph["is_supporting"]]
        given = [number if source.random() < 0.8 else source.randrange(9) for number in numbers]
        predictions.append(
            {
                "id": identifier,
                "predicted_answer": source.choice((answer, text_of(source, is_hard), *aliases)),
                "predicted_support_idxs": [source.choice((number, str(number), float(number))) for number in given],
                "predicted_answerable": flag
                if source.random() < 0.8
                else source.choice((not flag, 1, 0, "true", None)),
            }
        )
    return gold, predictions
