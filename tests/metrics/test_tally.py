"""The running sums: same digits in chunks of any size, and slices that are sums of their own rows."""

from __future__ import annotations

import pickle
import random
from array import array
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fullmarks
from fullmarks.engines.choice import scored_chunks
from fullmarks.metrics.answers import TokenF1
from fullmarks.metrics.bleu import Bleu
from fullmarks.metrics.compensated import CompensatedBleu
from fullmarks.metrics.labels import Labels, coded
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.other_rules import OnChangedTexts
from fullmarks.metrics.squad import SquadScores
from fullmarks.metrics.tally import Tally, chunk_rows
from fullmarks.types import Examples

WORDS = ["the", "a", "cat", "dog", "two", "black", ".", ",", "of", "in", "and"]
METRICS: tuple[Metric, ...] = (TokenF1(), SquadScores(), Bleu(2))


def examples_of(size: int) -> Examples:
    source = random.Random(size)

    def text() -> str:
        return " ".join(source.choice(WORDS) for _ in range(source.randrange(6)))

    return Examples(
        list(range(size)),
        [text() for _ in range(size)],
        [[text() for _ in range(source.randrange(1, 4))] for _ in range(size)],
        {"kind": [source.choice(("x", "y", None, 3)) for _ in range(size)]},
        tuple(position for position in range(size) if position % 11 == 5),
    )


def tally_of(examples: Examples, step: int, *, keep: bool = True, slices: tuple[str, ...] = ("kind",)) -> Tally:
    tally = Tally(METRICS, slices, keep=keep)
    chunks = [examples.part(start, start + step) for start in range(0, len(examples), step)]
    for chunk, rows in scored_chunks(METRICS, chunks, None):
        tally.add(chunk, rows)
    return tally


@pytest.mark.parametrize("step", [1, 2, 7, 64, 999])
@pytest.mark.parametrize("keep", [True, False])
def test_chunks_of_any_size_have_the_digits_of_one_piece(step: int, keep: bool) -> None:
    examples = examples_of(500)
    whole, parts = tally_of(examples, 500), tally_of(examples, step, keep=keep)
    assert parts.totals() == whole.totals()
    assert parts.by("kind") == whole.by("kind")
    assert parts.n == 500


def test_totals_are_left_folds() -> None:
    examples = examples_of(500)
    values = chunk_rows(METRICS, examples)[0].tolist()
    fold = list(accumulate(values, initial=0.0))[-1]
    assert tally_of(examples, 13).totals()[0].sums == (fold,)


def test_a_slice_asked_for_later_equals_one_summed_on_the_way() -> None:
    examples = examples_of(200)
    later = tally_of(examples, 17, slices=())
    assert later.by("kind") == tally_of(examples, 17).by("kind")
    assert list(later.by("kind")) == list(dict.fromkeys(examples.columns["kind"]))


def test_a_slice_is_the_sum_of_its_own_rows() -> None:
    examples = examples_of(200)
    alone = examples.take([at for at, kind in enumerate(examples.columns["kind"]) if kind == "x"])
    rows = chunk_rows(METRICS, examples)[1]
    chosen = [at for at, kind in enumerate(examples.columns["kind"]) if kind == "x"]
    expected = [list(accumulate((rows[2 * at + column] for at in chosen), initial=0.0))[-1] for column in (0, 1)]
    total = tally_of(examples, 31).by("kind")["x"][1]
    assert (total.n, list(total.sums)) == (len(alone), expected)


def test_unanswered_examples_are_zero_where_scores_are_means() -> None:
    examples = Examples(["a", "b"], ["", ""], [[""], [""]], {}, unanswered=(1,))
    f1, both, bleu = chunk_rows(METRICS, examples)
    assert f1 == array("d", [1.0, 0.0])
    assert both == array("d", [1.0, 1.0, 0.0, 0.0])
    assert len(bleu) == 2 * len(Bleu(2).columns)


def test_kept_examples_keep_their_unanswered_positions() -> None:
    examples = examples_of(100)
    assert tally_of(examples, 7).examples.unanswered == examples.unanswered


def test_no_examples() -> None:
    assert [total.n for total in Tally(METRICS).totals()] == [0, 0, 0]


def test_many_values_have_the_sums_of_plain_left_folds():
    source = random.Random(5)
    tally = Tally((SquadScores(),), ["kind"], keep=True)
    by_hand: dict[object, list[float]] = {}
    for size in (2000, 1, 700):  # many, alone, and again over sums that are there
        values = [source.randrange(600) for _ in range(size)]
        rows = array("d", [source.random() * 10.0 ** source.randrange(-9, 9) for _ in range(2 * size)])
        examples = Examples([str(at) for at in range(size)], [""] * size, [[]] * size, {"kind": values})
        tally.add(examples, (rows,))
        for at, value in enumerate(values):
            so_far = by_hand.setdefault(value, [0, 0.0, 0.0])
            so_far[0] += 1
            so_far[1] += rows[2 * at]
            so_far[2] += rows[2 * at + 1]
    found = {value: [total.n, *total.sums] for value, (total,) in tally.by("kind").items()}
    assert found == by_hand
    assert list(found) == list(by_hand)


def plain_slices(
    chunks: list[tuple[list[Any], Sequence[float]]], width: int
) -> dict[object, tuple[int, tuple[float, ...]]]:
    """The number of rows and the sums of every label, one row after the other."""
    found: dict[object, list[float]] = {}
    for values, rows in chunks:
        for at, value in enumerate(values):
            for label in dict.fromkeys(value) if isinstance(value, tuple) else (value,):
                sums = found.setdefault(label, [0, *[0.0] * width])
                sums[0] += 1
                for column in range(width):
                    sums[1 + column] += rows[width * at + column]
    return {label: (int(sums[0]), tuple(sums[1:])) for label, sums in found.items()}


NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=32)
ONE_LABEL = st.one_of(st.sampled_from("abc"), st.integers(0, 3), st.none(), st.booleans())
LABELS = st.one_of(ONE_LABEL, st.lists(ONE_LABEL, max_size=3).map(tuple))


@given(chunks=st.lists(st.lists(st.tuples(LABELS, NUMBERS, NUMBERS), max_size=9), max_size=5), sent=st.booleans())
def test_slices_are_those_of_a_plain_loop(chunks: list[list[tuple[Any, float, float]]], sent: bool) -> None:
    metrics = (SquadScores(),)
    tally = Tally(metrics, ["kind"], keep=False)
    parts = []
    for chunk in chunks:
        values = [value for value, _, _ in chunk]
        rows = array("d", [number for _, *numbers in chunk for number in numbers])
        parts.append((values, rows))
        if sent:
            labels = pickle.loads(pickle.dumps(coded(values)))
            tally.add_piece(len(values), (rows.tobytes(),), {"kind": labels}, None)
        else:
            tally.add(Examples(range(len(values)), [""] * len(values), [[]] * len(values), {"kind": values}), (rows,))
    found = {label: (total.n, total.sums) for label, (total,) in tally.by("kind").items()}
    wanted = plain_slices(parts, 2)
    assert list(map(repr, found.items())) == list(map(repr, wanted.items()))
    assert tally.n == sum(map(len, chunks))


def test_rows_that_are_no_numbers_stay_in_their_slice() -> None:
    tally = Tally((TokenF1(),), ["kind"], keep=False)
    nan, inf = float("nan"), float("inf")
    tally.add_piece(4, (array("d", [nan, 1.0, inf, -inf]),), {"kind": coded(["x", "y", "z", "z"])}, None)
    sums = {label: total.sums[0] for label, (total,) in tally.by("kind").items()}
    assert list(map(repr, sums.values())) == ["nan", "1.0", "nan"]


def test_labels_are_coded_once_for_every_row_or_for_every_label_of_it() -> None:
    assert coded([]) == Labels([], array("i"))
    assert coded(["b", None, "b"]) == Labels(["b", None], array("i", [0, 1, 0]))
    assert coded([("b", "a", "b"), "a", ()]) == Labels(["b", "a"], array("i", [0, 1, 1]), array("i", [0, 0, 1]))
    with pytest.raises(TypeError, match="unhashable"):
        coded(["x", ["y"]])


# How examples without a prediction count: every metric says it, one place asks.

PREDICTIONS = ["the cat sat on the mat today", None, "two dogs run in the park now"]
REFERENCES = ["the cat sat on the mat today .", "birds fly over the sea in summer", "two dogs run in the park"]
# sacrebleu 2.6.0: BLEU(smooth_method="none", max_ngram_order=order).corpus_score(predictions, [references]).score,
# by 100, the missing prediction as "". Leaving the question out would give 0.9285714285714284 and 0.9048348715045417.
SACREBLEU = {1: 0.5632070411617309, 4: 0.5488100915446456}


@pytest.mark.parametrize("order", SACREBLEU)
def test_corpus_bleu_counts_a_missing_prediction_as_an_empty_one(order: int) -> None:
    gold = {str(at): [text] for at, text in enumerate(REFERENCES)}
    given = {str(at): text for at, text in enumerate(PREDICTIONS) if text is not None}
    result = fullmarks.score("qa", gold, given, on_missing="zero")
    # the logarithms are added in another order
    assert result.official[f"Corpus_BLEU-{order}"] == pytest.approx(SACREBLEU[order], rel=1e-15)


def test_corpus_bleu_keeps_the_length_of_the_reference_alone() -> None:
    examples = Examples([0], ["two dogs"], [["two dogs run"]], {}, (0,))
    bleu = fullmarks.load("bleu", max_order=1).metric
    for metric in (bleu, CompensatedBleu(bleu), OnChangedTexts(bleu)):  # type: ignore[arg-type]
        assert chunk_rows([metric], examples)[0].tolist() == [0.0, 0.0, 0.0, 3.0]


def test_a_missing_answer_is_not_the_empty_one_that_would_be_right() -> None:
    examples = Examples([0, 1], ["", ""], [[""], [""]], {}, (0,))
    metric = fullmarks.load("musique").metric
    first, second = (chunk_rows([metric], examples)[0][start : start + 4].tolist() for start in (0, 4))
    assert (first, second[:2]) == ([0.0, 0.0, 0.0, 1.0], [1.0, 1.0])
