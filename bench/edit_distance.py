"""Edit similarity of texts against NLTK's edit distance; ours asks rapidfuzz."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from case import Case, Settings, SkippedError
from fullmarks.text.edit_distance import edit_similarities

LETTERS = "абвгдежзиклмнопрстуфхцчшщыэюя      "


def cases(settings: Settings) -> Iterator[Case]:
    distance: Any = settings.peer("nltk.metrics.distance")
    if distance is None or settings.peer("rapidfuzz") is None:
        raise SkippedError("needs nltk and rapidfuzz: " + "; ".join(settings.absent.values()))
    rng = random.Random(4)
    for length, count in ((25, 2_000), (100, 500), (400, 40)):
        golds = ["".join(rng.choices(LETTERS, k=rng.randint(length // 2, length))) for _ in range(count)]
        read = ["".join(rng.choice(LETTERS) if rng.random() < 0.15 else letter for letter in text) for text in golds]

        def theirs(read: list[str] = read, golds: list[str] = golds) -> list[float]:
            pairs = zip(read, golds, strict=True)
            return [1 - distance.edit_distance(one, other) / max(len(one), len(other)) for one, other in pairs]

        yield Case(
            "edit similarity",
            f"made, up to {length} characters",
            count,
            lambda read=read, golds=golds: edit_similarities(read, golds),
            {"NLTK": theirs},
            turns=5,
        )
