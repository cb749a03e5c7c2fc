"""The 13a tokeniser and BLEU in Python: frozen cases, golden answers, every code point."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fullmarks.text import bleu, folds
from tests.plain import bleu as plain_bleu_rules

# sacrebleu 2.6.0 (the tokeniser that evaluate bundles): Tokenizer13a()(text).split()
TOKENS: list[tuple[str, list[str]]] = [
    ("", []),
    ("It cost $1,000.50, he said.", ["It", "cost", "$", "1,000.50", ",", "he", "said", "."]),
    (".5 5. ,5,", [".", "5", "5", ".", ",", "5", ","]),
    ("a.b,c", ["a", ".", "b", ",", "c"]),
    ("x..y...", ["x", ".", ".", "y", ".", ".", "."]),
    ("1.,2", ["1", ".", ",", "2"]),
    ("U.S.A.", ["U", ".", "S", ".", "A", "."]),
    ("3-4 a-b -5", ["3", "-", "4", "a-b", "-5"]),
    ("&quot;Tom &amp; Jerry&quot; &amp;lt;", ['"', "Tom", "&", "Jerry", '"', "<"]),
    ("<skipped>end-\nline\nnext", ["endline", "next"]),
    ("don't [stop]/now", ["don't", "[", "stop", "]", "/", "now"]),
    ("no\x1c10%\u300042.", ["no", "10", "%", "42", "."]),
]


@pytest.mark.parametrize(("text", "expected"), TOKENS)
def test_tokenizes(text: str, expected: list[str]) -> None:
    assert plain_bleu_rules.tokenize_13a(text) == expected
    assert bleu.tokenize_13a(text) == expected


def test_golden_answers(golden_files: Path) -> None:
    golden = json.loads((golden_files / "qa" / "answers.json").read_text(encoding="utf-8"))
    cases = golden["cases"]
    for order in (1, 4):
        for case in cases:
            rows = bleu.bleu_rows(
                [case["prediction"]] * len(case["golds"]), [[gold] for gold in case["golds"]], max_order=order
            )
            width = 2 * order + 2
            scores = [
                bleu.bleu_from_statistics(rows[start : start + width], order)["bleu"]
                for start in range(0, len(rows), width)
            ]
            assert scores == case[f"bleu{order}"]
        corpus = bleu.bleu_rows(
            [case["prediction"] for case in cases], [case["golds"][:1] for case in cases], max_order=order
        )
        totals = folds.fold(corpus, 2 * order + 2)
        assert bleu.bleu_from_statistics(totals, order)["bleu"] == golden[f"corpus_bleu{order}"]


def test_statistics_clip_by_all_references_jointly() -> None:
    rows = bleu.bleu_rows(["b b b c d"], [["b b x", "b y c d", "z z"]], max_order=3)
    assert list(rows) == [4, 2, 0, 5, 4, 3, 5, 2]


def test_score_of_statistics() -> None:
    score = bleu.bleu_from_statistics([4.0, 5.0, 5.0, 6.0], 1)
    assert score == {
        "bleu": 0.8 * 0.8187307530779819,
        "precisions": [0.8],
        "brevity_penalty": 0.8187307530779819,
        "length_ratio": 5 / 6,
        "translation_length": 5,
        "reference_length": 6,
    }


@pytest.mark.parametrize(("prediction", "golds"), [("", ["b"]), ("b", [""]), ("", [""]), ("b", []), (" \n", ["b"])])
def test_an_empty_side_scores_nothing(prediction: str, golds: list[str]) -> None:
    statistics = bleu.bleu_rows([prediction], [golds], max_order=4)
    assert list(statistics) == plain_bleu_rules.bleu_statistics(prediction, golds, 4)
    assert bleu.bleu_from_statistics(statistics, 4)["bleu"] == 0.0


@pytest.mark.parametrize("order", [0, -1, 1001])
def test_an_order_out_of_range_is_an_error(order: int) -> None:
    with pytest.raises(ValueError, match="max_order is"):
        bleu.bleu_rows([], [], max_order=order)
