"""What the tests of benchmarks scored by ANLS share: their golden files, changed as the runs beside them say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Rows = list[dict[str, Any]]


class GoldenSet:
    """Gold, predictions and what the program gave; each copy may be changed."""

    def __init__(self, folder: Path, identifier: str) -> None:
        self.folder = folder
        self.id = identifier
        self.expected = self._read("expected.json")
        self.cases = self._read("answers.json")["cases"]

    def _read(self, name: str) -> Any:
        return json.loads((self.folder / name).read_text(encoding="utf-8"))

    @property
    def gold(self) -> dict[str, Any]:
        return self._read("gold.json")

    @property
    def predictions(self) -> Rows:
        return self._read("predictions.json")

    def with_text_ids(self) -> tuple[dict[str, Any], Rows]:
        gold, predictions = self.gold, self.predictions
        for row in (*gold["data"], *predictions):
            row[self.id] = str(row[self.id])
        return gold, predictions
