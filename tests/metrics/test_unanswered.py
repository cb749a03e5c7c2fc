"""How examples without a prediction count: every metric says it, one place asks."""

from __future__ import annotations

import pytest

import fullmarks
from fullmarks.metrics.compensated import CompensatedBleu
from fullmarks.metrics.other_rules import Prepared
from fullmarks.metrics.tally import chunk_rows
from fullmarks.types import Examples

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
    for metric in (bleu, CompensatedBleu(bleu), Prepared(bleu)):  # type: ignore[arg-type]
        assert chunk_rows([metric], examples)[0].tolist() == [0.0, 0.0, 0.0, 3.0]


def test_a_missing_answer_is_not_the_empty_one_that_would_be_right() -> None:
    examples = Examples([0, 1], ["", ""], [[""], [""]], {}, (0,))
    metric = fullmarks.load("musique").metric
    first, second = (chunk_rows([metric], examples)[0][start : start + 4].tolist() for start in (0, 4))
    assert (first, second[:2]) == ([0.0, 0.0, 0.0, 1.0], [1.0, 1.0])
