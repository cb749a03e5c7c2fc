"""Scores over the sizes of systems: what is drawn, and when."""

from __future__ import annotations

from pathlib import Path

import pytest

import fullmarks
from fullmarks.analysis.intervals import Sampling
from fullmarks.analysis.standings import Standings, standings
from fullmarks.errors import UsageError
from fullmarks.report import scaling_plots

pytest.importorskip("matplotlib", reason="needs the extra 'plots'")


@pytest.fixture(scope="module")
def found() -> Standings:
    gold = {str(at): ["yes"] for at in range(20)}
    right = {"small": 5, "base": 12, "large": 17}
    runs = {
        name: fullmarks.score("qa", gold, {key: "yes" if int(key) < count else "no" for key in gold})
        for name, count in right.items()
    }
    return standings(runs, sampling=Sampling(resamples=200, level=0.9))


def test_points_are_the_scores_with_their_intervals_by_size(found: Standings) -> None:
    points = scaling_plots._points(found, "exact_match", {"large": 340e6, "small": 14e6, "base": 110e6})
    assert [point.system for point in points] == ["small", "base", "large"]
    assert [point.value for point in points] == [0.25, 0.6, 0.85]
    for point in points:
        interval = found.intervals[point.system]["exact_match"]
        assert (point.low, point.high) == (interval.low, interval.high)


def test_what_is_drawn(found: Standings) -> None:
    points = scaling_plots._points(found, "exact_match", {"large": 340e6, "small": 14e6, "base": 110e6})
    axes = scaling_plots._scaling("ExactMatch", points, "parameters", 0.9).axes[0]
    line = axes.containers[0][0]
    assert line.get_xydata().tolist() == [[14e6, 0.25], [110e6, 0.6], [340e6, 0.85]]
    (bars,) = axes.containers[0][2]
    assert [segment[:, 1].tolist() for segment in bars.get_segments()] == [
        pytest.approx([point.low, point.high]) for point in points
    ]
    assert (axes.get_xscale(), axes.get_xlabel(), axes.get_title()) == (
        "log",
        "parameters",
        "ExactMatch, 90 % intervals",
    )
    assert [text.get_text() for text in axes.texts] == ["small", "base", "large"]
    near = scaling_plots._points(found, "exact_match", {"small": 1.0, "base": 2.0})
    assert scaling_plots._scaling("ExactMatch", near, "size", 0.9).axes[0].get_xscale() == "linear"


def test_a_picture_for_every_score(found: Standings, tmp_path: Path) -> None:
    written = scaling_plots.write_scaling(tmp_path, found, {"small": 1.0, "base": 2.0}, "size")
    assert {path.name for path in written} == {
        f"scaling-{name}.{kind}" for name in found.score_names.values() for kind in ("png", "svg")
    }
    assert all(path.stat().st_size > 1000 for path in written)
    with pytest.raises(UsageError, match="at least two systems, found 1"):
        scaling_plots.write_scaling(tmp_path, found, {"small": 1.0}, "size")
