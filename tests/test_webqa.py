"""The functions of `fullmarks.webqa`: published names, published calls, golden numbers."""

from __future__ import annotations

import csv
import inspect
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.protocols.webqa.rules import CATEGORIES, JUDGED_BY_F1
from fullmarks.webqa import (
    _webqa_acc_approx,
    acc_approx,
    color_set,
    detectNum,
    normalize_text,
    shape_set,
    webqa_metrics_approx,
    yesno_set,
)


def golden_rows(golden_files: Path) -> list[tuple[str, str, str, dict[str, Any]]]:
    """Candidate, keywords, category and what the published program found."""
    folder = golden_files / "webqa"
    with (folder / "outputs.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["rows"]
    return [
        (json.loads(row["Output"])[0], row["Keywords_A"], row["Qcate"], found)
        for row, found in zip(rows, expected, strict=True)
    ]


def test_golden_recall_and_precision_under_every_category(golden_files: Path) -> None:
    """The published precision and recall do not depend on smoothing: F1 without it follows from them."""
    pytest.importorskip("spacy", reason="spaCy is not installed")
    seen: Counter[str] = Counter()
    for candidate, keywords, category, found in golden_rows(golden_files):
        precision, recall = found["PR"], found["RE"]
        f1 = 2 * precision * recall / (precision + recall) if precision else 0.0
        expected = f1 if category in JUDGED_BY_F1 else recall
        seen[category] += 1
        if seen[category] <= 12:  # texts one by one are slow; the metric has all rows in tests/protocols/test_webqa.py
            assert webqa_metrics_approx(candidate, keywords, category) == {"acc_approx": expected}
    assert set(seen) == set(CATEGORIES)
    assert min(seen.values()) >= 12


def test_the_published_call() -> None:
    parameters = list(inspect.signature(webqa_metrics_approx).parameters.values())
    assert [(each.name, each.default) for each in parameters[:3]] == [
        ("prediction", inspect.Parameter.empty),
        ("ground_truth", inspect.Parameter.empty),
        ("Qcate", "text"),
    ]
    two_of_three = webqa_metrics_approx("red cars", "red cars here", spacy_model="simple")
    assert two_of_three == {"acc_approx": 2 / 3}
    assert acc_approx("red cars", "red cars here", "text", spacy_model="simple") == 2 / 3
    assert webqa_metrics_approx("red car", "a red one", Qcate="color", spacy_model="simple") == {"acc_approx": 1.0}


def test_what_cannot_be_scored_is_said() -> None:
    known = "color, shape, YesNo, number, choose, Others, text"
    with pytest.raises(fullmarks.UsageError, match=f"Qcate must be one of {known}, found 'colour'"):
        webqa_metrics_approx("red", "red", "colour")
    with pytest.raises(fullmarks.UsageError, match="prediction must be a text, found None"):
        webqa_metrics_approx(None, "red")  # type: ignore[arg-type]
    with pytest.raises(fullmarks.UsageError, match="ground_truth must be a text, found"):
        webqa_metrics_approx("red", ["red"])  # type: ignore[arg-type]


def test_the_helpers_of_the_description() -> None:
    """Everything that the published description's code calls, under its name."""
    assert (len(color_set), len(shape_set), yesno_set) == (36, 69, {"yes", "no"})
    assert {"redorange", "spot"} <= color_set
    assert {"xs", "torus"} <= shape_set
    assert detectNum(["2", "of", "007", "-3", "1.5"]) == ["2", "7", "-3"]
    assert normalize_text("The two dogs, 1.5 m.", spacy_model="simple") == "2 dog 1.5 m"
    names = list(inspect.signature(_webqa_acc_approx).parameters)
    assert names[:3] == ["predction", "ground_truth", "domain"]


@pytest.mark.parametrize(
    ("prediction", "truth", "domain", "found"),
    [
        ("red cars", "red cars here", None, (0.8, 2 / 3, 1.0)),
        ("a red and blue car", "red", {"red", "blue"}, (2 / 3, 1.0, 0.5)),
        ("two or 3", "3", {"NUMBER"}, (2 / 3, 1.0, 0.5)),
        ("no", "yes", {"yes", "no"}, (0.0, 0.0, 0.0)),
        ("", "", None, (0.0, 0.0, 0.0)),
    ],
)
def test_f1_recall_and_precision(prediction: str, truth: str, domain: Any, found: tuple[float, ...]) -> None:
    assert _webqa_acc_approx(prediction, truth, domain, spacy_model="simple") == pytest.approx(found, rel=1e-15)


def test_the_description_is_made_of_its_helpers() -> None:
    domains = {"color": color_set, "shape": shape_set, "YesNo": yesno_set, "number": {"NUMBER"}}
    texts = ("Yes, two red stars.", "No, it is 2 blue rings and a red one.", "one", "")
    for category in CATEGORIES:
        for prediction in texts:
            for truth in texts:
                f1, recall, _ = _webqa_acc_approx(prediction, truth, domains.get(category), spacy_model="simple")
                wanted = {"acc_approx": f1 if category in JUDGED_BY_F1 else recall}
                assert webqa_metrics_approx(prediction, truth, category, spacy_model="simple") == wanted
