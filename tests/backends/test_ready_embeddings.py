"""Ready embeddings: every file form, names found and not found, bad files refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from fullmarks.backends.embeddings import Embeddings, paired_cosines
from fullmarks.backends.ready_embeddings import EmbeddingTable, ReadyEmbedder
from fullmarks.errors import InputError, UsageError

TEXTS = ["кот, который спит", "a dog"]
VECTORS = np.array([[3.0, 4.0], [0.0, -2.0]])


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    path = tmp_path / "texts.npz"
    np.savez(path, names=np.array(TEXTS), vectors=VECTORS)
    return path


@pytest.fixture
def images(tmp_path: Path) -> Path:
    path = tmp_path / "images.npy"
    np.save(path, VECTORS.astype(np.float32))
    path.with_suffix(".json").write_text(json.dumps(["1.png", "sub/2.png"]))
    return path


def test_cosines_of_ready_embeddings(texts: Path, images: Path) -> None:
    embedder = ReadyEmbedder(texts, images)
    left = embedder.embed_texts([TEXTS[0], TEXTS[1], TEXTS[0]])
    right = embedder.embed_images(["/somewhere/1.png", Path("sub/2.png"), "sub/2.png"])
    assert paired_cosines(left, right) == pytest.approx([1.0, 1.0, -0.8], abs=1e-15)
    assert embedder.identity.startswith("ready#")


def test_one_array_per_name(tmp_path: Path) -> None:
    path = tmp_path / "named.npz"
    np.savez(path, **{"a.png": VECTORS[0], "b.png": VECTORS[1]})
    assert EmbeddingTable(path).rows([("b.png",), ("a.png",)]) == pytest.approx(np.array([[0, -1], [0.6, 0.8]]))


def test_missing_names_are_errors(texts: Path, images: Path) -> None:
    embedder = ReadyEmbedder(texts, images)
    with pytest.raises(InputError, match="no embedding for 'cat' and 1 more"):
        embedder.embed_texts(["cat", "a dog", "cow"])
    with pytest.raises(InputError, match=r"no embedding for '3\.png'\. Embed"):
        embedder.embed_images(["3.png"])
    with pytest.raises(UsageError, match="not open images"):
        embedder.embed_images([object()])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"names": np.array(["a"]), "vectors": VECTORS}, "1 names"),
        ({"names": np.array(["a", "a"]), "vectors": VECTORS}, "1 distinct"),
        ({"names": np.array([1, 2]), "vectors": VECTORS}, "list of strings"),
        ({"names": np.array(["a", "b"]), "vectors": np.array([[1.0, np.nan], [0, 1]])}, "finite"),
        ({"a": np.zeros(2), "b": np.zeros(3)}, "cannot be read"),
    ],
)
def test_bad_tables_are_refused(tmp_path: Path, arrays: dict[str, np.ndarray], message: str) -> None:
    path = tmp_path / "bad.npz"
    np.savez(path, **arrays)
    with pytest.raises(InputError, match=message):
        EmbeddingTable(path)


def test_files_that_are_none(tmp_path: Path, images: Path) -> None:
    images.with_suffix(".json").unlink()
    for path in (tmp_path / "absent.npz", images):
        with pytest.raises(InputError, match="cannot be read as embeddings"):
            EmbeddingTable(path)


def test_pairs_must_fit() -> None:
    with pytest.raises(UsageError, match="cannot pair 1 embeddings with 2"):
        paired_cosines(Embeddings(np.ones((1, 2))), Embeddings(np.ones((2, 2))))
    with pytest.raises(InputError, match=r"\[2, 3\]"):
        paired_cosines(Embeddings(np.ones((1, 2))), Embeddings(np.ones((1, 3))))
