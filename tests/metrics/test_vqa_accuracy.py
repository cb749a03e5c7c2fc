"""VQA accuracy against the rule itself on random text, and the published interface of the metric."""

from __future__ import annotations

import random

import pytest

import fullmarks
from fullmarks.metrics.vqa_accuracy import VqaAccuracy, rounded
from fullmarks.text.vqa import map_words, normalize_vqa, strip_punctuation, trim
from fullmarks.text.vqa_rule import judge, mapped_words, normal_form, trimmed, without_punctuation

PIECES = (
    *(";", "/", "[", "]", '"', "{", "}", "(", ")", "=", "+", "\\", "_", "-", ">", "<", "@", "`", ",", "?", "!", "."),
    *(" ", "  ", "\n", "\t", "\r", "\u00a0", "\u2003", "\u3000", "\x1c", "\u0085", "'", "\u2019", ":", "%", "$", "*"),
    *("a", "an", "the", "A", "The", "none", "zero", "one", "Two", "ten", "eleven", "dont", "Dont", "somebody'd"),
    *("youre", "its", "ain't", "aint", "id've", "0", "7", "1,000", "3.14", ".5", "5.", "...", "1,", ",1", "٣,٤"),
    *("١.٢", "²"),
    *("İ", "ß", "ΣΑΣ", "ǅ", "é", "e\u0301", "река", "北京", "हिन्दी", "😀", "👩\u200d🚀", "\u200b", "\ud800", "\x00"),
)


def random_text(source: random.Random) -> str:
    length = source.choice((0, 1, 1, 2, 3, 4, 6))
    glue = source.choice(("", "", " "))
    text = glue.join(source.choice(PIECES) for _ in range(length))
    if source.random() < 0.1:
        text += "".join(chr(source.choice((source.randrange(0x250), source.randrange(0xD7FF)))) for _ in range(3))
    if source.random() < 0.005:
        text += "x. " * 20 + "." * source.randrange(30)
    return text


@pytest.mark.parametrize("count", [3_000, pytest.param(60_000, marks=pytest.mark.deep)])
def test_normaliser_follows_the_rule_on_random_text(count: int) -> None:
    source = random.Random(20170312)
    for _ in range(count):
        raw = random_text(source)
        text = trimmed(raw)
        assert trim(raw) == trim(text) == text
        assert strip_punctuation(text) == without_punctuation(text), repr(text)
        assert map_words(text) == mapped_words(text), repr(text)
        assert normalize_vqa(text) == normal_form(text), repr(text)


@pytest.mark.parametrize("always_normalise", [False, True])
@pytest.mark.parametrize("count", [1_000, pytest.param(20_000, marks=pytest.mark.deep)])
def test_accuracy_follows_the_rule_on_random_text(always_normalise: bool, count: int) -> None:
    source = random.Random(1 + always_normalise)
    predictions, references = [], []
    for _ in range(count):
        few = [random_text(source) for _ in range(source.choice((1, 2, 3)))]
        golds = [source.choice(few) for _ in range(source.choice((1, 2, 3, 5, 10)))]
        predictions.append(source.choice([*few, few[0].upper(), f" {few[0]}.", random_text(source)]))
        references.append(golds)
    metric = VqaAccuracy(always_normalise=always_normalise)
    each = fullmarks.Scorer(metric).each(predictions=predictions, references=references)
    for prediction, golds, score in zip(predictions, references, each, strict=True):
        told = judge(prediction, golds, always_normalise=always_normalise)
        assert score == told.accuracy, (prediction, golds)


# The rules of the published program, one line each.
QUIRKS = [
    ("a/b", "b"),  # no blank beside it: becomes one, and the article goes
    ("b /c", "b c"),  # a blank before it: deleted
    ("b, c,d", "b cd"),  # a blank anywhere beside a comma deletes all commas
    ("1,000 x-y", "1000 xy"),  # a comma between digits deletes every mark
    ("3.5 m.", "3.5 m"),
    (".5", ".5"),
    ("U.S.A.", "usa"),
    ("none", "0"),
    ("ten", "10"),
    ("eleven", "eleven"),
    ("dont", "don't"),
    ("somebody'd", "somebodyd"),
    ("the a an", ""),
    ("x" + "." * 40, "x" + "." * 8),
]


@pytest.mark.parametrize(("text", "expected"), QUIRKS)
def test_quirks(text: str, expected: str) -> None:
    assert normalize_vqa(text) == normal_form(text) == expected


def test_published_example() -> None:
    scorer = fullmarks.load("vqa_accuracy")
    predictions, references = ["yes", "2", "blue"], [["yes", "yeah", "yep"], ["2", "two"], ["blue", "bluish"]]
    assert scorer.compute(predictions=predictions, references=references) == {"overall": 24.07}
    by_type = scorer.compute(
        predictions=predictions,
        references=references,
        answer_types=["yes/no", "number", "other"],
        question_types=["is", "how many", "what"],
        precision=4,
    )
    assert by_type == {
        "overall": 24.0741,
        "perQuestionType": {"is": 22.2222, "how many": 33.3333, "what": 16.6667},
        "perAnswerType": {"yes/no": 22.2222, "number": 33.3333, "other": 16.6667},
    }
    alone = scorer.compute(predictions=predictions, references=references, answer_types=None, question_types=["q"] * 3)
    assert alone == {"overall": 24.07, "perQuestionType": {"q": 24.07}}
    scorer.add_batch(predictions=predictions, references=references)
    assert scorer.compute() == {"overall": 24.07}


def test_plain_lists_leave_out_one_annotator_at_a_time() -> None:
    scorer = fullmarks.load("vqa_accuracy")
    assert scorer.each(predictions=["red", "red"], references=[["red"] * 10, ["red"] * 3 + ["blue"] * 7]) == [1.0, 0.9]


# round(number, digits) of Python 2.7.18: only exact ties, which go away from 0 there, differ from Python 3.11.7.
PYTHON_2 = [
    (55.625, 2, 55.63),
    (0.125, 2, 0.13),
    (2.5, 0, 3.0),
    (0.5, 0, 1.0),
    (62.5, 0, 63.0),
    (2.675, 2, 2.67),  # the double lies below the tie
    (1.005, 2, 1.0),
    (99.995, 2, 100.0),  # and this one above
    (33.333333333333336, 2, 33.33),
    (0.0009765625, 9, 0.000976563),
    (100.0, 15, 100.0),
    (5e-324, 323, 0.0),
    (5e-324, 324, 5e-324),
]


@pytest.mark.parametrize(("number", "digits", "expected"), PYTHON_2)
def test_ties_away_from_zero_as_in_python_2(number: float, digits: int, expected: float) -> None:
    assert rounded(number, digits, "half-away") == expected


@pytest.mark.parametrize("count", [2_000, pytest.param(20_000, marks=pytest.mark.deep)])
def test_the_nearest_number_is_the_same_wherever_ties_go(count: int) -> None:
    source = random.Random(27)
    for _ in range(count):
        digits, number = source.randrange(0, 12), 100 * source.random()
        assert rounded(number, digits, "half-away") == rounded(number, digits) == round(number, digits)


def test_rounding_is_an_option_of_finishing() -> None:
    scorer = fullmarks.load("vqa_accuracy")
    predictions, references = ["x"] * 16, [["x"] * 10] * 8 + [["x"] * 3 + ["y"] * 7] + [["y"] * 10] * 7
    assert scorer.compute(predictions=predictions, references=references) == {"overall": 55.62}
    scorer.add_batch(predictions=predictions, references=references)
    assert scorer.compute(rounding="half-away") == {"overall": 55.63}
    with pytest.raises(fullmarks.UsageError, match="rounding must be one of 'half-even', 'half-away', found 'up'"):
        fullmarks.load("vqa_accuracy", rounding="up")


def test_a_single_annotator_scores_zero() -> None:
    assert fullmarks.load("vqa_accuracy").each(predictions=["yes"], references=[["yes"]]) == [0.0]


def test_an_example_needs_an_annotator() -> None:
    with pytest.raises(fullmarks.InputError, match=r"references\[1\]: vqa_accuracy needs at least 1, found 0"):
        fullmarks.load("vqa_accuracy").compute(predictions=["x", "y"], references=[["x"], []])


def test_an_explanation_compares_normal_forms_where_two_annotators_differ() -> None:
    metric = fullmarks.load("vqa_accuracy")
    told = metric.explain(prediction="The dog", references=["dog"] * 9 + ["Dog."])
    assert (told.facts["compared as"], told.facts["normalised"]) == ("dog", "yes")
    told = metric.explain(prediction="The dog", references=["dog"] * 10)
    assert told.facts["compared as"] == "The dog"


# The metric Kamichanw/vqa_accuracy (of ICLTestbed): version fc7c0fa, and 5929e60 before it.
TODAY = {"as_hugging_face": True}


def test_the_metric_of_the_hub_today_and_before() -> None:
    predictions, references = ["yes", "2", "blue"], [["yes", "yeah", "yep"], ["2", "two"], ["blue", "bluish"]]
    given = {"predictions": predictions, "references": references}
    assert fullmarks.load("vqa_accuracy", **TODAY).compute(**given) == {"overall": 24.074074074074073}
    assert fullmarks.load("vqa_accuracy").compute(**given) == {"overall": 24.07}
    black = {"predictions": ["Black."], "references": [["black"] * 10]}
    assert fullmarks.load("vqa_accuracy", **TODAY).compute(**black) == {"overall": 100.0}
    assert fullmarks.load("vqa_accuracy").compute(**black) == {"overall": 0.0}
    with pytest.raises(fullmarks.UsageError, match="as_hugging_face rounds nothing"):
        fullmarks.load("vqa_accuracy", **TODAY).compute(**black, precision=4)


@pytest.mark.parametrize("options", [{}, TODAY])
def test_types_that_are_none_are_left_out(options: dict[str, bool]) -> None:
    given = {"predictions": ["x", "x"], "references": [["x"] * 4, ["y"] * 4]}
    scorer = fullmarks.load("vqa_accuracy", **options)
    found = scorer.compute(**given, answer_types=["a", None], question_types=["q", "q"])
    assert found == {"overall": 50.0, "perAnswerType": {"a": 100.0}, "perQuestionType": {"q": 50.0}}
    assert list(found) == ["overall", "perAnswerType", "perQuestionType"]
    assert scorer.compute(**given, answer_types=[None, None]) == {"overall": 50.0}


def test_references_are_not_trimmed_by_the_metric_of_today() -> None:
    """A mark beside a blank is deleted, one beside a line break becomes a blank: trimming first changes both."""
    today, always = fullmarks.load("vqa_accuracy", **TODAY), fullmarks.load("vqa_accuracy", always_normalise=True)
    for gold, compared, trimmed_first in (("x-y- ", "xy", "x y"), ("x-y-\nz", "x y z", "xy z")):
        for answer in (compared, trimmed_first):
            assert today.each(predictions=[answer], references=[[gold] * 4]) == [float(answer == compared)]
            assert today.explain(prediction=answer, references=[gold] * 4).scores["accuracy"] == (answer == compared)
            assert always.each(predictions=[answer], references=[[gold] * 4]) == [float(answer == trimmed_first)]


def plain_hub_accuracy(prediction: str, golds: list[str]) -> float:
    """Today's rule of the hub, written out."""
    answer, given = normal_form(trimmed(prediction)), [normal_form(gold) for gold in golds]
    votes = [
        min(1, sum(other == answer for at, other in enumerate(given) if at != place) / 3) for place in range(len(given))
    ]
    return sum(votes) / len(votes)


@pytest.mark.parametrize("count", [300, pytest.param(5_000, marks=pytest.mark.deep)])
def test_the_metric_of_today_follows_its_rule_on_random_text(count: int) -> None:
    source = random.Random(77)
    predictions, references = [], []
    for _ in range(count):
        few = [random_text(source) for _ in range(source.choice((1, 2, 3)))]
        references.append([source.choice(few) for _ in range(source.choice((1, 2, 3, 5, 10)))])
        predictions.append(source.choice([*few, f" {few[0]}.", random_text(source)]))
    found = fullmarks.load("vqa_accuracy", **TODAY).each(predictions=predictions, references=references)
    assert found == [plain_hub_accuracy(*pair) for pair in zip(predictions, references, strict=True)]
