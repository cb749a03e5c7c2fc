"""Unit vectors of texts and images: one record, one interface, each distinct content embedded once.

Invariant: rows come back in input order; a row is a unit vector, or zeros for an image that could not be read, so
that its cosine with anything is 0.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fullmarks.backends.embedding_cache import EmbeddingCache, Entry, NoCache
from fullmarks.backends.images import UnreadableImage, content_digest, load_image
from fullmarks.errors import InputError, UsageError
from fullmarks.regular_file import UnusableFileError

if TYPE_CHECKING:
    from PIL.Image import Image

    from fullmarks.backends.images import ImageSource

Vectors = NDArray[np.float64]


@dataclass(frozen=True)
class Embeddings:
    """One vector per input, the positions of texts that were cut, and the unreadable images' reasons."""

    vectors: Vectors
    truncated: tuple[int, ...] = ()
    unreadable: dict[int, str] = field(default_factory=dict)


class Embedder(Protocol):
    """What a CLIP score needs: texts and images in one space."""

    @property
    def identity(self) -> str:
        """The model, for the signature."""

    def embed_texts(self, texts: Sequence[str]) -> Embeddings:
        """One unit vector per text."""

    def embed_images(self, images: Sequence[ImageSource]) -> Embeddings:
        """One unit vector per image, zeros for an unreadable one."""


class Encoder(Protocol):
    """The network behind an embedder: one batch in, raw vectors out."""

    @property
    def identity(self) -> str:
        """The model, for the signature and the cache."""

    def encode_texts(self, texts: Sequence[str]) -> tuple[NDArray[Any], list[bool]]:
        """A raw vector for each text, and whether it was cut at the model's limit."""

    def encode_images(self, images: Sequence[Image]) -> NDArray[Any]:
        """A raw vector for each RGB image."""


def unit_rows(rows: NDArray[Any], where: str) -> Vectors:
    """The rows scaled to length 1 in float64; a zero row stays zero, NaN or infinity is an InputError."""
    vectors = np.asarray(rows, dtype=np.float64)
    if vectors.ndim != 2 or not np.isfinite(vectors).all():
        raise InputError(where, "embeddings must be finite vectors, one per row", "Compute them anew")
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    return vectors / np.where(lengths > 0, lengths, 1.0)


def paired_cosines(first: Embeddings, second: Embeddings) -> Vectors:
    """The cosine of each pair of rows; 0 where either image could not be read."""
    if len(first.vectors) != len(second.vectors):
        raise UsageError(f"cannot pair {len(first.vectors)} embeddings with {len(second.vectors)}")
    dimensions = {side.vectors.shape[1] for side in (first, second)} - {0}
    if len(dimensions) > 1:
        found = f"texts and images differ in dimension: {sorted(dimensions)}"
        raise InputError("embeddings", found, "Embed both by the same model")
    if 0 in (first.vectors.shape[1], second.vectors.shape[1]):
        return np.zeros(len(first.vectors))
    return np.asarray(np.einsum("ij,ij->i", first.vectors, second.vectors))


class NeuralEmbedder:
    """An encoder with batches, repeats embedded once, and a cache by content where one is given."""

    def __init__(self, encoder: Encoder, *, batch_size: int = 32, cache: EmbeddingCache | None = None) -> None:
        if batch_size < 1:
            raise UsageError(f"batch_size is {batch_size}; expected at least 1")
        self._encoder, self._batch_size = encoder, batch_size
        self._cache = cache or NoCache()

    @property
    def identity(self) -> str:
        """The encoder's model."""
        return self._encoder.identity

    def embed_texts(self, texts: Sequence[str]) -> Embeddings:
        """One unit vector per text; texts over the model's limit are cut before their end token and named."""
        digests = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in texts]
        entries = self._cache.get(self.identity, "text", digests)
        wanted = {key: text for key, text in zip(digests, texts, strict=True) if key not in entries}
        # Texts of like length share a batch, so that little is spent on padding.
        for keys in self._batches(sorted(wanted, key=lambda key: len(wanted[key]))):
            rows, cut = self._encoder.encode_texts([wanted[key] for key in keys])
            self._keep("text", entries, dict(zip(keys, zip(rows, cut, strict=True), strict=True)))
        cut_at = tuple(position for position, key in enumerate(digests) if entries[key].truncated)
        return Embeddings(_stack([entries[key].vector for key in digests]), truncated=cut_at)

    def embed_images(self, images: Sequence[ImageSource]) -> Embeddings:
        """One unit vector per image; zeros and the reason for one that cannot be read."""
        unreadable: dict[int, str] = {}
        digests = [self._digest(position, image, unreadable) for position, image in enumerate(images)]
        entries = self._cache.get(self.identity, "image", [key for key in digests if key])
        wanted = {key: image for key, image in zip(digests, images, strict=True) if key and key not in entries}
        reasons: dict[str, str] = {}
        for keys in self._batches(list(wanted)):
            opened = {key: _open(wanted[key]) for key in keys}
            reasons.update((key, got.reason) for key, got in opened.items() if isinstance(got, UnreadableImage))
            readable = {key: got for key, got in opened.items() if not isinstance(got, UnreadableImage)}
            if readable:
                rows = self._encoder.encode_images(list(readable.values()))
                self._keep("image", entries, {key: (row, False) for key, row in zip(readable, rows, strict=True)})
        unreadable.update((at, reasons[key]) for at, key in enumerate(digests) if key in reasons)
        found = [entries[key].vector if key in entries else None for key in digests]
        return Embeddings(_stack(found), unreadable=dict(sorted(unreadable.items())))

    def _keep(self, kind: str, entries: dict[str, Entry], raw: dict[str, tuple[NDArray[Any], bool]]) -> None:
        units = unit_rows(np.stack([row for row, _ in raw.values()]), self.identity)
        fresh = {key: Entry(unit, cut) for (key, (_, cut)), unit in zip(raw.items(), units, strict=True)}
        self._cache.put(self.identity, kind, fresh)
        entries.update(fresh)

    def _batches(self, keys: list[str]) -> list[list[str]]:
        return [keys[start : start + self._batch_size] for start in range(0, len(keys), self._batch_size)]

    @staticmethod
    def _digest(position: int, image: ImageSource, unreadable: dict[int, str]) -> str:
        """The content's digest, or "" with the reason noted when the file cannot be opened."""
        try:
            return content_digest(image)
        except UnusableFileError as error:
            unreadable[position] = str(error)
            return ""
        except OSError as error:
            unreadable[position] = f"cannot be read ({error})"
            return ""


def _open(image: ImageSource) -> Image | UnreadableImage:
    if isinstance(image, (str, os.PathLike)):
        return load_image(image)
    return image.convert("RGB")


def _stack(rows: Sequence[Vectors | None]) -> Vectors:
    dimension = next((len(row) for row in rows if row is not None), 0)
    return np.stack([np.zeros(dimension) if row is None else row for row in rows]) if rows else np.empty((0, 0))
