"""A hundred systems compared with one baseline at once, against one comparison after the other of the same files.

Both give the same tests; at once the gold is read a single time, and the baseline's rows and slices are looked up once.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from case import Case, Settings
from data import LATIN, make_pairs
from fullmarks.analysis.compare import compare
from fullmarks.evaluate import score, score_all

SYSTEMS, QUESTIONS, ARTICLES = 100, 2_000, 20


def write_files(folder: Path, systems: int) -> tuple[Path, dict[str, Path]]:
    """A gold like SQuAD's, and the predictions of so many systems, each a little better than the one before."""
    made = list(make_pairs(LATIN, QUESTIONS, 5))
    share = QUESTIONS // ARTICLES
    articles = [
        {
            "title": f"article {number}",
            "paragraphs": [
                {
                    "qas": [
                        {"id": f"q{at}", "question": "what?", "answers": [{"text": text} for text in made[at][1]]}
                        for at in range(share * number, share * (number + 1))
                    ]
                }
            ],
        }
        for number in range(ARTICLES)
    ]
    gold = folder / "compared-gold.json"
    gold.write_text(json.dumps({"data": articles}), encoding="utf-8")
    files = {}
    for system in range(systems):
        right = {
            f"q{at}": golds[0]
            for at, (_, golds) in enumerate(made)
            if (at * 7919 + system * 104_729) % 997 < 5 * system
        }
        answers = {f"q{at}": prediction for at, (prediction, _) in enumerate(made)} | right
        files[f"system{system}"] = folder / f"compared-{system}.json"
        files[f"system{system}"].write_text(json.dumps(answers), encoding="utf-8")
    return gold, files


def tests_of(*comparisons: Any) -> list[Any]:
    """What was found for every system and score, but for corrections, which hang on how much was asked at once."""
    return [(each.system, each.score, each.test) for found in comparisons for each in found.differences]


def one_by_one(gold: Path, files: dict[str, Path]) -> list[Any]:
    base, *others = files
    return tests_of(
        *(compare({name: score("squad2", gold, files[name]) for name in (base, other)}) for other in others)
    )


def cases(settings: Settings) -> Iterator[Case]:
    gold, files = write_files(settings.folder, 10 if settings.quick else SYSTEMS)
    yield Case(
        f"comparison of {len(files)} systems",
        "made like SQuAD",
        QUESTIONS,
        lambda: tests_of(compare(score_all("squad2", gold, files))),
        {"one comparison for each": lambda: one_by_one(gold, files)},
        rounds=2,
    )
