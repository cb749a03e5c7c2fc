"""CLIPScore from ready embeddings; tests/backends/test_clip.py has the networks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import fullmarks
from fullmarks.errors import UsageError


def test_clip_score(tmp_path: Path) -> None:
    np.savez(tmp_path / "texts.npz", names=np.array(["red"]), vectors=np.array([[3.0, 4.0]]))
    np.savez(tmp_path / "images.npz", names=np.array(["a.png", "b.png"]), vectors=np.array([[1.0, 0.0], [0.0, 2.0]]))
    metric = fullmarks.load("clip_score", model=f"{tmp_path / 'texts.npz'},{tmp_path / 'images.npz'}")
    assert metric.each(predictions=["a.png", "some/b.png"], references=["red", "red"]) == pytest.approx([0.6, 0.8])
    assert metric.compute(predictions=[], references=[]) == {"clip_score": 0.0}
    with pytest.raises(UsageError, match="judged must be"):
        fullmarks.load("clip_score", judged="sounds")
