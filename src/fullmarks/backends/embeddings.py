"""Unit vectors of texts and images: one record, one interface, each distinct content embedded once.

Invariant: rows come back in input order; a row is a unit vector, or zeros for an image that could not be read, so
that its cosine with anything is 0.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fullmarks.backends.batches import Model, cut
from fullmarks.backends.embedding_cache import EmbeddingCache, Entry, NoCache
from fullmarks.backends.images import UnreadableImage
from fullmarks.backends.sent_images import SentImage, digests_of, each_of_images, load_sent
from fullmarks.errors import InputError, UsageError

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


DIGESTS_AT_ONCE = 256
"""Files per batch when their content is looked at and no network is asked."""


class NeuralEmbedder:
    """A model with batches, repeats embedded once, and a cache by content where one is given."""

    def __init__(self, model: Model, *, batch_size: int = 32, cache: EmbeddingCache | None = None) -> None:
        if batch_size < 1:
            raise UsageError(f"batch_size is {batch_size}; expected at least 1")
        self._model, self._batch_size = model, batch_size
        self._cache = cache or NoCache()

    @property
    def identity(self) -> str:
        """The model's."""
        return self._model.identity

    def embed_texts(self, texts: Sequence[str]) -> Embeddings:
        """One unit vector per text; texts over the model's limit are cut before their end token and named."""
        digests = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in texts]
        entries = self._cache.get(self.identity, "text", digests)
        wanted = {key: text for key, text in zip(digests, texts, strict=True) if key not in entries}
        # Texts of like length share a batch, so that little is spent on padding.
        batches = cut(sorted(wanted, key=lambda key: len(wanted[key])), self._batch_size)
        encoded = self._model.each(_encode_texts, ([wanted[key] for key in keys] for keys in batches))
        for keys, (rows, were_cut) in zip(batches, encoded, strict=True):
            self._keep("text", entries, dict(zip(keys, zip(rows, were_cut, strict=True), strict=True)))
        cut_at = tuple(position for position, key in enumerate(digests) if entries[key].truncated)
        return Embeddings(_stack(digests, entries), truncated=cut_at)

    def embed_images(self, images: Sequence[ImageSource]) -> Embeddings:
        """One unit vector per image; zeros and the reason for one that cannot be read."""
        looked = each_of_images(self._model, digests_of, cut(images, DIGESTS_AT_ONCE))
        seen = [pair for batch in looked for pair in batch]
        digests = [digest for digest, _ in seen]
        unreadable = {position: reason for position, (_, reason) in enumerate(seen) if reason}
        entries = self._cache.get(self.identity, "image", [key for key in digests if key])
        wanted = {key: image for key, image in zip(digests, images, strict=True) if key and key not in entries}
        batches = cut(list(wanted), self._batch_size)
        encoded = each_of_images(self._model, _encode_images, ([wanted[key] for key in keys] for keys in batches))
        spoilt: dict[str, str] = {}
        for keys, (rows, why_not) in zip(batches, encoded, strict=True):
            spoilt.update((key, reason) for key, reason in zip(keys, why_not, strict=True) if reason)
            readable = [key for key in keys if key not in spoilt]
            if readable:
                self._keep("image", entries, {key: (row, False) for key, row in zip(readable, rows, strict=True)})
        unreadable.update((at, spoilt[key]) for at, key in enumerate(digests) if key in spoilt)
        return Embeddings(_stack(digests, entries), unreadable=dict(sorted(unreadable.items())))

    def _keep(self, kind: str, entries: dict[str, Entry], raw: dict[str, tuple[NDArray[Any], bool]]) -> None:
        units = unit_rows(np.stack([row for row, _ in raw.values()]), self.identity)
        fresh = {key: Entry(unit, cut) for (key, (_, cut)), unit in zip(raw.items(), units, strict=True)}
        self._cache.put(self.identity, kind, fresh)
        entries.update(fresh)


def _encode_texts(encoder: Encoder, texts: Sequence[str]) -> tuple[NDArray[Any], list[bool]]:
    return encoder.encode_texts(texts)


def _encode_images(encoder: Encoder, sources: Sequence[SentImage]) -> tuple[NDArray[Any], list[str]]:
    """The vectors of the images that can be read, and for each image the reason why it cannot, empty if it can."""
    found = [load_sent(source) for source in sources]
    readable = [image for image in found if not isinstance(image, UnreadableImage)]
    reasons = [image.reason if isinstance(image, UnreadableImage) else "" for image in found]
    return encoder.encode_images(readable) if readable else np.empty((0, 0)), reasons


def _stack(keys: Sequence[str], entries: dict[str, Entry]) -> Vectors:
    """The vectors of the keys, zeros where there is none; entries are let go of on the way, to hold each once."""
    dimension = next((len(entry.vector) for entry in entries.values()), 0)
    rows = np.zeros((len(keys), dimension))
    last = {key: position for position, key in enumerate(keys)}
    for position, key in enumerate(keys):
        if key in entries:
            rows[position] = (entries.pop(key) if last[key] == position else entries[key]).vector
    return rows
