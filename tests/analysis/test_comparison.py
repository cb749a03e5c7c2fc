"""What programs read: the JSON of a comparison by key and value."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import pytest

import fullmarks
from fullmarks.analysis.compare import compare
from fullmarks.analysis.intervals import Sampling

SAMPLING = Sampling(level=0.9, resamples=200, seed=3)
OLD = [False] * 5 + [True] * 5
NEW = [True] * 5 + [True] * 4 + [False]


def run(right: list[bool]) -> fullmarks.Result:
    gold = [{"id": f"q{at}", "references": ["yes"], "kind": "even" if at % 2 == 0 else "odd"} for at in range(10)]
    answers = [{"id": f"q{at}", "prediction": "yes" if is_right else "no"} for at, is_right in enumerate(right)]
    return fullmarks.score("squad2", gold, answers, by=("kind",))


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return compare({"old": run(OLD), "new": run(NEW)}, sampling=SAMPLING).to_dict(examples=2)


def test_the_keys_of_a_comparison(document: dict[str, Any]) -> None:
    assert list(document) == [
        *("protocol", "baseline", "systems", "main_score", "scale", "n", "sampling", "signatures", "scores"),
        *(
            "intervals",
            "differences",
            "slices",
            "slice_level",
            "ranks",
            "equivalence",
            "changes",
            "left_out",
            "warnings",
            "notes",
            "test_notes",
        ),
    ]
    assert (document["protocol"], document["baseline"], document["systems"]) == ("squad2", "old", ["new"])
    assert (document["main_score"], document["scale"], document["n"]) == ("exact", 100.0, 10)
    assert document["sampling"] == asdict(SAMPLING)
    assert {key: document["sampling"][key] for key in ("level", "resamples", "seed")} == {
        "level": 0.9,
        "resamples": 200,
        "seed": 3,
    }
    assert document["scores"] == {"old": {"exact": 0.5, "f1": 0.5}, "new": {"exact": 0.9, "f1": 0.9}}
    assert set(document["intervals"]) == set(document["signatures"]) == {"old", "new"}
    assert set(document["intervals"]["new"]) == {"exact", "f1"}
    assert set(document["intervals"]["new"]["exact"]) == {
        *("low", "high", "standard_error", "method", "units", "note"),
    }
    json.dumps(document)


def test_the_keys_of_a_difference(document: dict[str, Any]) -> None:
    exact = document["differences"][0]
    assert list(exact) == [
        *("system", "score", "value_system", "value_baseline", "difference", "interval", "p_permutation"),
        *("permutation_method", "permutation_at_floor", "p_holm", "counted", "p_bootstrap", "p_mcnemar"),
        *("equivalent_within", "p_equivalence", "effect", "wins", "losses", "ties", "n"),
    ]
    assert (exact["system"], exact["score"], exact["permutation_method"]) == ("new", "exact", "exact")
    assert (exact["value_system"], exact["value_baseline"]) == (0.9, 0.5)
    assert exact["difference"] == pytest.approx(0.4)
    assert exact["p_permutation"] == exact["p_mcnemar"] == pytest.approx(14 / 64)
    assert exact["p_holm"] == pytest.approx(28 / 64)
    assert set(exact["effect"]) == {"name", "value", "odds_ratio"}
    assert exact["effect"]["value"] == pytest.approx(5 / 6 - 0.5)
    assert exact["effect"]["odds_ratio"] == 5.0
    assert (exact["wins"], exact["losses"], exact["ties"], exact["n"]) == (5, 1, 4, 10)
    assert exact["interval"]["low"] <= 0.4 <= exact["interval"]["high"]


def test_an_infinite_ratio_is_null() -> None:
    better = compare({"old": run(OLD), "new": run([True] * 10)}, sampling=SAMPLING).to_dict()
    assert better["differences"][0]["effect"]["odds_ratio"] is None
    assert "Infinity" not in json.dumps(better)


def test_the_keys_of_slices_and_changes(document: dict[str, Any]) -> None:
    assert [(each["column"], each["value"], each["n"]) for each in document["slices"]] == [
        ("kind", "even", 5),
        ("kind", "odd", 5),
    ]
    assert list(document["slices"][0])[:4] == ["system", "score", "column", "value"]
    (changes,) = document["changes"]
    assert (changes["system"], changes["fixed"]["count"], changes["broken"]["count"]) == ("new", 5, 1)
    assert [each["id"] for each in changes["fixed"]["examples"]] == ["q0", "q1"]
    assert changes["broken"]["examples"] == [
        {
            "id": "q9",
            "references": ["yes"],
            "baseline_prediction": "yes",
            "system_prediction": "no",
            "baseline_score": 1.0,
            "system_score": 0.0,
        }
    ]
