"""Rows of plain objects: the typed conversion gives what reading them one by one gives, or leaves them to it."""

from __future__ import annotations

import random
from typing import Any

import pytest

from fullmarks.errors import InputError
from fullmarks.readers import predictions
from fullmarks.readers.predictions import RowForm, read_predictions
from fullmarks.readers.source import Source
from fullmarks.types import Audit

FORM = RowForm("question_id", ("answer", "prediction"), numbers=("no_answer",))
VALUES: tuple[Any, ...] = ("x", "", "\ud800", 3, 3.0, True, None, ["x"], "7", 7, float("nan"), 10**30, b"x")


def random_rows(source: random.Random) -> list[Any]:
    """Rows that are mostly as they should be."""
    rows: list[Any] = []
    for number in range(source.choice((1, 2, 3))):
        row: dict[Any, Any] = {
            "question_id": number,
            "answer": f"text {number}",
            "no_answer": source.random(),
            "more": [],
        }
        for _ in range(source.choice((0, 0, 0, 1, 2))):
            field = source.choice(("question_id", "id", "answer", "prediction", "no_answer", 5, "\ud800"))
            if source.random() < 0.4:
                row.pop(field, None)
            else:
                row[field] = source.choice(VALUES)
        rows.append(row if source.random() < 0.98 else source.choice(VALUES))
    return rows


def outcome(rows: list[Any], rule: Any) -> Any:
    audit = Audit()
    try:
        found = read_predictions(Source(rows, "predictions"), audit, on_duplicate=rule, form=FORM)
    except InputError as error:
        return str(error)
    findings = {kind: (finding.level, finding.count, finding.detail) for kind, finding in audit.findings.items()}
    return repr(list(found.texts.items())), repr(found.numbers.get("no_answer", {})), findings


@pytest.mark.parametrize("count", [1_000, pytest.param(8_000, marks=pytest.mark.deep)])
def test_both_ways_give_the_same(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    source = random.Random(31)
    cases = [(random_rows(source), source.choice(("error", "first", "last"))) for _ in range(count)]
    typed = [outcome(*case) for case in cases]
    monkeypatch.setattr(predictions, "_convert_rows", lambda rows, form: None)
    for case, found in zip(cases, typed, strict=True):
        assert found == outcome(*case), case


def test_good_rows_are_converted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(predictions, "_from_rows", None)
    for name in ("answer", "prediction"):
        rows = [{"question_id": number, name: "x", "no_answer": None} for number in range(3)]
        assert outcome(rows, "error") == ("[(0, 'x'), (1, 'x'), (2, 'x')]", "{}", {})
