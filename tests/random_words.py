"""Words that stemmers have work with: letters, then endings, by a seeded generator."""

from __future__ import annotations

import random


def random_words(letters: str, endings: str, count: int) -> list[str]:
    """Words of up to six letters and up to three endings."""
    rng = random.Random(2)
    parts = endings.split()
    return [
        "".join(rng.choices(letters, k=rng.randint(0, 6))) + "".join(rng.choices(parts, k=rng.randint(0, 3)))
        for _ in range(count)
    ]
