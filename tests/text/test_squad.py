"""SQuAD's normaliser and scores in Python: frozen cases, golden answers, and what holds for any lists of tokens."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fullmarks.text import squad
from fullmarks.text.squad_rule import Rule, judge_pair, normal_form

# Worked out by hand from the definition, one hard case each; the plain rule must agree with them too.
NORMALIZED = [
    ("", ""),
    ("The  Cat's hat.", "cats hat"),
    ("a.b", "ab"),
    ("the—cat", "—cat"),
    ("x—an—y", "x— —y"),
    ("THE\x1cend\x1fan", "end"),
    ("the\x00cat", "\x00cat"),
    ("under_score a_n", "underscore"),
    ("a\u0301", "\u0301"),
    ("İthe", "i̇"),
    ("ΣΊΣΥΦΟΣ Σ.", "σίσυφος σ"),
    ("the\u200bend", "\u200bend"),
    ("the\u00a0end", "end"),
    ("\u212a", "k"),
    ("a an the A AN THE", ""),
    ("\ud800a\ud800", "\ud800 \ud800"),
]


@pytest.mark.parametrize(("text", "expected"), NORMALIZED)
def test_normalizes(text: str, expected: str) -> None:
    assert normal_form(text) == expected
    assert squad.normalize_answer(text) == expected
    assert squad.tokens(text) == expected.split()


def test_golden_answers(golden_files: Path) -> None:
    cases = json.loads((golden_files / "squad1" / "answers.json").read_text(encoding="utf-8"))
    rows = squad.squad_rows(
        [case["prediction"] for case in cases],
        [case["golds"] for case in cases],
        both_empty=1.0,
        drop_empty_references=True,
    )
    assert [squad.normalize_answer(case["prediction"]) for case in cases] == [case["normalized"] for case in cases]
    assert list(rows[0::2]) == [case["exact"] for case in cases]
    assert list(rows[1::2]) == [case["f1"] for case in cases]


@pytest.mark.parametrize(
    ("prediction", "reference", "both_empty", "expected"),
    [
        ("", "", 1.0, 1.0),
        ("", "", 0.0, 0.0),
        ("b", "", 1.0, 0.0),
        ("b c", "d", 1.0, 0.0),
        ("b b c", "b d", 1.0, 0.4),
        ("Paris is capital", "capital of France is Paris", 0.0, 0.75),
        ("w " * 40 + "x", "w " * 30 + "y y", 0.0, 60 / 73),
    ],
)
def test_token_f1(prediction: str, reference: str, both_empty: float, expected: float) -> None:
    found = squad.token_f1(prediction.split(), reference.split(), both_empty)
    assert found == judge_pair(prediction, reference, Rule(both_empty=both_empty)).f1
    assert found == pytest.approx(expected, rel=1e-15)  # the decimal constants are rounded once more


def test_token_f1_to_the_last_digit() -> None:
    cases = {("", ""): 1.0, ("", "a"): 0.0, ("a", ""): 0.0, ("a b", "c d"): 0.0, ("a b", "b a"): 1.0}
    cases |= {("a a b", "a b b"): 2 / 3, ("a", "a b c"): 0.5}
    assert {pair: squad.token_f1(*map(str.split, pair)) for pair in cases} == cases


def test_long_texts_take_linear_time() -> None:
    words = [str(number) for number in range(50_000)]
    assert squad.token_f1(words, words[::-1], 0.0) == 1.0


WORDS = st.lists(st.sampled_from("abcd"), max_size=6)


@given(WORDS, WORDS)
def test_token_f1_is_symmetric_bounded_and_order_free(one: list[str], other: list[str]) -> None:
    score = squad.token_f1(one, other)
    assert 0.0 <= score <= 1.0
    assert score == squad.token_f1(other, one) == squad.token_f1(sorted(one), sorted(other, reverse=True))
    assert (score == 1.0) == (sorted(one) == sorted(other))
