"""The CLIP score: the cosine of a text's and an image's embedding.

Invariant: a network is opened once per process for each model, outside of the metric, which stays a plain value.
"""

from __future__ import annotations

import logging
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, get_args

from fullmarks.metrics.metric import Metric
from fullmarks.options import limited
from fullmarks.types import Example, Examples, Explanation

CONTEST_MODEL = "ruclip-vit-large-patch14-336"
"""The model of FusionBrain Challenge 2.0."""

Side = Literal["images", "texts"]


class Cosines(NamedTuple):
    """The cosine of every pair, the positions of cut texts, and the reasons why images could not be read."""

    values: list[float]
    truncated: tuple[int, ...]
    unreadable: dict[int, str]


@dataclass(frozen=True)
class ClipScore(Metric):
    """Cosine of text and image embeddings; of several references the best counts.

    `model` is a CLIP-like model of `transformers` by name or directory, a model of `ruclip`, or a file of ready
    embeddings (.npz or .npy; TEXTS,IMAGES where there are two). `judged` says which side the predictions are: paths of
    images, with texts as references, or the reverse. An unreadable image scores 0.0 and is logged.
    """

    name: ClassVar[str] = "clip_score"
    summary: ClassVar[str] = "CLIP score: cosine of text and image embeddings"
    citation: ClassVar[str] = (
        "Radford et al.: Learning Transferable Visual Models From Natural Language Supervision, ICML 2021"
    )
    features: ClassVar[dict[str, str]] = {
        "predictions": "path of an image, or text with judged='texts'",
        "references": "list of texts, or of paths of images with judged='texts'",
    }
    needs: ClassVar[str] = "vision"
    fewest_references: ClassVar[int] = 1

    model: str = CONTEST_MODEL
    judged: Side = limited("images", choices=get_args(Side))
    device: str | None = None
    batch_size: int = limited(32, least=1)
    cache: str | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The cosine."""
        return (self.name,)

    @property
    def is_ready(self) -> bool:
        """Whether the embeddings come from files, found by text and by image name."""
        return _is_ready(self.model)

    @property
    def model_identity(self) -> str:
        """The model or the embeddings by content; loads them."""
        return str(self._embedder().identity)

    def pairs(self, texts: Sequence[str], images: Sequence[str]) -> Cosines:
        """The cosine of each text with the image at its position; each distinct one is embedded once."""
        from fullmarks.backends.embeddings import paired_cosines

        if not texts:
            return Cosines([], (), {})
        embedder = self._embedder()
        of_texts, of_images = embedder.embed_texts(texts), embedder.embed_images(images)
        return Cosines(paired_cosines(of_texts, of_images).tolist(), of_texts.truncated, of_images.unreadable)

    def rows(self, examples: Examples) -> array[float]:
        """The best cosine of every example, all pairs embedded in one go."""
        ours = [text for text, golds in zip(examples.predictions, examples.references, strict=True) for _ in golds]
        theirs = [gold for golds in examples.references for gold in golds]
        texts, images = (theirs, ours) if self.judged == "images" else (ours, theirs)
        found = self.pairs(texts, images)
        for position, reason in found.unreadable.items():
            logging.getLogger("fullmarks").warning("clip_score: %s scores 0: %s", images[position], reason)
        cosines = iter(found.values)
        return array("d", [max([next(cosines) for _ in golds], default=0.0) for golds in examples.references])

    def explain(self, example: Example) -> Explanation:
        """The cosine with every reference."""
        table = [
            {"reference": gold, "cosine": self.rows(Examples([0], [example.prediction], [[gold]]))[0]}
            for gold in example.references
        ]
        facts = {"prediction": example.prediction, "model": self.model_identity}
        return Explanation(example.id, {self.name: max(row["cosine"] for row in table)}, facts, {"references": table})

    @property
    def runs_models(self) -> bool:
        """It does."""
        return True

    def signature_parts(self) -> dict[str, str]:
        """The model by content and which side was judged."""
        return {"model": self.model_identity, "judged": self.judged}

    def _embedder(self) -> Any:
        if self.is_ready:
            from fullmarks.backends.ready_embeddings import ReadyEmbedder

            files = self.model.split(",")
            return ReadyEmbedder(files[0], files[-1])
        from fullmarks.backends.clip import load_embedder

        return load_embedder(self.model, device=self.device, batch_size=self.batch_size, cache=self.cache)


def _is_ready(model: str) -> bool:
    files = model.split(",")
    return len(files) <= 2 and all(name.endswith((".npz", ".npy")) for name in files)
