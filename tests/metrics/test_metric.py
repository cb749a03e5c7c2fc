"""One table of all text metrics and the properties that hold for each; the scores that their explanations show."""

from __future__ import annotations

import pickle
import random
from array import array
from dataclasses import FrozenInstanceError, field, fields, make_dataclass
from typing import Any

import pytest

import fullmarks
from fullmarks.metrics import METRICS
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.tally import chunk_rows
from fullmarks.types import Example, Examples, Total
from tests.every_case import every_case

pytest.register_assert_rewrite("tests.plain.explanations")
from tests.plain import explanations  # noqa: E402

NEURAL = {"bart_score", "clip_score", "fid"}
"""Tested where their models are: tests/metrics/test_bart_score.py, tests/backends."""

# name -> options to try, the best score
TABLE: dict[str, tuple[list[dict[str, Any]], float]] = {
    "exact_match": (
        [
            {},
            {"aggregate": "mean"},
            {"aggregate": "min", "both_empty": 0.0},
            {"recipe": "triviaqa"},
            {"recipe": "coqa", "aggregate": "leave-one-out"},
        ],
        1.0,
    ),
    "token_f1": (
        [
            {},
            {"aggregate": "mean"},
            {"aggregate": max},
            {"recipe": "mlqa-zh"},
            {"recipe": "nq_open", "aggregate": "mean"},
        ],
        1.0,
    ),
    "answer_scores": (
        [
            {},
            {"recipe": "hotpotqa", "with_precision": True},
            {"recipe": "drop", "drop_empty_references": True, "both_empty": 0.5},
        ],
        1.0,
    ),
    "set_f1": ([{}, {"both_empty": 1.0}], 1.0),
    "hotpotqa": ([{}], 1.0),
    "twowiki": ([{}, {"with_aliases": True}], 1.0),
    "musique": ([{}], 1.0),
    "contains": ([{}, {"unit": "tokens", "case": "lower"}, {"case": "spellings", "recipe": "triviaqa"}], 1.0),
    "numeric_answer": ([{}, {"reading": "strict-match"}, {"reading": "flexible-extract"}], 1.0),
    "pattern_match": ([{}], 1.0),
    "squad": ([{}, {"both_empty": 0.0, "drop_empty_references": False}], 1.0),
    "bleu": ([{}, {"max_order": 1}, {"first_reference_only": True}], 1.0),
    "sentence_bleu": ([{}, {"max_order": 1, "aggregate": "mean"}], 1.0),
    "yes_no": ([{}, {"reading": "mme"}, {"reading": "words", "counts_neither": True}, {"reading": "strict"}], 1.0),
    "mme_accuracy": ([{}, {"reading": "letters"}], 1.0),
    "mathvista_accuracy": ([{}, {"ignore_empty": True, "as_lmms_eval": True}], 1.0),
    "vqa_accuracy": ([{}, {"always_normalise": True, "precision": 5}], 100.0),
    "votes": (
        [{}, {"recipe": "evalai"}, {"rule": "all", "divisor": 2.0}, {"recipe": "vqa", "rule": "all-in-turn"}],
        1.0,
    ),
    "drop": ([{}, {"skip_blank": True, "stop": "."}], 1.0),
    "evidence_f1": ([{}, {"both_empty": 0.0}], 1.0),
    "ned": ([{}], 1.0),
    "anls": ([{}, {"reading": "mmf"}, {"reading": "pix2struct", "threshold": 0.2}], 1.0),
    "relaxed_accuracy": ([{}, {"reading": "Qwen-VL"}, {"reading": "lm-eval-bare", "tolerance": 0.5}], 1.0),
    "ocrbench_match": ([{}, {"narrow": True}], 1.0),
    "stvqa_accuracy": ([{}], 1.0),
    "coqa": ([{}, {"harness": True}, {"harness": True, "last_turns": True}], 1.0),
    "longbench": ([{}, {"harness": True}], 1.0),
    "choice_accuracy": ([{}], 1.0),
    "mmmu_accuracy": ([{}], 1.0),
    "gqa_scores": ([{}, {"consistency": True}], 1.0),
    # Without a penalty: with one, even a perfect answer scores 1 - gamma / length ** beta.
    "meteor": ([{"lexicon": "none", "gamma": 0.0}, {"lexicon": "none", "gamma": 0.0, "stemmer": "russian"}], 1.0),
}
EVERY = every_case(
    {f"{name} {options}": (name, options) for name, (choices, _) in TABLE.items() for options in choices}
)


YES_NO = {"yes_no", "mme_accuracy"}
"""Metrics whose references are yes or no."""


def data(seed: int, size: int, name: str = "") -> tuple[list[str], list[list[str]], list[str]]:
    source = random.Random(seed)
    if name in YES_NO:
        answers = [source.choice(("yes", "no", "No", "Yes", "maybe", "", "not so")) for _ in range(size)]
        labels = [[source.choice(("yes", "no"))] for _ in range(size)]
        return answers, labels, [source.choice("xyz") for _ in range(size)]
    words = ["the", "cat", "sat", "on", "a", "mat", ",", "two", "dogs", "don't", "run", ".", "3"]

    def text() -> str:
        return " ".join(source.choice(words) for _ in range(source.randrange(9)))

    predictions = [text() for _ in range(size)]
    references = [[text() for _ in range(source.randrange(1, 5))] for _ in range(size)]
    for position in range(0, size, 3):
        references[position][0] = predictions[position]
    return predictions, references, [source.choice("xyz") for _ in range(size)]


def test_the_table_has_every_text_metric() -> None:
    every = {name: METRICS.get(name) for name in METRICS.own_names()}
    assert set(TABLE) == {name for name, kind in every.items() if issubclass(kind, Metric) and not kind.needs}


@EVERY
def test_batches_and_merging_equal_the_whole(name: str, options: dict[str, Any]) -> None:
    predictions, references, kinds = data(1, 120, name)
    whole = fullmarks.load(name, **options).compute(predictions=predictions, references=references, kinds=kinds)
    first, second = fullmarks.load(name, **options), fullmarks.load(name, **options)
    for start in range(0, 60, 17):
        part = slice(start, min(start + 17, 60))
        first.add_batch(predictions=predictions[part], references=references[part], kinds=kinds[part])
    second.add_batch(predictions=predictions[60:], references=references[60:], kinds=kinds[60:])
    first.merge(pickle.loads(pickle.dumps(second)))
    assert first.compute() == whole
    assert first.compute() == fullmarks.load(name, **options).compute(predictions=[], references=[])


@EVERY
def test_order_of_examples_only_moves_the_last_digits(name: str, options: dict[str, Any]) -> None:
    predictions, references, _ = data(2, 80, name)
    order = random.Random(3).sample(range(80), 80)
    scorer = fullmarks.load(name, **options)
    each = scorer.each(predictions=predictions, references=references)
    shuffled = scorer.each(predictions=[predictions[at] for at in order], references=[references[at] for at in order])
    assert shuffled == [each[at] for at in order]
    metric = scorer.metric
    totals = [
        metric.finish(_total(metric, [predictions[at] for at in positions], [references[at] for at in positions]))
        for positions in (range(80), order)
    ]
    # Sums are left folds, so another order may round differently: 80 additions of numbers below 80.
    assert totals[0] == pytest.approx(totals[1], rel=0, abs=80 * 80 * 2.0**-53)


def _total(metric: Metric, predictions: list[str], references: list[list[str]]) -> Total:
    rows = metric.rows(Examples(range(len(predictions)), predictions, references))
    width = len(metric.columns)
    sums = [0.0] * width
    for position, value in enumerate(rows):
        sums[position % width] += value
    return Total(len(predictions), tuple(sums))


@EVERY
def test_a_perfect_answer_scores_best_and_nothing_scores_better(name: str, options: dict[str, Any]) -> None:
    best = TABLE[name][1]
    texts = ["the black cat sat on a mat", "two dogs and three birds", "in the year 1999 or so"]
    if name == "numeric_answer":
        texts = [f"#### {len(text)}" for text in texts]
    if name in YES_NO:
        texts = ["yes", "no", "yes"]
    same = [[text] * 4 for text in texts]
    main = next(iter(fullmarks.load(name, **options).compute(predictions=texts, references=same).values()))
    assert main == best
    predictions, references, _ = data(4, 60, name)
    if name == "numeric_answer":
        predictions = [f"#### {len(text) % 9}" for text in predictions]
        references = [[f"#### {len(gold) % 9}" for gold in golds] for golds in references]
    other = next(iter(fullmarks.load(name, **options).compute(predictions=predictions, references=references).values()))
    assert 0.0 < other < best


@EVERY
def test_no_examples_score_zero(name: str, options: dict[str, Any]) -> None:
    result = fullmarks.load(name, **options).compute(predictions=[], references=[])
    assert next(iter(result.values())) == 0.0
    assert fullmarks.load(name, **options).each(predictions=[], references=[]) == []


@EVERY
def test_a_metric_is_a_frozen_value_that_pickles(name: str, options: dict[str, Any]) -> None:
    metric = fullmarks.load(name, **options).metric
    assert pickle.loads(pickle.dumps(metric)) == metric
    assert hash(metric) == hash(type(metric)(**metric.options()))
    with pytest.raises(FrozenInstanceError):
        setattr(metric, next((option.name for option in fields(metric)), "name"), None)


@EVERY
def test_signature_holds_every_option(name: str, options: dict[str, Any]) -> None:
    signature = fullmarks.load(name, **options).signature(7)
    for option in fields(METRICS.get(name)):
        if option.name == "recipe":  # SQuAD's, which once was the only one, is left out of what is older than recipes
            is_named = "recipe" in options or name == "answer_scores"
            assert (f"|norm:{options.get('recipe', 'squad')}|" in signature) == is_named
        else:
            assert f"|{option.name}:" in signature
    assert signature.startswith(f"{name}|")
    assert signature.endswith(f"|n:7|v:{fullmarks.__version__}")


@EVERY
def test_rows_have_the_declared_width_and_the_mean_is_their_mean(name: str, options: dict[str, Any]) -> None:
    predictions, references, _ = data(5, 30, name)
    metric = fullmarks.load(name, **options).metric
    rows = metric.rows(Examples(range(30), predictions, references))
    assert len(rows) == 30 * len(metric.columns)
    total = _total(metric, predictions, references)
    finished = metric.finish(total)
    assert tuple(finished) == metric.scores
    if metric.is_mean:
        assert list(finished.values()) == [value / 30 for value in total.sums]


@EVERY
def test_explanation_agrees_with_the_score(name: str, options: dict[str, Any]) -> None:
    predictions, references, _ = data(6, 30, name)
    scorer = fullmarks.load(name, **options)
    each = scorer.each(predictions=predictions, references=references)
    for prediction, golds, score in zip(predictions, references, each, strict=True):
        why = scorer.explain(prediction=prediction, references=golds)
        assert next(iter(why.scores.values())) == score
        assert why.facts["prediction"] == prediction
        assert all(len(row) == len(table[0]) for table in why.tables.values() for row in table)


@EVERY
def test_compute_and_each_are_on_one_scale_but_for_that_of_vqa(name: str, options: dict[str, Any]) -> None:
    predictions, references, _ = data(8, 30, name)
    scorer = fullmarks.load(name, **options)
    each = scorer.each(predictions=predictions, references=references)
    for prediction, golds, score in zip(predictions, references, each, strict=True):
        whole = next(iter(scorer.compute(predictions=[prediction], references=[golds]).values()))
        assert whole == (round(100 * score, scorer.metric.precision) if name == "vqa_accuracy" else score)  # type: ignore[attr-defined]


OF_THE_QUESTION = {
    "bleu": {"reference_length"},
    "coqa": {"turns"},
    "gqa_scores": {"binary_n", "open_n"},
    "musique": {"answerable"},
    "yes_no": {"neither_yes", "neither_no"},
}
"""The columns that say something of the question alone."""


@EVERY
def test_a_missing_answer_has_zeros_but_for_its_question_whatever_stands_in_its_place(
    name: str, options: dict[str, Any]
) -> None:
    predictions, references, _ = data(7, 30, name)
    metric = fullmarks.load(name, **options).metric
    every = tuple(range(30))
    rows = [
        chunk_rows([metric], Examples(every, texts, references, {"structural": ["query"] * 30}, every))[0]
        for texts in (predictions, [golds[0] for golds in references], [""] * 30)
    ]
    assert rows[0] == rows[1] == rows[2]
    width = len(metric.columns)
    counted = {column for at, column in enumerate(metric.columns) if any(rows[0][at::width])}
    assert counted <= OF_THE_QUESTION.get(name, set())


# The options of the cases and the words of their texts; tests/plain/explanations.py works out the scores.
ENGLISH = ["the", "cat", "sat", "on", "a", "mat", ",", "two", "dogs", "don't", "run", ".", "3", "Cats", "red"]
RUSSIAN = ["три", "лодки", "у", "старой", "мельницы", "b", "а", "12", "-3", "красный", "парус", "пять", "4", "лодка"]
WEBQA = [*ENGLISH, "yes", "no", "green", "blue", "eleven", "11"]
EXPLAINED: dict[str, tuple[list[dict[str, Any]], list[str]]] = {
    "exact_match": ([{}, {"aggregate": "mean"}, {"aggregate": "min", "both_empty": 0.25}], ENGLISH),
    "token_f1": ([{}, {"aggregate": "mean"}, {"aggregate": "min", "both_empty": 0.25}], ENGLISH),
    "set_f1": ([{}, {"both_empty": 1.0}], ENGLISH),
    "answer_scores": ([{}, {"recipe": "squad", "both_empty": 0.25}], ENGLISH),
    "contains": ([{}, {"unit": "tokens"}, {"case": "spellings", "recipe": "squad"}], ENGLISH),
    "numeric_answer": ([{}], ["####", "#### 3", "18", "1,8", "a"]),
    "squad": ([{}, {"both_empty": 0.25, "drop_empty_references": False}], ENGLISH),
    "bleu": ([{"max_order": 2}, {"max_order": 1}, {"max_order": 2, "first_reference_only": True}], ENGLISH),
    "sentence_bleu": ([{"max_order": 2}, {"max_order": 1, "aggregate": "mean"}], ENGLISH),
    "vqa_accuracy": (
        [{}, {"always_normalise": True}],
        ["two", "2", "The dog", "dog", "yes", "Yes.", "no"],
    ),
    "votes": (
        [{}, {"recipe": "vqa", "rule": "all"}, {"rule": "all-in-turn", "divisor": 2.0, "cap": 0.8}],
        ["two", "2", "The dog", "dog", "yes"],
    ),
    "choice_accuracy": ([{}, {"reading": "mmmu"}], ["A", "(B)", "C.", "D", "or", "(A)", "B"]),
    "meteor": ([{"lexicon": "none"}, {"lexicon": "none", "gamma": 0.2, "stemmer": "russian"}], ENGLISH),
    "ned": ([{}], ENGLISH),
    "anls": ([{}, {"reading": "mmf", "threshold": 0.3}, {"reading": "pix2struct"}], ENGLISH),
    "relaxed_accuracy": ([{}, {"reading": "Qwen-VL"}], ["3", "3.1", "3.2", "Red", "red", "60", "2"]),
    "yes_no": ([{}, {"counts_neither": True}], ["no", "No", "not", "yes", "No,", "no.", "maybe"]),
    "fusionbrain_textqa": ([{}, {"second_try": False}], RUSSIAN),
    "fusionbrain_mathqa": ([{}, {"second_try": False}], RUSSIAN),
    "fusionbrain_visualqa": ([{"lexicon": "none"}], RUSSIAN),
    "webqa_accuracy": ([{"spacy_model": "simple"}, {}], WEBQA),
    "acc_approx": ([{"spacy_model": "simple"}, {}], WEBQA),
}
EXPLAINED_CASES = [
    pytest.param(
        name,
        options,
        id=f"{name}-{number}",
        marks=[pytest.mark.deep] if words is WEBQA and not options else [],  # spaCy reads each text alone
    )
    for name, (choices, words) in EXPLAINED.items()
    for number, options in enumerate(choices)
]


def test_every_shared_metric_is_explained() -> None:
    """A metric of one benchmark may have its own test beside that benchmark's."""
    of_examples = {name for name in METRICS.built_in if issubclass(METRICS.get(name), Metric)}
    assert of_examples - NEURAL <= set(EXPLAINED) <= set(METRICS.own_names())


def explained_texts(name: str, words: list[str], seed: int) -> list[tuple[str, list[str], dict[str, Any]]]:
    source = random.Random(seed)
    is_vqa = name == "vqa_accuracy"

    def text(longest: int) -> str:
        return " ".join(
            source.choices(words, k=1 if is_vqa or name == "relaxed_accuracy" else source.randrange(longest))
        )

    cases = []
    for number in range(60):
        prediction = text(7)
        golds = [text(6) for _ in range(10 if is_vqa else source.randrange(1, 4))]
        if number % 4 == 0:
            golds[-1] = prediction
        if is_vqa and number % 5 == 0:
            golds = [source.choice(("Two", "two "))] * 10
        columns: dict[str, Any] = {}
        if name in ("webqa_accuracy", "acc_approx"):
            columns["category"] = source.choice(("color", "YesNo", "number", "Others", "choose", "shape"))
        if name == "squad":
            columns["no_answer_probability"] = source.choice((0.0, 0.5, 1.0))
            golds = golds if number % 3 else []
        cases.append((prediction, golds, columns))
    return cases


@pytest.mark.parametrize(("name", "options"), EXPLAINED_CASES)
def test_the_numbers_of_an_explanation_give_the_score(name: str, options: dict[str, Any]) -> None:
    if METRICS.get(name).needs == "ru":
        pytest.importorskip("pymorphy3", reason="needs pymorphy3: make install")
        pytest.importorskip("rapidfuzz", reason="needs rapidfuzz: make install")
    elif METRICS.get(name).needs and not options:
        pytest.importorskip("spacy", reason="needs spaCy: make install")
    scorer, recomputed = fullmarks.load(name, **options), getattr(explanations, name)
    seen = set()
    for prediction, golds, columns in explained_texts(name, EXPLAINED[name][1], seed=21):
        each = scorer.each(
            predictions=[prediction], references=[golds], **{key: [value] for key, value in columns.items()}
        )
        why = scorer.metric.explain(Example(0, prediction, golds, columns))
        assert why.facts["prediction"] == prediction
        assert next(iter(why.scores.values())) == each[0]
        assert recomputed(why, options) == pytest.approx(each[0], abs=explanations.CLOSE)
        seen.add(round(each[0], 3))
    assert len(seen) > 1, "all texts score the same: the case tells nothing"


class Counts(Metric):
    """A metric of another package."""

    name = "counts"
    summary = "a number for every example"
    columns = ("count",)

    def rows(self, examples: Examples) -> array[float]:
        return array("d", bytes(8 * len(examples)))


def test_options_of_other_packages_are_checked_by_their_annotations() -> None:
    made = field(init=False)
    options = [("size", int, 1), ("share", float | None, None), ("any", dict[str, int], None), ("made", str, made)]
    metric: Any = make_dataclass("Foreign", options, bases=(Counts,), frozen=True)
    assert (metric(2, 0.5, {"a": 1}).size, metric(share=None).share) == (2, None)
    with pytest.raises(fullmarks.UsageError, match="size must be a whole number, found '2'"):
        metric("2")
    with pytest.raises(fullmarks.UsageError, match="share must be a number or None, found 'x'"):
        metric(share="x")
