"""The gate against an earlier run with its rows: chance does not fire it, a real loss does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import fullmarks
from fullmarks.analysis.gate import SURENESS, FailIfWorse, Rule, judge
from fullmarks.analysis.saved import save_run
from fullmarks.errors import UsageError
from fullmarks.result import Result

N = 200


def run(right: list[bool], name: str = "q", gold: str = "yes") -> Result:
    ids = [f"{name}{number}" for number in range(len(right))]
    rows = [
        {"id": key, "prediction": gold if is_right else "no", "references": [gold]}
        for key, is_right in zip(ids, right, strict=True)
    ]
    return fullmarks.score("squad2", rows)


def baseline(tmp_path: Path, right: list[bool]) -> str:
    path = tmp_path / "base.run.json"
    save_run(run(right), path)
    return str(path)


def verdict(path: str, right: list[bool], margin: float, rule: Rule = "evidence") -> tuple[bool, str]:
    (check,) = judge(run(right), [FailIfWorse(path, "f1", margin, rule)]).checks
    return check.passed, check.reason


def test_a_little_worse_by_chance_is_no_evidence(tmp_path: Path) -> None:
    path = baseline(tmp_path, [True] * 100 + [False] * 100)
    other = [True] * 98 + [False] * 100 + [True, False]
    assert verdict(path, other, 0.0, "points")[0] is False
    passed, reason = verdict(path, other, 0.0)
    assert passed
    assert "not shown to be worse by more than the margin 0.0; at 95% sureness the loss is at least -" in reason
    passed, reason = verdict(path, other, 0.0, "proof")
    assert not passed
    assert "not shown to be within the margin 0.0" in reason


def test_a_real_loss_fails(tmp_path: Path) -> None:
    path = baseline(tmp_path, [True] * 150 + [False] * 50)
    passed, reason = verdict(path, [True] * 110 + [False] * 90, 5.0)
    assert not passed
    assert "f1 55.0 against 75.0 before: worse by more than the margin 5.0" in reason


def test_a_large_margin_can_be_shown_to_be_kept(tmp_path: Path) -> None:
    path = baseline(tmp_path, [True] * 150 + [False] * 50)
    passed, reason = verdict(path, [True] * 149 + [False] * 51, 4.0, "proof")
    assert passed
    assert "shown to be within the margin 4.0" in reason


def test_other_questions_are_refused(tmp_path: Path) -> None:
    path = baseline(tmp_path, [True] * N)
    (check,) = judge(run([True] * N, "other"), [FailIfWorse(path, "f1", 1.0)]).checks
    assert not check.passed
    assert "200 questions of it are not in it" in check.reason
    (check,) = judge(run([True] * N, gold="no"), [FailIfWorse(path, "f1", 1.0)]).checks
    assert not check.passed
    assert "the gold answers of 200 questions differ" in check.reason


@pytest.mark.parametrize("rule", ["evidence", "proof", "points"])
def test_a_margin_that_lets_a_quarter_be_lost_is_questioned(rule: Rule, tmp_path: Path) -> None:
    path = baseline(tmp_path, [True] * N)
    with pytest.raises(UsageError, match=r"a margin of 50 lets 50% of the whole range be lost: .* Write 0\.5 for half"):
        verdict(path, [True] * N, 50.0, rule)


def test_without_rows_points_decide_and_say_so(tmp_path: Path) -> None:
    path = tmp_path / "official.json"
    path.write_text('{"f1": 50.0}')
    passed, reason = verdict(str(path), [True] * 99 + [False] * 101, 0.0)
    assert not passed
    assert "by points alone" in reason
    assert "fullmarks score ... -f full -o FILE" in reason
    passed, reason = verdict(str(path), [True] * 200, 0.0, "proof")
    assert not passed
    assert "nothing can be shown by examples" in reason


def test_a_number_of_some_examples_is_compared_by_points(tmp_path: Path) -> None:
    path = baseline(tmp_path, [True] * 100 + [False] * 100)
    (check,) = judge(run([True] * 99 + [False] * 101), [FailIfWorse(path, "HasAns_f1")]).checks
    assert not check.passed
    assert check.reason.endswith("by points alone: it is no score over all examples")


@pytest.mark.parametrize(("share", "kept"), [(0.5, 0.6), (0.8, 0.6), (0.95, 0.3)])
def test_equal_systems_fire_it_in_at_most_5_percent(share: float, kept: float) -> None:
    """2,000 pairs of equal systems of 500 questions, of which a part has the same answer from both."""
    from fullmarks.stats.score_intervals import tango_interval

    random = np.random.default_rng(17)
    alarms = 0
    for _ in range(2000):
        old = random.random((500, 1)) < share
        new = np.where(random.random((500, 1)) < kept, old, random.random((500, 1)) < share)
        interval = tango_interval(new.astype(float), old.astype(float), 2 * SURENESS - 1)
        alarms += interval.high < 0
    # The nominal rate is 5 %; two standard errors of 2,000 rounds are 1 %.
    assert alarms / 2000 <= 0.06
