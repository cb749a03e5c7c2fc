"""The shape of a comparison's tables: scores across or down, one system named in the titles, numbers kept whole."""

from __future__ import annotations

import fullmarks
from fullmarks.analysis.intervals import Sampling
from fullmarks.report.comparison_tables import comparison_tables
from fullmarks.report.comparison_text import comparison_text
from fullmarks.report.terminal import Page

GOLD = [{"id": number, "references": [f"the answer number {number}"], "topic": "a long topic"} for number in range(8)]
SAMPLING = Sampling(resamples=50)


def run(protocol: str, right: int) -> fullmarks.Result:
    answers = {number: f"the answer number {number if number < right else 99}" for number in range(8)}
    return fullmarks.score(protocol, GOLD, answers, by="topic")


def compared(protocol: str, *right: int) -> fullmarks.Comparison:
    return fullmarks.compare(
        {f"system{count}": run(protocol, count) for count in right}, by=("topic",), sampling=SAMPLING
    )


def test_few_scores_stand_across() -> None:
    _, header, rows = comparison_tables(compared("squad1", 3, 6), 0)[0]
    assert header == ["system", "exact", "f1"]
    assert [row[0] for row in rows] == ["system3 (baseline)", "system6"]
    assert rows[1][1].startswith("75.00 [")


def test_many_scores_stand_down() -> None:
    _, header, rows = comparison_tables(compared("qa", 3, 6), 0)[0]
    assert header == ["score", "system3 (baseline)", "system6"]
    assert [row[0] for row in rows][:2] == ["exact_match", "token_f1"]
    assert rows[0][2].startswith("0.7500 [")


def test_more_systems_than_scores_stand_down() -> None:
    _, header, rows = comparison_tables(compared("qa", 1, 2, 3, 4, 5, 6, 7), 0)[0]
    assert (header[0], len(header), len(rows)) == ("system", 7, 7)


def test_a_single_system_is_named_in_the_titles() -> None:
    one, several = compared("squad1", 3, 6), compared("squad1", 3, 6, 7)
    assert comparison_tables(one, 0)[1][:2] == (
        "system6: difference from system3",
        ["score", "difference", "95 % interval", "p", "p (Holm)"],
    )
    assert comparison_tables(several, 0)[1][0] == "difference from system3"
    assert [row[0] for row in comparison_tables(several, 0)[1][2]] == ["system6", "system6", "system7", "system7"]


def test_numbers_stay_whole_where_texts_can_give_way() -> None:
    text = comparison_text(compared("squad1", 3, 6), Page(width=62), 3)
    tables = text[: text.index(" 8 examples;")].splitlines()
    assert all(len(line) <= 62 for line in tables)
    assert "0.00 -> 1.00" in text
    assert "  (baseline)" in tables
    assert all(line.count("[") == line.count("]") for line in tables)
