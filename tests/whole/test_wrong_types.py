"""Arguments of the wrong kind: every public function answers in words, never with an error from inside."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest

import fullmarks
from fullmarks.checks import check_kind, is_kind, is_nan
from fullmarks.qa import QABleu4Score, QAExactMatch, QAF1Score

RESULT = fullmarks.score("qa", [["a"], ["b"]], ["a", "x"])
TWO = {"first": RESULT, "second": RESULT}


def refused(call: Callable[[], Any], message: str, error: type[Exception] = fullmarks.UsageError) -> None:
    with pytest.raises(error, match=message) as caught:
        call()
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize("name", [None, 5, ["squad1"], b"squad1"])
def test_names_of_metrics_and_protocols_are_texts(name: Any) -> None:
    refused(lambda: fullmarks.load(name), "the name of a metric must be a text, found .*See: fullmarks list")
    for call in (fullmarks.score, fullmarks.validate, fullmarks.crosscheck):
        refused(lambda call=call: call(name, [["a"]], ["a"]), "the name of a protocol must be a text, found")  # type: ignore[misc]
    refused(lambda: fullmarks.explain(name, [["a"]], ["a"], id=0), "the name of a protocol must be a text, found")


@pytest.mark.parametrize("workers", ["2", 1.5, True, [2]])
def test_workers_are_a_whole_number(workers: Any) -> None:
    message = "workers must be a whole number or None, found"
    refused(lambda: fullmarks.score("qa", [["a"]], ["a"], workers=workers), message)


@pytest.mark.parametrize("value", [None, 1, b"a", b"\xff", bytearray(b"a"), ["b"]])
def test_the_plain_functions_take_texts(value: Any) -> None:
    refused(lambda: fullmarks.normalize_answer(value), "text must be a text, found")
    for call in (fullmarks.exact_match, fullmarks.token_f1):
        refused(lambda call=call: call(value, "a"), "prediction must be a text, found")  # type: ignore[misc]
        refused(lambda call=call: call("a", value), "reference must be a text, found")  # type: ignore[misc]


def test_lists_for_the_plain_functions_are_shown_the_way() -> None:
    refused(lambda: fullmarks.exact_match("a", ["b"]), r"found \['b'\]\. For lists of them use fullmarks\.load")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"level": "x"}, "level must be a number, found 'x'"),
        ({"level": None}, "level must be a number, found None"),
        ({"level": float("nan")}, "level must be a number, found nan"),
        ({"resamples": "x"}, "resamples must be a whole number, found 'x'"),
        ({"resamples": 10.0}, r"resamples must be a whole number, found 10\.0"),
        ({"seed": None}, "seed must be a whole number, found None"),
        ({"seed": 1.5}, r"seed must be a whole number, found 1\.5"),
        ({"cluster": ["topic"]}, r"cluster must be a text or None, found \['topic'\]"),
    ],
    ids=str,
)
def test_settings_of_resampling(settings: dict[str, Any], message: str) -> None:
    refused(lambda: fullmarks.Sampling(**settings), message)


def test_settings_of_resampling_may_be_numbers_of_numpy() -> None:
    ours = fullmarks.confidence(RESULT, fullmarks.Sampling(resamples=20, seed=3, level=0.5))
    settings: Any = {"resamples": numpy.int64(20), "seed": numpy.int32(3), "level": numpy.float32(0.5)}
    theirs = fullmarks.confidence(RESULT, fullmarks.Sampling(**settings))
    assert [(interval.low, interval.high) for interval in theirs.values()] == [
        (interval.low, interval.high) for interval in ours.values()
    ]


@pytest.mark.parametrize("value", ["run.json", None, 5])
def test_what_takes_results_takes_nothing_else(value: Any, tmp_path: Path) -> None:
    words = "must be a Result, found .*Give what fullmarks.score or fullmarks.load_run returned"
    refused(lambda: fullmarks.confidence(value), f"result {words}")
    refused(lambda: fullmarks.save_run(value, tmp_path / "run.json"), f"result {words}")
    if not isinstance(value, str):  # which would be the path of a saved run
        refused(lambda: fullmarks.compare({"a": RESULT, "b": value}), f"the run 'b' {words}")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("runs", [None, [RESULT, RESULT], RESULT, "run.json"], ids=["none", "list", "one", "text"])
def test_runs_to_compare_have_names(runs: Any) -> None:
    refused(lambda: fullmarks.compare(runs), "runs must be a dictionary of results by name, found")


def test_the_other_arguments_of_comparisons() -> None:
    wrong: Any = 5
    refused(lambda: fullmarks.confidence(RESULT, wrong), "sampling must be a Sampling, found 5")
    refused(lambda: fullmarks.compare(TWO, sampling=None), "sampling must be a Sampling, found None")  # type: ignore[arg-type]
    refused(lambda: fullmarks.compare(TWO, by=wrong), "by must be a column's name or a list of them, found 5")
    refused(lambda: fullmarks.compare(TWO, baseline=["first"]), "baseline must be a text or None")  # type: ignore[arg-type]


@pytest.mark.parametrize("path", [None, 5, b"x", io.StringIO()])
def test_a_run_is_saved_under_a_path(path: Any) -> None:
    refused(lambda: fullmarks.save_run(RESULT, path), "path must be the path of a file, found")


@pytest.mark.parametrize("name", ["token_f1", "fid"])
def test_a_scorer_merges_a_scorer(name: str) -> None:
    wrong: Any = 5
    refused(lambda: fullmarks.load(name).merge(wrong), r"what is merged must be a Scorer .*, found 5")


def test_sets_are_taken_in_whole_or_not_at_all() -> None:
    scorer = fullmarks.load("fid")
    for wrong in ("images.npz", 5, None):
        refused(
            lambda wrong=wrong: scorer.add_batch(predictions=["a.png"], references=wrong),  # type: ignore[misc]
            "references: expected a list",
            fullmarks.InputError,
        )
    assert scorer._ours == []  # type: ignore[attr-defined]
    wrong_set: Any = 5
    refused(lambda: scorer.compute(predictions=wrong_set, references=[]), "predictions must be a list of images")


class TestPublishedClasses:
    @pytest.mark.parametrize("metric", [QAExactMatch, QAF1Score, QABleu4Score])
    def test_nothing_at_all(self, metric: Any) -> None:
        for golds, predictions in ((None, None), ([["a"]], None), (None, ["a"]), (5, ["a"]), ([["a"]], "a")):
            calls: list[Any] = [metric().calculate_metric_scores]
            calls += [metric().calculate_corpus_bleu] if metric is QABleu4Score else []
            for call in calls:
                refused(
                    lambda call=call, golds=golds, given=predictions: call(golds, given),  # type: ignore[misc]
                    "(gold|predicted)_answers: expected a list, found",
                    fullmarks.InputError,
                )

    def test_gold_answers_that_are_no_list(self) -> None:
        wrong: Any = [["a"], 5]
        refused(
            lambda: QAF1Score().calculate_metric_scores(wrong, ["a", "b"]),
            r"gold_answers\[1\]: expected a list, found int",
            fullmarks.InputError,
        )

    def test_generators_and_arrays_are_lists(self) -> None:
        expected = QAF1Score().calculate_metric_scores([["x", "y"], ["b"]], ["y", "c"])
        golds: Any = [numpy.array(["x", "y"]), (text for text in "b")]
        assert QAF1Score().calculate_metric_scores((gold for gold in golds), iter(["y", "c"])) == expected  # type: ignore[arg-type]
        array: Any = numpy.array(["y", "c"])
        assert QAF1Score().calculate_metric_scores([["x", "y"], ["b"]], array) == expected


@pytest.mark.parametrize(
    ("kind", "those", "others"),
    [
        (str, ["", numpy.str_("a")], [None, b"", 1]),
        (bool, [True, False], [None, 0, 1, "no", 0.0]),
        (int, [0, -1, 10**400, numpy.int8(1), numpy.uint64(1)], [True, 1.0, "1", None, numpy.float64(1), numpy.True_]),
        (float, [0, 0.5, 10**400, float("inf"), numpy.float32(1), numpy.int64(1)], [True, "1", None, float("nan"), 1j]),
    ],
)
def test_kinds(kind: type, those: list[object], others: list[object]) -> None:
    assert [is_kind(value, kind) for value in those] == [True] * len(those)
    assert [is_kind(value, kind) for value in others] == [False] * len(others)


def test_nan_of_every_width() -> None:
    assert all(map(is_nan, [float("nan"), numpy.float64("nan"), numpy.float32("nan"), numpy.float16("nan")]))
    assert not any(map(is_nan, [0, 1.5, "nan", None, float("inf"), 10**400, numpy.float32(1), (float("nan"),)]))


@pytest.mark.parametrize(
    ("limits", "words"), [({"least": 0}, "of 0 or more"), ({"least": 1, "most": 16}, "from 1 to 16")], ids=str
)
def test_limits_are_told(limits: dict[str, int], words: str) -> None:
    check_kind("order", 1, int, **limits)  # type: ignore[arg-type]
    refused(lambda: check_kind("order", -1, int, **limits), f"order must be a whole number {words}, found -1")  # type: ignore[arg-type]


def test_a_long_value_is_told_by_its_type() -> None:
    refused(lambda: check_kind("order", list(range(1000)), int), "found a value of type list$")
