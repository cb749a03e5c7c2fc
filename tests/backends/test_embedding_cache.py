"""The file of embeddings: what is put in comes out, and a place that cannot be used is told in our own words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fullmarks.backends.embedding_cache import DiskCache, Entry
from fullmarks.errors import InputError


def test_entries_come_back_under_the_same_model_and_kind_only(tmp_path: Path) -> None:
    entry = Entry(np.array([0.6, 0.8]), True)
    DiskCache(tmp_path / "new" / "cache.db").put("model", "text", {"digest": entry})
    again = DiskCache(tmp_path / "new" / "cache.db")
    found = again.get("model", "text", ["digest", "other"])
    assert list(found) == ["digest"]
    assert found["digest"].vector.tolist() == [0.6, 0.8]
    assert found["digest"].truncated
    assert again.get("model", "image", ["digest"]) == again.get("another", "text", ["digest"]) == {}


def test_a_place_that_cannot_be_used(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("not a database, but long enough to be looked at")
    for place in (tmp_path, file, file / "below"):
        with pytest.raises(InputError, match=r"cannot be used as an embedding cache .* Remove it or name another file"):
            DiskCache(place)
