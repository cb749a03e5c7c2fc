"""The example tasks of the documentation, and models that give what a test wants."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import fullmarks
from tests.adapters.answered import answers, flat

EXAMPLES = Path(__file__).resolve().parents[3] / "docs" / "examples"
QUESTIONS = [json.loads(line) for line in (EXAMPLES / "questions" / "test.jsonl").read_text().splitlines()]
PREDICTIONS, GOLDS = answers(150)


def official(protocol: str, predictions: list[str], golds: list[list[str]], **options: Any) -> dict[str, float]:
    """What `fullmarks.score` says of a table of these."""
    rows = [
        {"id": f"q{at}", "prediction": text, "references": gold}
        for at, (text, gold) in enumerate(zip(predictions, golds, strict=True))
    ]
    return flat(fullmarks.score(protocol, rows, **options).official)


def always(answer: str) -> dict[str, float]:
    """The official numbers of the example questions for a model that always says the same."""
    return official("squad2", [answer] * len(QUESTIONS), [each["answers"] for each in QUESTIONS])
