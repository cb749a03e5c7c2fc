"""Tables for papers: what is bold, what is marked, and that every format tells the same numbers."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest

import fullmarks
from fullmarks.analysis.intervals import Sampling
from fullmarks.analysis.standings import standings
from fullmarks.metrics.squad import SquadScores
from fullmarks.report.paper_tables import paper_csv, paper_latex, paper_markdown, paper_table

N = 200


def run(right):
    gold = [{"id": str(number), "references": ["yes"]} for number in range(N)]
    answers = [{"id": str(number), "prediction": "yes" if number < right else "no"} for number in range(N)]
    return fullmarks.score("squad1", gold, answers)


@pytest.fixture(scope="module")
def found():
    runs = {"base_1": run(101), "same": run(101), "better": run(160), "near": run(109)}
    return standings(runs, sampling=Sampling(resamples=2000))


def test_marks_follow_the_corrected_p_values(found):
    table = paper_table(found)
    assert table.scores == ["exact_match", "f1"]
    by_hand = {(each.system, each.score): each.p_holm for each in found.comparison.differences}
    for system, cells in table.rows.items():
        for score, cell in zip(("exact", "f1"), cells, strict=True):
            p_holm = by_hand.get((system, score))
            assert cell.p_holm == p_holm
            assert cell.mark == ("" if p_holm is None or p_holm >= 0.05 else "‡" if p_holm < 0.01 else "†")
    assert [cells[0].mark for cells in table.rows.values()] == ["", "", "‡", "†"]
    assert [cells[0].best for cells in table.rows.values()] == [False, False, True, False]


def test_numbers_are_the_official_ones_to_the_last_digit(found):
    near = found.runs["near"]
    assert near.official["f1"] != 100 * near.scores["f1"]
    assert paper_table(found).rows["near"][1].value == near.official["f1"]


def test_less_is_better_for_a_distance(found, monkeypatch):
    monkeypatch.setattr(SquadScores, "less_is_better", ("f1",))
    table = paper_table(replace(found, score_names={"exact": "exact_match", "f1": "ImageGeneration.FID"}))
    assert [[cell.best for cell in cells] for cells in table.rows.values()] == [
        [False, True],
        [False, True],
        [True, False],
        [False, False],
    ]


def test_markdown(found):
    lines = paper_markdown(paper_table(found), intervals=False).splitlines()
    assert lines == [
        "| system | exact_match | f1 |",
        "|---|---:|---:|",
        "| base_1 | 50.50 | 50.50 |",
        "| same | 50.50 | 50.50 |",
        "| better | **80.00**‡ | **80.00**‡ |",
        "| near | 54.50† | 54.50† |",
        "",
        "squad1, 200 examples. Best in bold. † p < 0.05, ‡ p < 0.01 against base_1: paired permutation test, "
        "Holm-corrected over 4 comparisons.",
    ]


def test_intervals_stand_beside_the_numbers(found):
    interval = found.intervals["better"]["exact"]
    text = paper_markdown(paper_table(found))
    assert f"**80.00**‡ [{100 * interval.low:.2f}, {100 * interval.high:.2f}]" in text
    assert "In brackets: 95 % intervals, Wilson over" in text


def test_latex_escapes_and_marks(found):
    text = paper_latex(paper_table(found), intervals=False)
    assert r"base\_1 & 50.50 & 50.50 \\" in text
    assert r"better & \textbf{80.00}$^{\ddagger}$ & \textbf{80.00}$^{\ddagger}$ \\" in text
    assert r"system & exact\_match & f1 \\" in text
    assert r"$^{\dagger}$ p $<$ 0.05" in text
    assert text.count("{") == text.count("}")
    assert r"95 \% intervals" in paper_latex(paper_table(found))


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("two\nlines\r\n\nmore", "two lines more"),
        ("[a]", "{[}a{]}"),
        ("*a", "{*}a"),
        ("a\x1b[31m\ud800", r"a\textbackslash{}x1b{[}31m\textbackslash{}ud800"),
    ],
)
def test_latex_holds_any_name(name, shown):
    named = standings({name: run(10), "b": run(20)}, sampling=Sampling(resamples=200))
    text = paper_latex(paper_table(named), intervals=False)
    (row,) = [line for line in text.splitlines() if line.endswith(r"& 5.00 & 5.00 \\")]
    assert row == rf"{shown} & 5.00 & 5.00 \\"
    assert f"against {shown}:" in text


def test_csv_has_the_numbers_in_full(found):
    rows = list(csv.DictReader(io.StringIO(paper_csv(paper_table(found)))))
    assert [row["system"] for row in rows] == ["base_1", "same", "better", "near"]
    assert float(rows[3]["exact_match"]) == found.runs["near"].official["exact_match"]
    assert float(rows[3]["f1.low"]) == 100 * found.intervals["near"]["f1"].low
    assert rows[0]["exact_match.p_holm"] == ""
    assert float(rows[1]["exact_match.p_holm"]) == 1.0


def test_ties_are_all_bold_and_a_single_run_has_none():
    both = standings({"a": run(10), "b": run(10)}, sampling=Sampling(resamples=200))
    assert [cells[0].best for cells in paper_table(both).rows.values()] == [True, True]
    alone = paper_table(standings({"a": run(10)}, sampling=Sampling(resamples=200)))
    assert not alone.rows["a"][0].best
    assert alone.legend == "squad1, 200 examples."


def test_csv_for_a_spreadsheet_runs_no_name():
    named = paper_table(standings({"=1+1": run(10), "b": run(5)}, sampling=Sampling(resamples=200)))
    assert paper_csv(named).splitlines()[1].startswith("=1+1,5.0,")
    assert paper_csv(named, spreadsheet=True).splitlines()[1].startswith("'=1+1,5.0,")
