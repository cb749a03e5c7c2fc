"""Embeddings that somebody computed before: read from NumPy files and looked up by text or image name.

A `.npz` file holds `names` and `vectors`, or one array per name; a `.npy` file holds the vectors, with the names in
a JSON list beside it (`texts.npy` and `texts.json`). Invariant: a name without a vector is an error, never a zero.
"""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fullmarks.backends.embeddings import Embeddings, unit_rows
from fullmarks.checks import check_local
from fullmarks.errors import InputError, UsageError

if TYPE_CHECKING:
    from fullmarks.backends.images import ImageSource


class ReadyEmbedder:
    """An embedder over two files: one of texts, one of images."""

    def __init__(self, texts: str | os.PathLike[str], images: str | os.PathLike[str]) -> None:
        self._texts, self._images = EmbeddingTable(texts), EmbeddingTable(images)

    @property
    def identity(self) -> str:
        """The two files' content."""
        return f"ready#{self._texts.digest[:8]}+{self._images.digest[:8]}"

    def embed_texts(self, texts: Sequence[str]) -> Embeddings:
        """The vectors of the texts, scaled to unit length."""
        return Embeddings(self._texts.rows([(text,) for text in texts]))

    def embed_images(self, images: Sequence[ImageSource]) -> Embeddings:
        """The vectors of the images, found by path as given or by file name."""
        names: list[tuple[str, ...]] = []
        for image in images:
            if not isinstance(image, (str, os.PathLike)):
                raise UsageError("ready embeddings are found by image name; give names or paths, not open images")
            names.append((os.fspath(image), Path(image).name))
        return Embeddings(self._images.rows(names))


class EmbeddingTable:
    """Unit vectors by name, from one file."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._where = os.fspath(path)
        check_local("a file of embeddings", path)
        names, vectors = _read(Path(path))
        if len(names) != len(vectors) or len(set(names)) != len(names):
            raise InputError(
                self._where,
                f"has {len(names)} names ({len(set(names))} distinct) for {len(vectors)} vectors",
                "Give every vector a name of its own",
            )
        self._vectors = unit_rows(vectors, self._where)
        self._positions = {name: position for position, name in enumerate(names)}
        self.digest = hashlib.sha256(
            "\0".join(names).encode("utf-8", "surrogatepass") + self._vectors.tobytes()
        ).hexdigest()

    def rows(self, wanted: Sequence[tuple[str, ...]]) -> NDArray[np.float64]:
        """For each input the vector of the first of its names that is known."""
        found = [next((self._positions[name] for name in names if name in self._positions), -1) for names in wanted]
        missing = [wanted[at][0] for at, position in enumerate(found) if position < 0]
        if missing:
            others = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
            raise InputError(
                self._where,
                f"has no embedding for {missing[0]!r}{others}",
                "Embed them too, or score with a model",
            )
        return self._vectors[np.asarray(found, dtype=np.intp)]


def _read(path: Path) -> tuple[list[str], NDArray[Any]]:
    try:
        with path.open("rb") as file:
            content = np.load(file, allow_pickle=False)
            if isinstance(content, np.ndarray):
                names = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
                return _strings(names, path), content
            if {"names", "vectors"} <= set(content.files):
                return _strings(content["names"].tolist(), path), content["vectors"]
            return list(content.files), np.stack([content[name].reshape(-1) for name in content.files])
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise InputError(
            os.fspath(path),
            f"cannot be read as embeddings ({error})",
            "Expected .npz with names and vectors, or .npy with the names in a .json list beside it",
        ) from error


def _strings(names: object, path: Path) -> list[str]:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InputError(os.fspath(path), "the names of the embeddings must be a list of strings", "Write them so")
    return names
