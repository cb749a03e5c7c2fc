"""Sums as a later Python makes them: bit by bit against that Python, and against exact arithmetic."""

from __future__ import annotations

import math
import random
import sys
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fullmarks.metrics.compensated import CompensatedBleu, CompensatedSentenceBleu, CompensatedTally, compensated_sum
from fullmarks.metrics.squad import SquadScores
from fullmarks.metrics.tally import chunk_rows
from fullmarks.protocols.qa.protocol import Qa
from fullmarks.types import Examples, Total

FINITE = st.floats(min_value=-1e12, max_value=1e12)
SCORES = st.one_of(st.sampled_from([0.0, 1.0, 0.5, 2 / 3, 0.8]), st.floats(min_value=0.0, max_value=1.0))


def scores(seed: int) -> list[float]:
    chance = random.Random(seed)
    return [chance.choice([2 / 3, 0.8, 0.5, 1.0, 0.0, chance.random()]) for _ in range(5000)]


def with_integers(seed: int) -> list[float]:
    chance = random.Random(seed)
    some = ([1, 0, chance.random(), chance.random() / 3, chance.random() * 1000, -chance.random()] for _ in range(5000))
    return [chance.choice(values) for values in some]


# sum() of Python 3.12.1 and 3.13.0
@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], 0.0),
        ([1, 2], 3.0),
        ([0.1] * 10, 1.0),
        ([0.1, 1, 1e16, 1, 1, -1e16], 3.1),
        ([1e16, 1, 1.0, -1e16], 1.0),
        ([1e308, 1e308, -1e308], math.inf),
        (scores(1), 2877.204622196246),
        (scores(2), 2893.596474610202),
        (scores(3), 2894.4237553418857),
        (with_integers(1), 431134.4170734753),
        (with_integers(2), 421298.4429627748),
        (with_integers(3), 416447.1658144531),
    ],
    ids=str,
)
def test_frozen_sums(values: list[float], expected: float) -> None:
    assert compensated_sum(values) == expected


def test_they_are_other_digits_than_those_of_a_running_sum() -> None:
    running = 0.0
    for value in scores(1):
        running += value
    assert running == 2877.2046221962596  # sum() of Python 3.11.7


@given(st.lists(st.one_of(FINITE, SCORES)))
def test_the_errors_of_all_steps_are_added_at_the_end(values: list[float]) -> None:
    """The error of adding two floats is itself a float: exact arithmetic gives it without any trick."""
    total = lost = 0.0
    for value in values:
        together = total + value
        lost += float(Fraction(total) + Fraction(value) - Fraction(together))
        total = together
    assert compensated_sum(values) == total + lost


@pytest.mark.skipif(sys.version_info < (3, 12), reason="sum() compensates from Python 3.12 on")
@given(st.lists(st.floats()))
def test_equals_the_sum_of_a_later_python(values: list[float]) -> None:
    assert repr(compensated_sum(values)) == repr(float(sum(values)))


@pytest.mark.skipif(
    not (3, 12) <= sys.version_info < (3, 14), reason="whole numbers are added plainly in 3.12 and 3.13"
)
@given(st.lists(st.one_of(st.floats(), st.integers(min_value=-(2**53), max_value=2**53))))
def test_equals_the_sum_of_a_later_python_with_integers(values: list[float]) -> None:
    assert repr(compensated_sum(values)) == repr(float(sum(values)))


def test_a_tally_adds_so_overall_and_by_column() -> None:
    metric = SquadScores()
    predictions = ["a b", "", "c d e", "", "x y z"] * 40
    references = [["b c"], [], ["d q r"], ["x"], ["y"]] * 40
    columns = {"has_answer": list(map(bool, references))}
    examples = Examples(range(200), predictions, references, columns)
    integers = metric.integers(examples)
    assert integers == [at for at, text in enumerate(predictions) if not text]
    tally = CompensatedTally([metric], integers)
    rows = chunk_rows([metric], examples)
    tally.add(examples, rows)
    typed = [int(value) if at in integers else value for at, value in enumerate(rows[0][1::2])]
    assert tally.totals()[0] == Total(200, (sum(rows[0][0::2]), compensated_sum(typed)))
    own = [value for value, is_own in zip(typed, columns["has_answer"], strict=True) if is_own]
    assert tally.by("has_answer")[True][0].sums[1] == compensated_sum(own)


def test_where_the_threshold_decides_scores_are_floats() -> None:
    examples = Examples(range(2), ["", ""], [[], []], {"no_answer_probability": [0.1, 0.9]})
    assert SquadScores(threshold=0.5).integers(examples) == [0]
    bare = Examples(range(2), ["", ""], [[], []])
    assert SquadScores(threshold=-0.5).integers(bare) == []
    assert SquadScores().integers(bare) == [0, 1]


def test_logarithms_of_bleu() -> None:
    # exp(sum(0.25 * log(p) for p in [1, 3/4, 2/3, 1/2])): ...75 on Python 3.11.7, ...76 on 3.12.1 and 3.13.0
    examples = Examples([0], ["e a b c d"], [["a b c d e"]])
    sentence, corpus = Qa().metrics()[3], Qa().metrics()[5]
    assert sentence.rows(examples)[0] == 0.7071067811865475
    assert CompensatedSentenceBleu(4).rows(examples)[0] == 0.7071067811865476
    total = Total(1, tuple(corpus.rows(examples)))
    assert corpus.finish(total) == {"corpus_bleu_4": 0.7071067811865475}
    assert CompensatedBleu(corpus).finish(total) == {"corpus_bleu_4": 0.7071067811865476}  # type: ignore[arg-type]
