"""The engine in this process: chunks in order, zeros for what was not answered."""

from __future__ import annotations

from array import array

from fullmarks.engines.choice import scored_chunks
from fullmarks.metrics.answers import ExactMatch, TokenF1
from fullmarks.metrics.bleu import Bleu
from fullmarks.metrics.squad import SquadScores
from fullmarks.metrics.tally import chunk_rows
from fullmarks.types import Examples


def examples(*predictions: str, unanswered: tuple[int, ...] = ()) -> Examples:
    size = len(predictions)
    return Examples(list(range(size)), list(predictions), [["cat"]] * size, {}, unanswered)


def test_chunks_come_in_order_with_the_rows_of_every_metric() -> None:
    chunks = [examples("cat"), examples(), examples("dog", "cat")]
    done = list(scored_chunks((ExactMatch(), TokenF1()), iter(chunks), None))
    assert [chunk for chunk, _ in done] == chunks
    assert [rows[0].tolist() for _, rows in done] == [[1.0], [], [0.0, 1.0]]


def test_it_is_lazy() -> None:
    def chunks() -> object:
        yield examples("cat")
        raise AssertionError("read ahead")

    assert len(next(iter(scored_chunks((ExactMatch(),), chunks(), None)))[1]) == 1  # type: ignore[arg-type]


def test_unanswered_examples_are_zero_where_scores_are_means() -> None:
    exact, both = chunk_rows((ExactMatch(), SquadScores()), examples("cat", "cat", unanswered=(0,)))
    assert exact == array("d", [0.0, 1.0])
    assert both == array("d", [0.0, 0.0, 1.0, 1.0])


def test_unanswered_examples_keep_their_reference_length_in_corpus_scores() -> None:
    (rows,) = chunk_rows((Bleu(1),), examples("", unanswered=(0,)))
    assert dict(zip(Bleu(1).columns, rows, strict=True)) == {
        "matches_1": 0.0,
        "totals_1": 0.0,
        "prediction_length": 0.0,
        "reference_length": 1.0,
    }
