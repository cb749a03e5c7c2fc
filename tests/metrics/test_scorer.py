"""A metric in use: options, columns, batches, and what it refuses."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy
import pytest

import fullmarks
from fullmarks.errors import InputError, UsageError
from fullmarks.metrics import METRICS

PREDICTIONS = ["the cat", "dog"]
REFERENCES = [["a cat"], ["a dog", "dogs"]]


def test_a_text_stands_for_a_list_of_one() -> None:
    scorer = fullmarks.load("token_f1")
    assert scorer.compute(predictions=["x"], references=["x"]) == {"token_f1": 1.0}


def test_any_iterable_of_texts_is_taken() -> None:
    scorer = fullmarks.load("token_f1")
    expected = scorer.compute(predictions=PREDICTIONS, references=REFERENCES)
    assert scorer.compute(predictions=numpy.array(PREDICTIONS), references=tuple(map(tuple, REFERENCES))) == expected
    assert scorer.compute(predictions=iter(PREDICTIONS), references=iter(REFERENCES)) == expected  # type: ignore[arg-type]


def test_columns_break_the_score_down() -> None:
    result = fullmarks.load("exact_match").compute(
        predictions=["a b", "c"], references=[["b"], ["d"]], kind=["x", "y"], other=None
    )
    assert result == {"exact_match": 0.5, "kind": {"x": {"exact_match": 1.0}, "y": {"exact_match": 0.0}}}


def test_options_may_come_with_compute() -> None:
    scorer = fullmarks.load("bleu")
    assert scorer.compute(predictions=["a b"], references=[["a b"]])["bleu"] == 0.0
    assert scorer.compute(predictions=["a b"], references=[["a b"]], max_order=2)["bleu"] == 1.0
    assert scorer.metric == fullmarks.load("bleu").metric


def test_only_finishing_options_may_come_after_batches() -> None:
    scorer = fullmarks.load("vqa_accuracy")
    scorer.add_batch(predictions=["x"], references=[["x", "y"]])
    with pytest.raises(fullmarks.UsageError, match="always_normalise"):
        scorer.compute(always_normalise=True)
    assert scorer.compute(precision=0)["overall"] == 17.0


def test_bleu_gives_its_parts() -> None:
    result = fullmarks.load("bleu").compute(predictions=["the cat sat on"], references=[["the cat sat on it"]])
    assert result["precisions"] == [1.0, 1.0, 1.0, 1.0]
    assert (result["bleu"], result["brevity_penalty"]) == (pytest.approx(2.718281828459045 ** (-1 / 4)),) * 2


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("fewer references", {"predictions": ["a", "b"], "references": [["a"]]}, "references: expected 2"),
    (
        "one text for predictions",
        {"predictions": "ab", "references": ["a", "b"]},
        "predictions: expected a list, found str",
    ),
    ("one text for references", {"predictions": ["a"], "references": "a"}, "references: expected a list, found str"),
    ("a number", {"predictions": [1], "references": [["1"]]}, r"predictions\[0\]: expected a string, found int"),
    ("null", {"predictions": [None], "references": [["1"]]}, r"predictions\[0\]: expected a string, found NoneType"),
    ("reference number", {"predictions": ["1"], "references": [[1]]}, r"references\[0\]: expected strings, found int"),
    ("reference not a list", {"predictions": ["1"], "references": [1]}, r"references\[0\]: expected a list, found int"),
    (
        "reference null",
        {"predictions": ["1"], "references": [None]},
        r"references\[0\]: expected a list, found NoneType",
    ),
    ("no references", {"predictions": ["1"]}, "references: expected 1"),
    ("no predictions", {"references": [["1"]]}, "references: expected 0"),
    ("short column", {"predictions": ["1"], "references": [["1"]], "kind": []}, "kind: expected 1"),
    (
        "column is a number",
        {"predictions": ["1"], "references": [["1"]], "kind": 3},
        "kind: expected a list, found int",
    ),
]


@pytest.mark.parametrize(("arguments", "message"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG])
def test_refuses(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(fullmarks.InputError, match=message):
        fullmarks.load("exact_match").compute(**arguments)


def test_refuses_batches_with_other_columns() -> None:
    scorer = fullmarks.load("exact_match")
    scorer.add_batch(predictions=["a"], references=[["a"]], kind=["x"])
    with pytest.raises(fullmarks.UsageError, match="kind"):
        scorer.add_batch(predictions=["a"], references=[["a"]])
    with pytest.raises(fullmarks.UsageError, match="add_batch"):
        scorer.compute(kind=["x"])


def test_refuses_to_merge_other_metrics() -> None:
    with pytest.raises(fullmarks.UsageError, match="the options differ"):
        fullmarks.load("bleu").merge(fullmarks.load("bleu", max_order=2))


@pytest.mark.parametrize("order", [0, 17, 2.5, True, "4"])
def test_refuses_impossible_orders(order: Any) -> None:
    with pytest.raises(fullmarks.UsageError, match="max_order must be a whole number from 1 to 16"):
        fullmarks.load("bleu", max_order=order)


def test_refuses_unknown_aggregates() -> None:
    with pytest.raises(fullmarks.UsageError, match="'max', 'mean', 'min'"):
        fullmarks.load("token_f1", aggregate="median").compute(predictions=["a"], references=[["a"]])


EXAMPLES: dict[str, Any] = {"predictions": ["a", "b", "c"], "references": [["a"], ["b"], ["x"]]}


@pytest.mark.parametrize(
    "topic",
    [[["a"], ["b"], ["c"]], [{}, {}, {}], ["a", "b", {"c"}], numpy.zeros((3, 2)), ["a", "b", ([],)]],
    ids=["lists", "objects", "a set", "arrays", "a tuple with a list"],
)
def test_refuses_columns_that_cannot_be_sliced_by_before_anything_is_taken_in(topic: Any) -> None:
    scorer = fullmarks.load("exact_match")
    scorer.add_batch(predictions=["a"], references=[["a"]], topic=["x"])
    message = "the column 'topic' holds lists or objects, which cannot be sliced or clustered by"
    with pytest.raises(fullmarks.UsageError, match=message):
        scorer.add_batch(**EXAMPLES, topic=topic)
    with pytest.raises(fullmarks.UsageError, match=message):
        scorer.compute(**EXAMPLES, topic=topic)
    assert scorer.compute() == {"exact_match": 1.0, "topic": {"x": {"exact_match": 1.0}}}


@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_nan_is_one_slice_without_a_value(kind: str) -> None:
    topic = numpy.array([math.nan, math.nan, 1.0], dtype=kind)
    scorer = fullmarks.load("exact_match")
    result = scorer.compute(**EXAMPLES, topic=topic)
    assert result["topic"] == {None: {"exact_match": 1.0}, 1.0: {"exact_match": 0.0}}
    for position in range(3):
        part = {name: values[position : position + 1] for name, values in EXAMPLES.items()}
        scorer.add_batch(**part, topic=topic[position : position + 1])
    assert scorer.compute() == result


WRONG_OPTIONS: list[tuple[str, dict[str, Any], str]] = [
    ("vqa_accuracy", {"precision": "2"}, "precision must be a whole number of 0 or more, found '2'"),
    ("vqa_accuracy", {"precision": 2.5}, r"precision must be a whole number of 0 or more, found 2\.5"),
    ("vqa_accuracy", {"precision": None}, "precision must be a whole number of 0 or more, found None"),
    ("vqa_accuracy", {"precision": -1}, "precision must be a whole number of 0 or more, found -1"),
    ("vqa_accuracy", {"precision": True}, "precision must be a whole number of 0 or more, found True"),
    ("vqa_accuracy", {"always_normalise": "no"}, "always_normalise must be True or False, found 'no'"),
    ("squad", {"threshold": "x"}, "threshold must be a number, found 'x'"),
    ("squad", {"threshold": math.nan}, "threshold must be a number, found nan"),
    ("squad", {"drop_empty_references": 0}, "drop_empty_references must be True or False, found 0"),
    ("token_f1", {"both_empty": "x"}, "both_empty must be a number or None, found 'x'"),
    ("token_f1", {"recipe": 5}, "recipe must be the name of a recipe or a recipe, found 5"),
    ("exact_match", {"recipe": "triviaq"}, "unknown recipe 'triviaq'. Did you mean 'triviaqa'"),
    (
        "token_f1",
        {"aggregate": ["max"]},
        r"aggregate must be one of 'max', 'mean', 'min', 'leave-one-out' or a function .*\['max'\]",
    ),
    (
        "sentence_bleu",
        {"aggregate": None},
        "aggregate must be one of 'max', 'mean', 'min', 'leave-one-out' or a function",
    ),
    ("sentence_bleu", {"max_order": 0}, "max_order must be a whole number from 1 to 16, found 0"),
    ("bleu", {"first_reference_only": "yes"}, "first_reference_only must be True or False, found 'yes'"),
    ("meteor", {"lexicon": 5}, "lexicon must be a text or None, found 5"),
    ("meteor", {"alpha": "x"}, "alpha must be a number, found 'x'"),
    ("meteor", {"tokens": "words"}, "tokens must be one of 'blank', 'caption', found 'words'"),
    ("bart_score", {"cap": "x"}, "cap must be a number or None, found 'x'"),
    ("bart_score", {"exp": 1}, "exp must be True or False, found 1"),
    ("clip_score", {"batch_size": 0}, "batch_size must be a whole number of 1 or more, found 0"),
    ("fusionbrain_textqa", {"second_try": "no"}, "second_try must be True or False, found 'no'"),
    ("webqa_accuracy", {"spacy_model": None}, "spacy_model must be a text, found None"),
    ("fid", {"inception": 5}, "inception must be a text, found 5"),
]


@pytest.mark.parametrize(("name", "options", "message"), WRONG_OPTIONS, ids=str)
def test_refuses_options_of_the_wrong_kind(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(fullmarks.UsageError, match=message):
        fullmarks.load(name, **options)


def test_a_wrong_option_of_compute_costs_no_batch() -> None:
    scorer = fullmarks.load("vqa_accuracy")
    scorer.add_batch(predictions=["x"], references=[["x", "y"]])
    with pytest.raises(fullmarks.UsageError, match="precision must be a whole number of 0 or more, found '2'"):
        scorer.compute(precision="2")
    assert scorer.compute(precision=0)["overall"] == 17.0


def test_numbers_of_other_kinds_are_options_too() -> None:
    result = fullmarks.load("token_f1", both_empty=numpy.float32(0.5)).compute(predictions=[""], references=[["the"]])
    assert result == {"token_f1": 0.5}
    accuracy = fullmarks.load("vqa_accuracy", precision=numpy.int64(0))
    assert accuracy.compute(predictions=["x"], references=[["x", "y"]])["overall"] == 17.0


def test_a_path_is_kept_as_a_text() -> None:
    assert (
        fullmarks.load("meteor", lexicon=Path("words.json")).metric
        == fullmarks.load("meteor", lexicon="words.json").metric
    )


@pytest.mark.parametrize("value", ["x", None, math.nan, math.inf, True, [0.5]])
def test_refuses_probabilities_that_are_no_finite_numbers(value: Any) -> None:
    scorer = fullmarks.load("squad")
    found = r"no_answer_probability\[1\]: expected a finite number, found"
    with pytest.raises(fullmarks.FullmarksError, match=f"{found}|the column 'no_answer_probability' holds lists"):
        scorer.compute(**EXAMPLES, no_answer_probability=[0.1, value, 0.2])
    with pytest.raises(fullmarks.InputError, match=found):
        scorer.each(**EXAMPLES, no_answer_probability=[0.1, value, 0.2])


def test_probabilities_may_be_numbers_of_any_kind() -> None:
    columns: dict[str, Any] = {"no_answer_probability": [2, numpy.float32(0.5), 0.2]}
    assert fullmarks.load("squad").each(**EXAMPLES, **columns) == [0.0, 1.0, 0.0]


@pytest.mark.parametrize("name", ["exact_match", "token_f1", "sentence_bleu"])
@pytest.mark.parametrize("value", [None, "0.5", [0.5], math.nan, math.inf, numpy.zeros(2)], ids=repr)
def test_refuses_aggregate_functions_that_give_no_number(name: str, value: Any) -> None:
    def strange(scores: list[float]) -> Any:
        return value

    message = "what the aggregate function strange returns must be a finite number, found"
    with pytest.raises(fullmarks.UsageError, match=message):
        fullmarks.load(name, aggregate=strange).compute(**EXAMPLES)


@pytest.mark.parametrize("function", [any, numpy.max, lambda scores: numpy.float32(max(scores)), lambda scores: 1])
def test_aggregate_functions_may_give_any_kind_of_number(function: Any) -> None:
    result = fullmarks.load("exact_match", aggregate=function).compute(predictions=["a"], references=[["a", "b"]])
    assert result == {"exact_match": 1.0}


def test_a_function_is_told_from_the_choice_that_has_its_name() -> None:
    def max(scores: list[float]) -> float:  # noqa: A001 - the same name is the point
        return scores[0]

    signatures = {
        choice: fullmarks.load("exact_match", aggregate=value).signature(1).split("|")[1]
        for choice, value in {"named": "max", "ours": max, "numpy": numpy.mean, "lambda": lambda scores: 1.0}.items()
    }
    assert signatures == {
        "named": "aggregate:max",
        "ours": "aggregate:function:max",
        "numpy": "aggregate:function:mean",
        "lambda": "aggregate:function:<lambda>",
    }


class TestOneByOne:
    def test_add_is_a_batch_of_one(self) -> None:
        one, batch = fullmarks.load("token_f1"), fullmarks.load("token_f1")
        one.add(prediction="the cat sat", reference="a cat")
        one.add(prediction="a dog", reference=["dog", "cat"])
        one.add(prediction="x", references=["y", "x"])
        batch.add_batch(predictions=["the cat sat", "a dog", "x"], references=["a cat", ["dog", "cat"], ["y", "x"]])
        found = one.compute()
        assert found == batch.compute() == {"token_f1": (2 / 3 + 1.0 + 1.0) / 3}
        assert one.compute() == {"token_f1": 0.0}

    def test_columns_have_one_value_each(self) -> None:
        scorer = fullmarks.load("token_f1")
        scorer.add(prediction="a b", reference="b", topic="x")
        scorer.add(prediction="c", reference="b", topic="y")
        assert scorer.compute()["topic"] == {"x": {"token_f1": 1.0}, "y": {"token_f1": 0.0}}

    @pytest.mark.parametrize("given", [{}, {"reference": "a", "references": ["a"]}])
    def test_one_of_the_two_names_is_given(self, given: dict[str, Any]) -> None:
        with pytest.raises(UsageError, match="add takes one of reference= and references="):
            fullmarks.load("token_f1").add(prediction="a", **given)

    def test_wrong_values_are_refused_and_cost_nothing(self) -> None:
        scorer = fullmarks.load("token_f1")
        with pytest.raises(InputError, match="expected a string, found int"):
            scorer.add(prediction=1, reference="a")
        assert scorer.compute() == {"token_f1": 0.0}

    def test_sets_are_collected_too(self) -> None:
        scorer = fullmarks.load("fid")
        scorer.add(prediction="a.png", reference="b.png")
        with pytest.raises(UsageError, match="no option or column 'topic'"):
            scorer.add(prediction="a.png", reference="b.png", topic="x")
        assert (scorer._ours, scorer._theirs) == (["a.png"], ["b.png"])  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", METRICS.built_in)
def test_every_metric_says_what_it_is(name: str) -> None:
    kind = METRICS.get(name)
    scorer = fullmarks.load(name)
    assert scorer.description.startswith(str(kind.__doc__).split("\n")[0])
    assert scorer.citation == kind.citation
    assert list(scorer.features)[:2] == ["predictions", "references"]
    scorer.features["more"] = "nothing"
    assert "more" not in kind.features


@pytest.mark.parametrize(
    ("name", "words"),
    [("squad", "SQuAD"), ("bleu", "Papineni"), ("meteor", "Lavie"), ("fid", "Heusel"), ("webqa_accuracy", "WebQA")],
)
def test_citations_name_the_paper(name: str, words: str) -> None:
    assert words in fullmarks.load(name).citation


def test_columns_that_a_metric_needs_are_among_its_features() -> None:
    assert "color, shape" in fullmarks.load("acc_approx").features["category"]
    assert set(fullmarks.load("token_f1").features) == {"predictions", "references"}


def test_a_metric_of_two_sets_has_nothing_to_say_of_one_example() -> None:
    distance = fullmarks.load("fid")
    with pytest.raises(fullmarks.UsageError, match="fid compares two whole sets, so a single example has no score"):
        distance.explain(prediction="a.png", references=["b.png"])
    with pytest.raises(fullmarks.UsageError, match="fid compares two whole sets, so a single example has no score"):
        distance.each(predictions=["a.png"], references=["b.png"])
