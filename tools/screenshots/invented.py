"""Invented questions about invented towns, and systems that answer them more or less well: data that anybody may show.

The same seed gives the same data every time. The gold has the form of SQuAD 2.0's file.
"""

from __future__ import annotations

import random
from typing import Any

TOWNS = (
    *("Aldermoor", "Brackwater", "Corrie Falls", "Dunholt", "Eastmere", "Fenwick Bay", "Garrow", "Hollin Bridge"),
    *("Inverlea", "Jutland Quay", "Kestrel Down", "Larkhaven"),
)
PEOPLE = ("Ada Brandt", "Jonas Weil", "Mira Okafor", "Pieter Holm", "Ruth Castellan", "Tomas Lindqvist", "Yuki Arden")
RIVERS = ("the Ashbrook", "the Little Esk", "the Morrow", "the Tannet", "the Wend")
GOODS = ("salt", "slate", "smoked herring", "wool", "church bells", "sailcloth")
FESTIVALS = ("the Lantern Walk", "the Eel Supper", "the Feast of Nets", "the Long Market")


def gold(seed: int = 7, paragraphs: int = 6) -> dict[str, Any]:
    """Articles about towns, their paragraphs and seven questions on each, two of them without an answer."""
    chance = random.Random(seed)
    return {
        "version": "v2.0",
        "data": [
            {"title": town, "paragraphs": [_paragraph(town, part, chance) for part in range(paragraphs)]}
            for town in TOWNS
        ],
    }


def _paragraph(town: str, part: int, chance: random.Random) -> dict[str, Any]:
    first, second = chance.sample(PEOPLE, 2)
    year, later, height = chance.randint(1610, 1790), chance.randint(1820, 1960), chance.randint(12, 64)
    river, goods, festival = chance.choice(RIVERS), chance.choice(GOODS), chance.choice(FESTIVALS)
    quarter = ("harbour", "old town", "mill district", "upper quarter", "north bank", "market ward")[part % 6]
    context = (
        f"The {quarter} of {town} was laid out in {year} by the surveyor {first}, where {river} meets the coast road. "
        f"Its tower, {height} metres high, was finished in {later} under the master builder {second}. "
        f"For two centuries the quarter lived from the trade in {goods}, and every autumn it still holds {festival}, "
        "which draws visitors from the whole county."
    )
    asked = [
        (f"Who laid out the {quarter} of {town}?", [first, f"the surveyor {first}"]),
        (f"When was the {quarter} of {town} laid out?", [str(year), f"in {year}"]),
        (f"How high is the tower in the {quarter} of {town}?", [f"{height} metres", f"{height} metres high"]),
        (f"What did the {quarter} of {town} trade in?", [goods, f"the trade in {goods}"]),
        (f"What does the {quarter} of {town} hold every autumn?", [festival]),
        (f"When did the tower in the {quarter} of {town} burn down?", []),
        (f"Which king visited the {quarter} of {town}?", []),
    ]
    return {
        "context": context,
        "qas": [
            {
                "id": f"{town.lower().replace(' ', '-')}-{part + 1}-{number + 1}",
                "question": question,
                "answers": [{"text": answer, "answer_start": context.index(answer)} for answer in answers],
                "is_impossible": not answers,
            }
            for number, (question, answers) in enumerate(asked)
        ],
    }


def predictions(data: dict[str, Any], skill: float, seed: int) -> dict[str, str]:
    """The answers of a system that is right as often as its skill says, and else wrong in the ways that systems are."""
    chance = random.Random(seed)
    found = {}
    for article in data["data"]:
        here = skill + chance.uniform(-0.12, 0.12)
        for paragraph in article["paragraphs"]:
            for question in paragraph["qas"]:
                found[question["id"]] = _answer(question, paragraph["context"], here, chance)
    return found


def _answer(question: dict[str, Any], context: str, skill: float, chance: random.Random) -> str:
    answers = [each["text"] for each in question["answers"]]
    words = context.replace(",", "").replace(".", "").split()
    at = chance.randrange(len(words) - 4)
    if chance.random() < skill:
        return chance.choice(answers) if answers else ""
    way = chance.random()
    if answers and way < 0.3:
        return f"{answers[0]} {words[at]}"
    if answers and way < 0.5:
        return ""
    return " ".join(words[at : at + chance.randint(1, 3)])
