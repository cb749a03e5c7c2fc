from __future__ import annotations

from dataclasses import dataclass

import pytest

from fullmarks.errors import MissingDependencyError, UsageError
from fullmarks.report import figures, plots


@dataclass
class Curve:
    precisions: list[float]
    recalls: list[float]
    average_precision: float


def test_empty_groups_and_curves_have_no_plot(tmp_path):
    pytest.importorskip("matplotlib", reason="needs the extra 'plots'")
    assert [path.name for path in plots.write_plots(tmp_path, {}, [0.5], [False])] == ["na_prob_hist_noAns.png"]


def test_what_is_drawn():
    pytest.importorskip("matplotlib", reason="needs the extra 'plots'")
    curve = Curve([1.0, 0.5], [0.0, 1.0], 0.5)
    figures = dict(plots._figures({"exact": curve}, [0.1, 0.91, 0.97], [True, False, False]))
    axes = figures["pr_exact.png"].axes[0]
    assert axes.lines[0].get_xdata().tolist() == [0.0, 1.0]
    assert axes.lines[0].get_ydata().tolist() == [1.0, 0.5]
    assert "50.00" in axes.get_title()
    bars = figures["na_prob_hist_noAns.png"].axes[0].patches
    assert len(bars) == 20
    assert [bar.get_height() for bar in bars[-2:]] == [0.5, 0.5]


def test_without_matplotlib(monkeypatch, tmp_path):
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'fullmarks\[plots\]'"):
        figures.check_plots(tmp_path)


def test_a_folder_that_is_a_file(tmp_path):
    pytest.importorskip("matplotlib", reason="needs the extra 'plots'")
    (tmp_path / "x").touch()
    with pytest.raises(UsageError, match="cannot be made a folder"):
        figures.check_plots(tmp_path / "x")
