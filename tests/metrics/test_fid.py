"""FID from ready statistics; tests/backends/test_inception.py has the networks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import fullmarks
from fullmarks.errors import UsageError


def test_fid(tmp_path: Path) -> None:
    for name, mean in (("a", 0.0), ("b", 3.0)):
        np.savez(tmp_path / f"{name}.npz", mu=np.full(2, mean), sigma=np.eye(2))
    metric = fullmarks.load("fid")
    assert metric.compute(predictions=tmp_path / "a.npz", references=tmp_path / "b.npz") == {"fid": 18.0}
    with pytest.raises(UsageError, match=r"a list of images or an \.npz file"):
        metric.compute(predictions=str(tmp_path), references=tmp_path / "b.npz")


def test_a_distance_of_sets_has_no_examples(tmp_path: Path) -> None:
    metric = fullmarks.load("fid")
    for ask in (
        lambda: metric.each(predictions=["a"], references=["b"]),
        lambda: metric.explain(prediction="a", references=["b"]),
    ):
        with pytest.raises(UsageError, match="fid compares two whole sets"):
            ask()
    with pytest.raises(UsageError, match="needs both"):
        metric.compute(predictions=["a"])
    with pytest.raises(UsageError, match="no option or column 'colour'"):
        metric.compute(predictions=["a"], references=["b"], colour=1)
    with pytest.raises(UsageError, match="cannot merge"):
        metric.merge(fullmarks.load("fid", inception="other.pt"))
