"""Answers for the tests of adapters, of which the sums depend on their order: thirds and sevenths of F1."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import fullmarks

PAGE = Path(__file__).resolve().parents[2] / "docs" / "integrations.md"
WORDS = ("north", "south", "river", "bridge", "seven", "green", "cat", "hat", "paris", "london", "of", "old", "tower")


def answers(n: int, seed: int = 7) -> tuple[list[str], list[list[str]]]:
    """Predictions and for each its references, of which some have none."""
    draw = random.Random(seed)
    golds = [
        [" ".join(draw.choices(WORDS, k=draw.randint(1, 7))) for _ in range(draw.choice((0, 1, 1, 2, 3)))]
        for _ in range(n)
    ]
    predictions = [
        " ".join(draw.sample((gold[0] if gold else "").split() + draw.choices(WORDS, k=2), k=2)) for gold in golds
    ]
    return predictions, golds


def official(protocol: str, predictions: list[str], golds: list[Any], **options: Any) -> dict[str, float]:
    """What `fullmarks.score` says of a table of these."""
    rows = [{"prediction": text, "references": gold} for text, gold in zip(predictions, golds, strict=True)]
    return flat(fullmarks.score(protocol, rows, **options).official)


def flat(official_result: dict[str, Any], before: str = "") -> dict[str, float]:
    """A nested result under joined names, written once more here."""
    found: dict[str, float] = {}
    for name, value in official_result.items():
        if isinstance(value, dict):
            found |= flat(value, f"{before}{name}.")
        elif isinstance(value, (int, float)):
            found[before + name] = float(value)
    return found


def snippets(heading: str) -> list[str]:
    """The Python blocks of the page of integrations under a heading."""
    text = PAGE.read_text(encoding="utf-8")
    section = re.split(r"^## ", text.split(f"\n## {heading}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]
    return re.findall(r"^```python\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
