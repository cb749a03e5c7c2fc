"""A gate lets through what meets its conditions, nothing that is partial, and no loss that chance does not explain."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import fullmarks
from fullmarks.analysis.gate import (
    SURENESS,
    Bound,
    FailIfWorse,
    Rule,
    judge,
    parse_bound,
    parse_fail_if_worse,
    partial_reason,
    read_baseline,
)
from fullmarks.analysis.saved import save_run
from fullmarks.errors import InputError, UsageError
from fullmarks.metrics.squad import SquadScores
from fullmarks.report.documents import full_json, official_json
from fullmarks.result import Result

GOLD = [{"id": number, "references": ["yes"]} for number in range(10)]


def run(right, gold=GOLD, **options):
    answers = [{"id": number, "prediction": "yes" if number < right else "no"} for number in range(len(gold))]
    return fullmarks.score(options.pop("protocol", "squad2"), gold, answers, **options)


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("f1=80", Bound("f1", 80.0)),
        (" f1 =8e1", Bound("f1", 80.0)),
        ("perAnswerType.yes/no=-1.5", Bound("perAnswerType.yes/no", -1.5)),
        ("perQuestionType.is a = b=3", Bound("perQuestionType.is a = b", 3.0)),
    ],
)
def test_bounds_are_parsed(text, condition):
    assert parse_bound(text) == condition


@pytest.mark.parametrize("text", ["f1", "f1=", "=80", "f1=eighty", "f1=nan", "f1=inf", ""])
def test_bad_bounds(text):
    with pytest.raises(UsageError, match="expected NAME=NUMBER, as in f1=80, found"):
        parse_bound(text)


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("base.json:f1:0.5", FailIfWorse("base.json", "f1", 0.5)),
        ("base.json:f1", FailIfWorse("base.json", "f1", 0.0)),
        (r"C:\runs\base.json:f1", FailIfWorse(r"C:\runs\base.json", "f1", 0.0)),
        (r"C:\runs\base.json:f1:1", FailIfWorse(r"C:\runs\base.json", "f1", 1.0)),
    ],
)
def test_baselines_are_parsed(text, condition):
    assert parse_fail_if_worse(text) == condition


@pytest.mark.parametrize("text", ["base.json", ":f1", "base.json:", "base.json:f1:-1", ""])
def test_bad_baselines(text):
    with pytest.raises(UsageError, match="expected FILE:NAME or FILE:NAME:MARGIN"):
        parse_fail_if_worse(text)


def test_a_bad_baseline_is_shown_whole():
    with pytest.raises(UsageError, match=r"found 'base\.json:f1:-1'$"):
        parse_fail_if_worse("base.json:f1:-1")


@pytest.mark.parametrize(
    ("condition", "shown"),
    [
        (Bound("f1", 80.1234567), "f1 >= 80.1234567"),
        (Bound("f1", 80.0, at_least=False), "f1 <= 80"),
        (Bound("f1", 0.1), "f1 >= 0.1"),
        (FailIfWorse("b.json", "f1", 0.1234567), "f1 no worse than b.json by more than 0.1234567"),
        (FailIfWorse("b.json", "f1"), "f1 no worse than b.json by more than 0"),
    ],
)
def test_conditions_show_their_numbers_as_given(condition, shown):
    assert str(condition) == shown


@pytest.mark.parametrize(("bound", "passed"), [(79.0, True), (80.0, True), (80.1, False)])
def test_bounds_are_in_the_official_scale(bound, passed):
    verdict = judge(run(8), [Bound("f1", bound)])
    assert verdict.passed is passed
    assert bool(verdict.reasons) is not passed


def test_upper_bounds():
    assert judge(run(8), [Bound("f1", 80.0, at_least=False)]).passed
    verdict = judge(run(8), [Bound("f1", 79.0, at_least=False)])
    assert verdict.reasons == ["not met: f1 <= 79: f1 80.0 is over 79.0"]


def test_all_conditions_are_reported():
    verdict = judge(run(8), [Bound("f1", 90.0), Bound("exact", 70.0)])
    assert [check.passed for check in verdict.checks] == [False, True]
    assert verdict.reasons == ["not met: f1 >= 90: f1 80.0 is under 90.0"]


@pytest.mark.parametrize(
    ("bound", "brief"),
    [
        (Bound("f1", 80.0), "f1 80.00 meets 80 exactly"),
        (Bound("f1", 79.996), "f1 80.000 meets 79.996 by 0.004"),
        (Bound("f1", 92.5), "f1 80.00 is under 92.5 by 12.50"),
        (Bound("f1", 79.0, at_least=False), "f1 80.00 is over 79 by 1.00"),
        (Bound("total", 10.0), "total 10 meets 10 exactly"),
        (Bound("total", 12.0), "total 10 is under 12 by 2"),
    ],
)
def test_people_see_number_bound_and_distance(bound, brief):
    (check,) = judge(run(8), [bound]).checks
    assert check.brief == brief
    assert str(check) == f"{'met' if check.passed else 'not met'}: {bound}: {brief}"


def test_an_undefined_number_meets_no_bound():
    check = Bound("f1", 0.0).check({"f1": math.nan}, run(8))
    assert (check.passed, check.brief) == (False, "f1 is undefined, which meets no bound")


def test_the_last_line_is_the_verdict():
    assert judge(run(8), [Bound("f1", 90.0)]).lines == ["gate: not met: f1 >= 90: f1 80.00 is under 90 by 10.00"]
    assert judge(run(8), [Bound("f1", 90.0), Bound("exact", 70.0)]).lines == [
        "met: exact >= 70: exact 80.00 meets 70 by 10.00",
        "not met: f1 >= 90: f1 80.00 is under 90 by 10.00",
        "gate: not met: 1 of 2 conditions",
    ]


def test_unknown_names_are_errors_not_passes():
    with pytest.raises(UsageError, match=r"squad2 has no number 'exakt'\. Did you mean 'exact'\? It has exact, f1"):
        judge(run(8), [Bound("exakt", 1.0)])


def test_nested_official_numbers():
    gold = [{"question_id": 1, "references": ["yes"] * 10, "answer_type": "yes/no"}]
    result = fullmarks.score("vqa", gold, [{"question_id": 1, "answer": "yes"}])
    assert judge(result, [Bound("overall", 100.0), Bound("perAnswerType.yes/no", 100.0)]).passed


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"limit": 10}, "only the first 10 questions were to be scored (--limit)"),
        ({"limit": 3}, "only the first 3 questions were to be scored (--limit)"),
    ],
)
def test_limited_runs_never_pass(options, reason):
    verdict = judge(run(10, **options), [Bound("f1", 0.0)])
    assert not verdict.passed
    assert verdict.reasons == [f"not met: f1 >= 0: the run is partial: {reason}"]


def test_skipped_questions_never_pass():
    answers = [{"id": number, "prediction": "yes"} for number in range(9)]
    skipped = fullmarks.score("squad2", GOLD, answers, on_missing="skip")
    assert skipped.official["f1"] == 100.0
    assert partial_reason(skipped) == "1 of 10 questions were left out (--on-missing skip)"
    assert not judge(skipped, [Bound("f1", 50.0)]).passed
    counted = fullmarks.score("squad2", GOLD, answers, on_missing="zero")
    assert partial_reason(counted) == ""
    assert judge(counted, [Bound("f1", 90.0)]).passed


def test_empty_runs_are_errors():
    with pytest.raises(InputError):
        fullmarks.score("squad2", GOLD, [], on_missing="skip")
    with pytest.raises(InputError):
        fullmarks.score("squad2", [], [])


def write(kind, result, path):
    if kind == "run":
        save_run(result, path)
    else:
        path.write_text(full_json(result) if kind == "full" else official_json(result))


@pytest.mark.parametrize("kind", ["run", "full", "official"])
@pytest.mark.parametrize(
    ("right", "margin", "passed"), [(8, 0.0, True), (9, 0.0, True), (7, 10.0, True), (7, 9.9, False)]
)
def test_earlier_results_in_every_form(kind, right, margin, passed, tmp_path):
    path = tmp_path / "base.json"
    write(kind, run(8), path)
    verdict = judge(run(right), [FailIfWorse(str(path), "f1", margin, "points")])
    assert verdict.passed is passed
    if not passed:
        (reason,) = verdict.reasons
        assert reason.endswith("f1 70.0 against 80.0 before: worse by more than the margin 9.9")


def test_of_some_numbers_less_is_better(tmp_path, monkeypatch):
    monkeypatch.setattr(SquadScores, "less_is_better", ("images.fid",))
    (tmp_path / "base.json").write_text('{"images": {"fid": 30.0}}')
    condition = FailIfWorse(str(tmp_path / "base.json"), "images.fid", 1.0)
    result = run(8)
    assert condition.check({"images.fid": 31.0}, result).passed
    assert not condition.check({"images.fid": 31.1}, result).passed
    assert condition.check({"images.fid": 3.0}, result).passed


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (lambda: run(8, GOLD[:8]), "it scored 8 examples, this run 10"),
        (lambda: run(8, protocol="squad1"), "it was scored by squad1, this run by squad2"),
        (
            lambda: run(8, on_missing="zero"),
            "it was scored by other rules: squad2|norm:squad|variant:script|missing:zero",
        ),
    ],
)
def test_what_cannot_be_compared_does_not_pass(other, reason, tmp_path):
    save_run(other(), tmp_path / "base.json")
    verdict = judge(run(10), [FailIfWorse(str(tmp_path / "base.json"), "f1", 100.0)])
    assert not verdict.passed
    assert reason in verdict.reasons[0]


def test_a_number_that_the_earlier_result_lacks(tmp_path):
    (tmp_path / "base.json").write_text('{"exact": 1.0}')
    verdict = judge(run(10), [FailIfWorse(str(tmp_path / "base.json"), "f1")])
    assert verdict.reasons[0].endswith("base.json has no number 'f1'")


@pytest.mark.parametrize(
    ("content", "message"), [("[]", "as a JSON object"), ("{}", "no number"), ("{", "not valid JSON")]
)
def test_unusable_baselines(content, message, tmp_path):
    (tmp_path / "base.json").write_text(content)
    with pytest.raises(InputError, match=message):
        read_baseline(tmp_path / "base.json")
    with pytest.raises(InputError, match="no such file"):
        read_baseline(tmp_path / "absent.json")


@pytest.mark.parametrize(
    ("entry", "value", "message"),
    [
        ("signature", 5, "'signature' must be a string, found a number"),
        ("signature", ["x"], "'signature' must be a string, found a list"),
        ("n", "10", "'n' must be a whole number, found a string"),
        ("n", True, "'n' must be a whole number, found true or false"),
        ("n", 10.0, "'n' must be a whole number, found a number"),
        ("protocol", 5, "'protocol' must be a string, found a number"),
    ],
)
def test_baselines_with_facts_of_the_wrong_kind(entry, value, message, tmp_path):
    document = {**json.loads(full_json(run(8))), entry: value}
    (tmp_path / "base.json").write_text(json.dumps(document))
    with pytest.raises(InputError, match=rf"base\.json: {message}"):
        judge(run(10), [FailIfWorse(str(tmp_path / "base.json"), "f1")])


@pytest.mark.parametrize("facts", ["", '"protocol": "squad2", "official": '])
@pytest.mark.parametrize(
    ("number", "found"),
    [
        ("NaN", "nan"),
        ("Infinity", "inf"),
        ("-Infinity", "-inf"),
        ("1e999", "inf"),
        ("9" * 400, "a number that is too large"),
    ],
)
def test_baselines_that_are_no_finite_number(number, found, facts, tmp_path):
    content = f'{{{facts}{{"f1": {number}}}}}' if facts else f'{{"f1": {number}}}'
    (tmp_path / "base.json").write_text(content)
    with pytest.raises(InputError, match=rf"base\.json: 'f1' must be a finite number, found {found}"):
        judge(run(10), [FailIfWorse(str(tmp_path / "base.json"), "f1")])


def test_a_saved_run_whose_official_number_was_changed_is_no_baseline(tmp_path):
    path = tmp_path / "base.run.json"
    save_run(run(9), path)
    path.write_text(path.read_text().replace('"f1":90.0', '"f1":0.0', 1))
    with pytest.raises(InputError, match=r"base\.run\.json: the saved run is damaged: the official 'f1' is 0\.0"):
        judge(run(8), [FailIfWorse(str(path), "f1")])


def test_baseline_as_object():
    assert read_baseline(json.loads(official_json(run(8)))).numbers["f1"] == 80.0


N = 200


def run_of(right: list[bool], name: str = "q", gold: str = "yes") -> Result:
    ids = [f"{name}{number}" for number in range(len(right))]
    rows = [
        {"id": key, "prediction": gold if is_right else "no", "references": [gold]}
        for key, is_right in zip(ids, right, strict=True)
    ]
    return fullmarks.score("squad2", rows)


def baseline(tmp_path: Path, right: list[bool]) -> str:
    path = tmp_path / "base.run.json"
    save_run(run_of(right), path)
    return str(path)


def verdict_on(path: str, right: list[bool], margin: float, rule: Rule = "evidence") -> tuple[bool, str]:
    (check,) = judge(run_of(right), [FailIfWorse(path, "f1", margin, rule)]).checks
    return check.passed, check.reason


def test_a_little_worse_by_chance_is_no_evidence(tmp_path: Path) -> None:
    path = baseline(tmp_path, [True] * 100 + [False] * 100)
    other = [True] * 98 + [False] * 100 + [True, False]
    assert verdict_on(path, other, 0.0, "points")[0] is False
    passed, reason = verdict_on(path, other, 0.0)
    assert passed
    assert "not shown to be worse by more than the margin 0.0; at 95% sureness the loss is at least -" in reason
    passed, reason = verdict_on(path, other, 0.0, "proof")
    assert not passed
    assert "not shown to be within the margin 0.0" in reason


def test_a_real_loss_fails(tmp_path: Path) -> None:
    path = baseline(tmp_path, [True] * 150 + [False] * 50)
    passed, reason = verdict_on(path, [True] * 110 + [False] * 90, 5.0)
    assert not passed
    assert "f1 55.0 against 75.0 before: worse by more than the margin 5.0" in reason


def test_a_large_margin_can_be_shown_to_be_kept(tmp_path: Path) -> None:
    path = baseline(tmp_path, [True] * 150 + [False] * 50)
    passed, reason = verdict_on(path, [True] * 149 + [False] * 51, 4.0, "proof")
    assert passed
    assert "shown to be within the margin 4.0" in reason


def test_other_questions_are_refused(tmp_path: Path) -> None:
    path = baseline(tmp_path, [True] * N)
    (check,) = judge(run_of([True] * N, "other"), [FailIfWorse(path, "f1", 1.0)]).checks
    assert not check.passed
    assert "200 questions of it are not in it" in check.reason
    (check,) = judge(run_of([True] * N, gold="no"), [FailIfWorse(path, "f1", 1.0)]).checks
    assert not check.passed
    assert "the gold answers of 200 questions differ" in check.reason


@pytest.mark.parametrize("rule", ["evidence", "proof", "points"])
def test_a_margin_that_lets_a_quarter_be_lost_is_questioned(rule: Rule, tmp_path: Path) -> None:
    path = baseline(tmp_path, [True] * N)
    with pytest.raises(UsageError, match=r"a margin of 50 lets 50% of the whole range be lost: .* Write 0\.5 for half"):
        verdict_on(path, [True] * N, 50.0, rule)


def test_without_rows_points_decide_and_say_so(tmp_path: Path) -> None:
    path = tmp_path / "official.json"
    path.write_text('{"f1": 50.0}')
    passed, reason = verdict_on(str(path), [True] * 99 + [False] * 101, 0.0)
    assert not passed
    assert "by points alone" in reason
    assert "fullmarks score ... -f full -o FILE" in reason
    passed, reason = verdict_on(str(path), [True] * 200, 0.0, "proof")
    assert not passed
    assert "nothing can be shown by examples" in reason


def test_a_number_of_some_examples_is_compared_by_points(tmp_path: Path) -> None:
    path = baseline(tmp_path, [True] * 100 + [False] * 100)
    (check,) = judge(run_of([True] * 99 + [False] * 101), [FailIfWorse(path, "HasAns_f1")]).checks
    assert not check.passed
    assert check.reason.endswith("by points alone: it is no score over all examples")


# The nominal rate is 5 %; two standard errors of 2,000 rounds are 1 %, three of 250 are 4.1 %.
@pytest.mark.parametrize(("rounds", "most"), [(250, 0.091), pytest.param(2000, 0.06, marks=pytest.mark.deep)])
@pytest.mark.parametrize(("share", "kept"), [(0.5, 0.6), (0.8, 0.6), (0.95, 0.3)])
def test_equal_systems_fire_it_in_at_most_5_percent(share: float, kept: float, rounds: int, most: float) -> None:
    """Pairs of equal systems of 500 questions, of which a part has the same answer from both."""
    from fullmarks.stats.score_intervals import tango_interval

    random = np.random.default_rng(17)
    alarms = 0
    for _ in range(rounds):
        old = random.random((500, 1)) < share
        new = np.where(random.random((500, 1)) < kept, old, random.random((500, 1)) < share)
        interval = tango_interval(new.astype(float), old.astype(float), 2 * SURENESS - 1)
        alarms += interval.high < 0
    assert alarms / rounds <= most
