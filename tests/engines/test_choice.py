"""Which engine is taken, and chunks that are scored in this process: in order, zeros for what was not answered."""

from __future__ import annotations

from array import array
from typing import Any, ClassVar

import pytest

import fullmarks
from fullmarks.engines import ENGINES
from fullmarks.engines.choice import chosen_engine, scored_chunks
from fullmarks.engines.cores import Cores
from fullmarks.engines.engine import Engine
from fullmarks.engines.here import Here
from fullmarks.errors import UsageError
from fullmarks.metrics.answers import ExactMatch, TokenF1
from fullmarks.metrics.bleu import Bleu
from fullmarks.metrics.squad import SquadScores
from fullmarks.metrics.tally import chunk_rows
from fullmarks.types import Examples

TABLE = [{"id": 1, "prediction": "a", "references": ["a"]}]


@pytest.mark.parametrize(
    ("engine", "workers", "kind", "at_once"),
    [
        ("here", None, Here, 1),
        (None, 1, Here, 1),
        (None, 3, Cores, 3),
        ("cores", 3, Cores, 3),
        ("cores:2", None, Cores, 2),
    ],
)
def test_names_and_numbers(engine: str | None, workers: int | None, kind: type[Engine], at_once: int) -> None:
    with chosen_engine(engine, workers) as found:
        assert isinstance(found, kind)
        assert found.at_once == at_once


def test_without_words_the_choice_is_left_to_us() -> None:
    with chosen_engine(None, None) as found:
        assert found is None


@pytest.mark.parametrize(
    ("engine", "workers", "found"),
    [
        ("here", 2, "workers is the number of processes of the engine 'cores', found the engine 'here'"),
        ("cores:2", 2, "workers is the number of processes of the engine 'cores', found the engine 'cores:2'"),
        (7, None, "engine must be the name of an engine or an engine, found 7"),
        ("hear", None, "unknown engine 'hear'. Did you mean 'here'"),
        ("here:2", None, "the engine 'here' takes no argument, found '2'"),
    ],
)
def test_what_makes_no_sense_is_told(engine: Any, workers: int | None, found: str) -> None:
    with pytest.raises(UsageError) as caught:
        fullmarks.score("qa", TABLE, engine=engine, workers=workers)
    assert found in str(caught.value)


def test_an_engine_of_the_caller_is_not_closed() -> None:
    class Watched(Here):
        is_closed = False

        def close(self) -> None:
            self.is_closed = True

    engine = Watched()
    assert fullmarks.score("qa", TABLE, engine=engine).n == 1
    assert not engine.is_closed


def test_an_engine_of_another_package_is_found_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    class Mine(Here):
        name = "mine"
        asked: ClassVar[list[str]] = []

        @classmethod
        def from_text(cls, argument: str) -> Mine:
            cls.asked.append(argument)
            return cls()

    class Entry:
        value = "package:Mine"

        def load(self) -> type[Mine]:
            return Mine

    monkeypatch.setitem(ENGINES.__dict__, "_registered", {"mine": Entry()})
    assert fullmarks.score("qa", TABLE, engine="mine:there").n == 1
    assert Mine.asked == ["there"]


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
