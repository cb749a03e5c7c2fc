"""DROP against the numbers of its published program and of two harnesses, and its fast path against the plain rule."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fullmarks
from fullmarks.errors import InputError, MismatchError
from fullmarks.protocols.drop.assignment import best_assignment
from fullmarks.protocols.drop.metric import SpanScores
from fullmarks.protocols.drop.rules import RECIPE, judge, slot_mean, two_digits
from fullmarks.testing import assert_official
from tests.hard_texts import PIECES
from tests.plain.drop import evaluate, get_metrics

SCIPY = "needs scipy: make install"


@pytest.fixture
def golden(golden_files: Path) -> Path:
    return golden_files / "drop"


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def listed(answer: str | list[str]) -> list[str]:
    return [answer] if isinstance(answer, str) else answer


def one_question(answer: Any, *validated: Any, **more: Any) -> dict[str, Any]:
    return {"p": {"qa_pairs": [{"query_id": "q", "answer": answer, "validated_answers": list(validated), **more}]}}


def test_every_golden_run(golden: Path) -> None:
    runs = read(golden / "expected.json")["runs"]
    assert len(runs) == 3
    for run in runs.values():
        result = assert_official("drop", golden / run["gold"], golden / run["predictions"], run["official"])
        assert result.official == run["official"]  # to the last digit
        printed = run["printed"].split("----\n")[1]
        assert printed_by_type(result) == printed


def printed_by_type(result: fullmarks.Result) -> str:
    """The lines that the program prints for each type: counts, and means with three digits."""
    lines = ""
    by_type: dict[Any, Any] = result.by("type")
    for kind in sorted(by_type):
        scores = by_type[kind]
        lines += f"{kind}: {scores['n']} ({100.0 * scores['n'] / result.n:.2f}%)\n"
        lines += f"  Exact-match accuracy {100.0 * scores['em']:.3f}\n  F1 score {100.0 * scores['f1']:.3f}\n"
    return lines


def test_every_golden_question_with_its_type(golden: Path) -> None:
    wanted = read(golden / "expected.json")["per_question"]
    result = fullmarks.score("drop", golden / "gold.json", golden / "predictions.json")
    found = {record["id"]: {key: record[key] for key in ("em", "f1", "type")} for record in result.per_example}
    assert found == wanted


def test_every_golden_answer_by_the_metric_alone(golden: Path) -> None:
    cases = read(golden / "answers.json")["cases"]
    assert len(cases) == 950
    scores = fullmarks.load("drop").metric.rows(
        fullmarks.types.Examples(
            range(len(cases)), [case["prediction"] for case in cases], [[case["gold"]] for case in cases]
        )
    )
    assert scores.tolist() == [case[key] for case in cases for key in ("em", "f1")]
    for case in cases:
        assert [RECIPE(text) for text in listed(case["prediction"])] == case["normal"]
        assert [RECIPE(text) for text in case["gold"]] == case["normal_gold"]
        judged = judge(listed(case["prediction"]), case["gold"])
        assert (judged.em, judged.f1) == (case["em"], case["f1"])


def test_lm_eval(golden: Path) -> None:
    document = read(golden / "variants.json")
    assert set(document["runs"]) == {"lm_eval", "lm_eval_without_stop_string"}
    for variant, wanted in document["runs"].items():
        gold, predictions = golden / "gold.json", golden / "predictions.json"
        result = assert_official("drop", gold, predictions, wanted, variant=variant)
        assert result.audit.findings["span-lists"].count == 272 - wanted["total"]
        found = {record["id"]: {"em": record["em"], "f1": record["f1"]} for record in result.per_example}
        assert found == {key: scores[variant] for key, scores in document["per_question"].items()}
        shown = fullmarks.crosscheck("drop", gold, predictions)
        rule = next(rule for rule in shown.rules if rule.name == f"variant {variant}")
        assert rule.scores == {"em": wanted["em"], "f1": wanted["f1"]}


def test_simple_evals(golden: Path) -> None:
    cases = read(golden / "answers_simple_evals.json")["cases"]
    pairs = [
        {
            "query_id": str(number),
            "answer": {"spans": case["references"][:1]},
            "validated_answers": [{"spans": [text]} for text in case["references"][1:]],
        }
        for number, case in enumerate(cases)
    ]
    given = {str(number): case["response"] for number, case in enumerate(cases)}
    result = fullmarks.score("drop", {"p": {"qa_pairs": pairs}}, given, variant="simple-evals")
    for case, record in zip(cases, result.per_example, strict=True):
        assert (record["em"], record["score"]) == (case["em"], case["score"])
        assert 100.0 * record["f1"] == pytest.approx(case["f1"], abs=1e-12)  # kept from 0 to 1
    wanted = {key: float(np.mean([case[key] for case in cases])) for key in ("em", "f1", "score")}
    assert_official("drop", {"p": {"qa_pairs": pairs}}, given, {**wanted, "total": 620}, variant="simple-evals")


def test_real_data(real_data: Path) -> None:
    folder = real_data / "drop"
    wanted = read(folder / "expected.json")
    result = assert_official("drop", folder / "gold.json", folder / "predictions.json", wanted["official"])
    assert printed_by_type(result) == wanted["stdout"].split("----\n")[1]
    metric = fullmarks.load("drop")
    for case in read(folder / "unit_test_pairs.json")["cases"]:
        found = metric.compute(predictions=[case["prediction"]], references=[[case["gold"]]])
        assert found == {"em": case["em"], "f1": case["f1"]}


# Given by drop_eval.py of allenai/allennlp-reading-comprehension 14fc0a42 (Python 3.11.7, NumPy 2.4.6, SciPy 1.17.1):
# prediction, gold, exact match, F1.
PAIRS: list[tuple[str | list[str], list[str], float, float]] = [
    ("10 yards", ["10"], 0.0, 0.67),
    ("11 yards", ["10 yards"], 0.0, 0.0),
    ("yards", ["5 10 yards"], 0.0, 0.0),
    ("10 5", ["5 yards"], 0.0, 0.5),
    (["a b", "a b", "c"], ["a b", "c", "c"], 1.0, 0.67),
    (["x", "y", "z"], ["x", "y"], 0.0, 0.67),
    ([], ["x"], 0.0, 0.0),
    ("the", ["a"], 1.0, 1.0),
    ("", ["-"], 1.0, 1.0),
    ("x", ["the"], 0.0, 0.0),
    (["x", ""], ["x"], 0.0, 0.5),
    ("x x y", ["x y y"], 0.0, 1.0),
    (["12", "May", "1998"], ["12 May 1998"], 0.0, 0.17),
    ("NaN", ["nan"], 1.0, 1.0),
    (["b c", "a b"], ["a b c", "b"], 1.0, 1.0),
]


@pytest.mark.parametrize(("prediction", "gold", "em", "f1"), PAIRS)
def test_pairs(prediction: str | list[str], gold: list[str], em: float, f1: float) -> None:
    assert fullmarks.load("drop").compute(predictions=[prediction], references=[[gold]]) == {"em": em, "f1": f1}


# The same program: mean over the slots, what it rounds to, what Python's round would give.
@pytest.mark.parametrize(("mean", "rounded"), [(0.025, 0.02), (0.075, 0.08), (0.175, 0.18), (0.225, 0.22)])
def test_two_digits_as_numpy_rounds(mean: float, rounded: float) -> None:
    assert two_digits(mean) == rounded == np.round(np.float64(mean), 2) != round(mean, 2)


DATE = {"day": "", "month": "May", "year": "1998"}


# The same program again: answer, validated answers, prediction, exact match, F1, type.
@pytest.mark.parametrize(
    ("answer", "validated", "prediction", "em", "f1", "kind"),
    [
        ({"number": "", "spans": [], "date": DATE}, [], "May 1998", 1.0, 1.0, "date"),
        ({"number": 0, "spans": ["x"], "date": {}}, [], "x", 1.0, 1.0, "span"),
        ({"number": "0", "spans": ["x"]}, [], "x", 0.0, 0.0, "number"),
        ({"number": 5}, [], "5", 1.0, 1.0, "number"),
        ({"spans": [" "]}, [{"spans": ["x"]}], "x", 1.0, 1.0, "span"),
        ({"spans": ["x"]}, [{"number": 5}], "q", 0.0, 0.0, "number"),
        ({"number": 5}, [{"spans": ["x"]}], "5", 1.0, 1.0, "number"),
        ({"spans": ["p q", "r", "r"]}, [{"spans": ["p q", "p q", "r t"]}], ["p q", "p q", "r"], 1.0, 0.89, "spans"),
        ({"number": 5}, [{"spans": ["5 x", "y"]}], "5 x", 0.0, 0.67, "number"),
        ({"spans": [" "]}, [], "x", 0.0, 0.0, None),
    ],
)
def test_questions(answer: Any, validated: list[Any], prediction: Any, em: float, f1: float, kind: str | None) -> None:
    result = fullmarks.score("drop", one_question(answer, *validated), {"q": prediction})
    assert result.official == {"global_em": em, "global_f1": f1}
    assert result.by("type") == {kind: {"em": em, "f1": f1, "n": 1}}
    assert ("blank-references" in result.audit.findings) == (kind is None)


def test_missing_extra_and_repeated() -> None:
    pairs = [{"query_id": "1", "answer": {"spans": ["x"]}}, {"query_id": "2", "answer": {"number": "5"}}]
    result = fullmarks.score("drop", {"p": {"qa_pairs": pairs}}, {"1": "x", "3": "y"})
    assert result.official == {"global_em": 0.5, "global_f1": 0.5}
    assert result.by("type")["number"] == {"em": 0.0, "f1": 0.0, "n": 1}
    assert {code: found.count for code, found in result.audit.findings.items()} == {
        "unknown-predictions": 1,
        "missing-predictions": 1,
    }
    twice = [{"query_id": "1", "answer": {"spans": ["x"]}}, {"query_id": "1", "answer": {"spans": ["y"]}}]
    result = fullmarks.score("drop", {"p": {"qa_pairs": twice}}, {"1": "x"})
    assert (result.official, result.n) == ({"global_em": 0.5, "global_f1": 0.5}, 2)
    assert result.audit.findings["repeated-questions"].level == "warning"


def test_an_empty_answer_counts_only_where_there_is_no_prediction() -> None:
    pairs = [{"query_id": "1", "answer": {}}, {"query_id": "2", "answer": {"spans": ["x"]}}]
    result = fullmarks.score("drop", {"p": {"qa_pairs": pairs}}, {"2": "x"})
    assert (result.official["global_em"], set(result.by("type"))) == (0.5, {"number", "span"})
    with pytest.raises(MismatchError, match="questions with an empty answer: 1"):
        fullmarks.score("drop", {"p": {"qa_pairs": pairs}}, {"1": "y", "2": "x"})


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ({"text": "x"}, "question 'q': an answer has neither a number, nor spans, nor a date .* it has 'text'"),
        ({"spans": [5]}, "question 'q': 'spans' must be a list of texts"),
        ({"spans": [], "date": {"day": "1"}}, "neither a number"),
        ("x", "an answer must be an object, found a string"),
    ],
)
def test_answers_that_cannot_be_read(answer: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        fullmarks.score("drop", one_question(answer), {"q": "x"})


@pytest.mark.parametrize("prediction", [5, {"answer": "x"}, ["x", 5], None])
def test_predictions_that_are_no_texts(prediction: Any) -> None:
    with pytest.raises(MismatchError, match="predictions that are not strings: 1"):
        fullmarks.score("drop", one_question({"spans": ["x"]}), {"q": prediction})


def test_tables_rows_and_columns(tmp_path: Path) -> None:
    table = [{"id": "1", "prediction": "10 yards", "references": ["10", "ten"], "kind": "a"}]
    assert fullmarks.score("drop", table, by="kind").official == {"global_em": 0.0, "global_f1": 0.67}
    with pytest.raises(InputError, match="there is no column 'type'"):
        fullmarks.score("drop", table, by="type")
    rows = [{"query_id": "q", "answer": ["x", "y"]}]
    result = fullmarks.score("drop", one_question({"spans": ["y", "x"]}), rows, by="passage")
    assert result.by("passage") == {"p": {"em": 1.0, "f1": 1.0, "n": 1}}
    path = tmp_path / "predictions.json"
    path.write_text('{"q": "x", "q": ["y", "x"]}', encoding="utf-8")
    result = fullmarks.score("drop", one_question({"spans": ["y", "x"]}), path)
    assert result.official["global_em"] == 1.0
    assert result.audit.findings["repeated-predictions"].level == "warning"


def test_a_run_with_lists_can_be_saved_and_compared(tmp_path: Path) -> None:
    from fullmarks.analysis.saved import read_run, save_run
    from fullmarks.readers.source import Source

    result = fullmarks.score("drop", one_question({"spans": ["y", "x"]}), {"q": ["x", "z"]})
    save_run(result, tmp_path / "run.json")
    again = read_run(Source(tmp_path / "run.json", "run"))
    assert (again.official, again.scores) == (result.official, result.scores)
    assert again.tally.examples.predictions == [["x", "z"]]


def test_explanations_align_spans() -> None:
    told = fullmarks.explain("drop", one_question({"spans": ["new york", "york"]}), {"q": ["york", "big"]}, id="q")
    met = [(row["gold span"], row["predicted span"], row["f1"]) for row in told.tables["aligned spans"]]
    assert met == [("new york", "big", 0.0), ("york", "york", 1.0)]
    assert told.scores == {"em": 0.0, "f1": 0.5}


def test_the_metric_wants_texts() -> None:
    metric = fullmarks.load("drop")
    for prediction, reference in ((5, "x"), (["x", None], "x"), ("x", []), ("x", {"a": 1})):
        with pytest.raises(InputError, match=r"\[0\]: expected"):
            metric.compute(predictions=[prediction], references=[[reference]])
    assert metric.compute(predictions=["x"], references=["x"]) == {"em": 1.0, "f1": 1.0}
    assert fullmarks.load("drop", skip_blank=True).compute(predictions=[""], references=[[""]]) == {
        "em": 0.0,
        "f1": 0.0,
    }
    assert fullmarks.load("drop", stop=".").compute(predictions=["x. y"], references=[["x"]]) == {"em": 1.0, "f1": 1.0}


@pytest.mark.parametrize("count", [500, pytest.param(3_000, marks=pytest.mark.deep)])
def test_assignments_are_those_of_scipy(count: int) -> None:
    """Of equal totals the same one: the order of additions shows in the last digit."""
    linear_sum_assignment = pytest.importorskip("scipy.optimize", reason=SCIPY).linear_sum_assignment
    source = random.Random(5)
    values = [0.0, 0.0, 1.0, 0.5, 2 / 3, 0.4, 0.8, 1 / 3, 0.25, 1 / 7]
    for _ in range(count):
        some = source.sample(values, source.randint(2, 6))
        rows, columns = source.randint(1, 7), source.randint(1, 7)
        gains = [[source.choice(some) for _ in range(columns)] for _ in range(rows)]
        wanted: list[int | None] = [None] * len(gains)
        for row, column in zip(*linear_sum_assignment(-np.array(gains)), strict=True):
            wanted[row] = int(column)
        assert best_assignment(gains) == wanted


def hard_spans(source: random.Random) -> list[str]:
    """Spans of few words, so that lists often share some."""
    words = [*source.choices(PIECES, k=2), "the", "5", "five", "5.0", "x", "y-z", "10"]
    return [
        " ".join(source.choices(words, k=source.choice((1, 1, 2, 3)))) for _ in range(source.choice((1, 1, 1, 2, 3)))
    ]


# At most 20,000 pairs: the plain rule takes NumPy and SciPy to each; 50,000 texts of the recipe are in test_recipes.
@pytest.mark.parametrize("count", [400, pytest.param(10_000, marks=pytest.mark.deep)])
def test_the_fast_path_is_the_plain_rule(count: int) -> None:
    pytest.importorskip("scipy", reason=SCIPY)
    source = random.Random(11)
    scorer = SpanScores()
    for number in range(count):
        prediction = hard_spans(source)
        golds = [hard_spans(source), source.sample(prediction, len(prediction)) + ["x"] * source.choice((0, 1))]
        found = scorer.every(prediction, golds, skip_blank=False)
        assert found == [get_metrics(prediction, gold) for gold in golds], (prediction, golds)
        best = scorer.best(prediction, golds, skip_blank=False)
        assert best == tuple(map(max, zip(*filter(None, found), strict=True)))
        if number % 25 == 0:
            judged = [judge(prediction, gold) for gold in golds]
            assert [(each.em, each.f1) for each in judged] == found


def test_slots_are_added_as_numpy_does() -> None:
    source = random.Random(2)
    for size in [*range(1, 40)] * 10:
        slots = source.choices((0.0, 1.0, 0.5, 2 / 3, 0.4, 1 / 3, 1 / 7), k=size)
        assert slot_mean(slots) == np.mean(slots), slots


@pytest.mark.parametrize("count", [30, pytest.param(300, marks=pytest.mark.deep)])
def test_long_lists_are_added_in_pairs(count: int) -> None:
    pytest.importorskip("scipy", reason=SCIPY)
    source = random.Random(3)
    for _ in range(count):
        prediction, gold = (
            [" ".join(source.choices("abcdxyz", k=3)) for _ in range(source.randint(6, 20))] for _ in "12"
        )
        assert SpanScores().every(prediction, [gold]) == [get_metrics(prediction, gold)]


def test_whole_sets_against_the_plain_program() -> None:
    pytest.importorskip("scipy", reason=SCIPY)
    source = random.Random(8)
    gold: dict[str, Any] = {}
    given: dict[str, Any] = {}
    for number in range(400):
        answers = [
            source.choice(({"number": "5"}, {"spans": hard_spans(source)}, {"number": "", "spans": [], "date": DATE}))
            for _ in range(source.choice((1, 2, 3)))
        ]
        pair = {"query_id": f"q{number}", "answer": answers[0], "validated_answers": answers[1:]}
        gold.setdefault(f"p{number // 7}", {"qa_pairs": []})["qa_pairs"].append(pair)
        if number % 9:
            spans = hard_spans(source)
            given[f"q{number}"] = spans if number % 2 else spans[0]
    wanted, types = evaluate(gold, given)
    result = assert_official("drop", gold, given, wanted)
    assert result.official == wanted
    assert result.tally.examples.columns["type"] == types


def test_ids_that_are_numbers_in_the_gold_alone_are_counted() -> None:
    gold = {"p": {"qa_pairs": [{"query_id": 1, "answer": {"spans": ["cat"]}, "validated_answers": []}]}}
    result = fullmarks.score("drop", gold, {"1": "cat"})
    assert result.official == {"global_em": 1.0, "global_f1": 1.0}  # the published program: 0.0
    assert result.audit.findings["ids-of-another-kind"].first_ids == ["1"]


def test_an_empty_validated_answer_is_an_error() -> None:
    """The published program stops there with a ValueError, if the question is predicted."""
    for empty in ({}, ""):
        with pytest.raises(InputError, match="question 'q': an answer"):
            fullmarks.score("drop", one_question({"spans": ["x"]}, empty), {"q": "x"})


def test_a_number_for_an_unknown_question_is_only_unknown() -> None:
    result = fullmarks.score("drop", one_question({"spans": ["x"]}), {"q": "x", "other": 5})
    assert result.official == {"global_em": 1.0, "global_f1": 1.0}
    assert list(result.audit.findings) == ["unknown-predictions"]
