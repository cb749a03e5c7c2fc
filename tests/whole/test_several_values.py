"""Columns in which an example has several values: it counts for each of them, everywhere."""

from __future__ import annotations

import json
from array import array
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import fullmarks
from fullmarks.analysis.saved import load_run, save_run
from fullmarks.checks import each_label, has_several
from fullmarks.errors import UsageError
from fullmarks.metrics.answers import ExactMatch
from fullmarks.metrics.tally import Tally
from fullmarks.stats.slices import slice_scores
from fullmarks.types import Examples

SKILLS = ["x", ("x", "y"), (), ("y", "y"), None]


def tally(values):
    examples = Examples(range(5), ["a", "a", "b", "a", "b"], [["a"]] * 5, {"skills": values})
    made = Tally([ExactMatch()], ("skills",))
    made.add(examples, (ExactMatch().rows(examples),))
    return made


def test_an_example_counts_for_each_of_its_values():
    found = {label: (totals[0].n, totals[0].sums) for label, totals in tally(SKILLS).by("skills").items()}
    assert found == {"x": (2, (2.0,)), "y": (2, (2.0,)), None: (1, (0.0,))}


def test_asking_for_other_columns_changes_nothing():
    made = tally(SKILLS)
    made.examples.columns["other"] = list("ababa")
    before = made.slice_columns
    assert set(made.by("other")) == {"a", "b"}
    assert made.slice_columns == before == ("skills",)


def test_positions_and_labels():
    assert each_label(SKILLS) == ([0, 1, 1, 3, 4], ["x", "x", "y", "y", None])
    assert has_several(SKILLS)
    assert not has_several(["x", None, 1])


def test_slices_of_the_statistics():
    rows = np.array([[1.0], [1.0], [0.0], [1.0], [0.0]])
    found = {each.label: (each.examples, each.scores) for each in slice_scores(rows, SKILLS, resamples=100)}
    assert found == {"x": (2, (1.0,)), "y": (2, (1.0,)), None: (1, (0.0,))}


@pytest.fixture
def result(monkeypatch):
    """A run of a protocol whose column holds several values."""
    from fullmarks.protocols import PROTOCOLS
    from fullmarks.protocols.qa.protocol import Qa

    @dataclass(frozen=True, kw_only=True)
    class Skilled(Qa):
        name: ClassVar[str] = "skilled"
        slices: ClassVar[tuple[str, ...]] = ("skills",)

        def read(self, gold, predictions, audit, by=()):
            for examples in super().read(gold, predictions, audit, ()):
                examples.columns["skills"] = [("x", "y") if at % 2 else ("x",) for at in range(len(examples))]
                yield examples

    monkeypatch.setitem(PROTOCOLS.__dict__, "_registered", {})
    monkeypatch.setattr(PROTOCOLS, "get", lambda name: Skilled)
    rows = [{"id": str(at), "prediction": "a" if at % 3 else "b", "references": ["a"]} for at in range(12)]
    return fullmarks.score("skilled", rows, by="skills")


def test_results_and_saved_runs_know_several_values(result, tmp_path):
    assert {label: scores["n"] for label, scores in result.by("skills").items()} == {"x": 12, "y": 6}
    save_run(result, tmp_path / "run.json")
    assert json.loads((tmp_path / "run.json").read_text())["examples"]["columns"]["skills"][1] == ["x", "y"]
    assert load_run(tmp_path / "run.json").by("skills") == result.by("skills")


def test_comparisons_slice_by_them_but_do_not_cluster(result):
    compared = fullmarks.compare({"one": result, "two": result}, sampling=fullmarks.Sampling(resamples=200))
    assert {each.value for each in compared.slices} == {"x", "y"}
    with pytest.raises(UsageError, match="cannot be sliced or clustered"):
        fullmarks.confidence(result, fullmarks.Sampling(cluster="skills"))


def test_a_sum_over_no_example_is_nothing():
    made = Tally([ExactMatch()], ("skills",))
    made.add(Examples(range(1), ["a"], [["a"]], {"skills": [()]}), (array("d", [1.0]),))
    assert made.by("skills") == {}
