from __future__ import annotations

import math

import pytest

from fullmarks.report import score_plots


def test_one_picture_per_score_system_and_format(tmp_path):
    pytest.importorskip("matplotlib", reason="needs the extra 'plots'")
    scores = {"my system/1": {"F1": [0.0, 1.0], "BLEU-1": [0.5, 0.5]}}
    written = score_plots.write_distributions(tmp_path / "new", scores, 100.0)
    assert sorted(path.name for path in written) == [
        "BLEU-1-my-system-1.png",
        "BLEU-1-my-system-1.svg",
        "F1-my-system-1.png",
        "F1-my-system-1.svg",
    ]
    assert written[0].read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in written[1].read_bytes()


def test_no_picture_takes_the_place_of_another(tmp_path, monkeypatch):
    figure = pytest.importorskip("matplotlib.figure", reason="needs the extra 'plots'").Figure
    monkeypatch.setattr(figure, "savefig", lambda *_, **__: None)  # the names matter here, not what is drawn
    scores = {system: {"F1": [0.0, 1.0]} for system in ("a b", "a/b", "A-B", "я" * 200, "я" * 201)}
    written = score_plots.write_distributions(tmp_path, scores, 100.0)
    assert len(list(tmp_path.iterdir())) == len(written) == 10
    assert {"F1-a-b.png", "F1-a-b-2.png", "F1-A-B-3.png"} < {path.name for path in written}


def test_what_is_drawn():
    pytest.importorskip("matplotlib", reason="needs the extra 'plots'")
    axes = score_plots._distribution("f1, bert", [0.0, 0.0, 1.0, 0.52, math.nan], 100.0).axes[0]
    heights = [bar.get_height() for bar in axes.patches]
    assert len(heights) == 20
    assert {place: height for place, height in enumerate(heights) if height} == {0: 50.0, 10: 25.0, 19: 25.0}
    assert axes.get_xlim() == (0.0, 100.0)
    assert axes.get_title() == "f1, bert (4 examples)"
