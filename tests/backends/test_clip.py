"""CLIP embeddings on a tiny CLIP of the real architecture, against one item at a time computed plainly."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fullmarks.backends.batches import ModelHere
from fullmarks.backends.clip import TransformersEncoder, load_embedder
from fullmarks.backends.embeddings import NeuralEmbedder, paired_cosines
from fullmarks.errors import InputError, MissingDependencyError, UsageError

torch = pytest.importorskip("torch", reason="needs torch: make test-all")
transformers = pytest.importorskip("transformers", reason="needs transformers: make test-all")
Image = pytest.importorskip("PIL.Image", reason="needs Pillow: make install")
from tests.backends.tiny_models import save_tiny_bart, save_tiny_clip  # noqa: E402

pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("ignore::DeprecationWarning")]

TEXTS = ["cat", "a dog", "cat", "", "abcdefghijklmnopqrstuvwxyz", "the sea", "cat"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_clip(tmp_path_factory.mktemp("models") / "clip")


def drawn(seed: int, size: tuple[int, int] = (40, 24)) -> Image.Image:
    coarse = np.random.default_rng(seed).integers(0, 256, size=(4, 4, 3), dtype=np.uint8)
    return Image.fromarray(coarse).resize(size, Image.Resampling.BILINEAR)


def plain_text_vector(folder: Path, text: str) -> np.ndarray:
    """Letters to ids by hand, cut before the end token, through the model's own parts, divided by its length."""
    model = transformers.CLIPModel.from_pretrained(folder).eval()
    ids = [52]
    for word in text.split():
        ids += [ord(letter) - 97 for letter in word[:-1]] + [26 + ord(word[-1]) - 97]
    ids = [*ids[:11], 53]
    with torch.no_grad():
        hidden = model.text_model(torch.tensor([ids])).last_hidden_state[0, -1]
        vector = model.text_projection(hidden).double().numpy()
    return vector / np.sqrt((vector**2).sum())


def plain_image_vector(folder: Path, image: Image.Image) -> np.ndarray:
    """Shortest side to 16 by Pillow's bicubic, centre crop, scaled and normalised by hand."""
    model = transformers.CLIPModel.from_pretrained(folder).eval()
    width, height = image.size
    resized = image.resize((16 * width // height, 16), Image.Resampling.BICUBIC)
    left = (resized.width - 16) // 2
    pixels = np.asarray(resized, dtype=np.float64)[:, left : left + 16] / 255
    pixels = (pixels - [0.5, 0.4, 0.3]) / [0.2, 0.3, 0.4]
    with torch.no_grad():
        tensor = torch.from_numpy(pixels).float().permute(2, 0, 1)[None]
        pooled = model.vision_model(tensor).pooler_output
        vector = model.visual_projection(pooled)[0].double().numpy()
    return vector / np.sqrt((vector**2).sum())


@pytest.mark.parametrize("batch_size", [1, 3, 32])
def test_texts_equal_the_plain_computation(folder: Path, batch_size: int) -> None:
    result = load_embedder(folder, device="cpu", batch_size=batch_size).embed_texts(TEXTS)
    for vector, text in zip(result.vectors, TEXTS, strict=True):
        np.testing.assert_allclose(vector, plain_text_vector(folder, text), atol=2e-6)
    assert result.truncated == (4,)
    assert result.vectors.dtype == np.float64


@pytest.mark.parametrize("batch_size", [1, 3, 32])
def test_images_equal_the_plain_computation(folder: Path, batch_size: int) -> None:
    images = [drawn(seed) for seed in range(4)]
    result = load_embedder(folder, device="cpu", batch_size=batch_size).embed_images([*images, images[0]])
    for vector, image in zip(result.vectors, [*images, images[0]], strict=True):
        np.testing.assert_allclose(vector, plain_image_vector(folder, image), atol=2e-6)
    assert result.unreadable == {}


def test_each_distinct_content_is_encoded_once(folder: Path, tmp_path: Path) -> None:
    encoder = TransformersEncoder(folder, device="cpu")
    seen: list[Any] = []
    texts, images = encoder.encode_texts, encoder.encode_images
    encoder.encode_texts = lambda batch: (seen.extend(batch), texts(batch))[1]  # type: ignore[method-assign]
    encoder.encode_images = lambda batch: (seen.extend(batch), images(batch))[1]  # type: ignore[method-assign]
    embedder = NeuralEmbedder(ModelHere(encoder))
    embedder.embed_texts(TEXTS)
    assert sorted(seen) == sorted(set(TEXTS))
    seen.clear()
    for name in ("a.png", "copy.png"):
        drawn(0).save(tmp_path / name)
    embedder.embed_images([tmp_path / "a.png", tmp_path / "copy.png", tmp_path / "a.png"])
    assert len(seen) == 1


def test_unreadable_images_are_zero_and_named(folder: Path, tmp_path: Path) -> None:
    drawn(0).save(tmp_path / "good.png")
    (tmp_path / "cut.png").write_bytes((tmp_path / "good.png").read_bytes()[:50])
    names = [tmp_path / "cut.png", tmp_path / "good.png", tmp_path / "absent.png", tmp_path / "cut.png"]
    embedder = load_embedder(folder, device="cpu")
    result = embedder.embed_images(names)
    assert list(result.unreadable) == [0, 2, 3]
    assert "cannot be decoded" in result.unreadable[0]
    assert result.unreadable[2] == "there is no such file"
    cosines = paired_cosines(embedder.embed_texts(["cat"] * 4), result)
    assert [value == 0 for value in cosines] == [True, False, True, True]
    nothing = embedder.embed_images(names[:1])
    assert list(paired_cosines(embedder.embed_texts(["cat"]), nothing)) == [0.0]


def test_disk_cache_gives_the_same_digits_and_spares_the_network(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn(0).save(tmp_path / "a.png")
    cache = tmp_path / "cache" / "embeddings.sqlite"
    first = load_embedder(folder, device="cpu", cache=cache)
    texts, images = first.embed_texts(TEXTS), first.embed_images([tmp_path / "a.png"])
    with monkeypatch.context() as without:
        without.delattr(TransformersEncoder, "encode_texts")
        without.delattr(TransformersEncoder, "encode_images")
        second = load_embedder(folder, device="cpu", cache=cache)
        again = second.embed_texts(TEXTS[::-1])
        assert np.array_equal(again.vectors[::-1], texts.vectors)
        assert again.truncated == (2,)
        assert np.array_equal(second.embed_images([tmp_path / "a.png"]).vectors, images.vectors)
    other = save_tiny_clip(tmp_path / "other", seed=1)
    assert not np.array_equal(load_embedder(other, device="cpu", cache=cache).embed_texts(TEXTS).vectors, texts.vectors)


def test_a_broken_cache_is_an_error(folder: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache.sqlite"
    cache.write_text("this is no database, " * 100)
    with pytest.raises(InputError, match="cannot be used as an embedding cache"):
        load_embedder(folder, device="cpu", cache=cache)


def test_identity_follows_the_content(folder: Path, tmp_path: Path) -> None:
    same, other = save_tiny_clip(tmp_path / "clip"), save_tiny_clip(tmp_path / "other", seed=1)
    identity = load_embedder(folder, device="cpu").identity
    assert identity.startswith("clip#")
    assert load_embedder(same, device="cpu").identity == identity
    assert load_embedder(other, device="cpu").identity.split("#")[1] != identity.split("#")[1]


def test_model_refusals(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(InputError, match=r"openai/clip-nowhere: could not be loaded .*hf download"):
        load_embedder("openai/clip-nowhere", device="cpu")
    with pytest.raises(InputError, match="is no directory"):
        load_embedder(tmp_path / "absent", device="cpu")
    with pytest.raises(InputError, match=r"without config\.json"):
        load_embedder(tmp_path, device="cpu")
    with pytest.raises(InputError, match="no text and image features"):
        load_embedder(save_tiny_bart(tmp_path / "bart"), device="cpu")
    with pytest.raises(UsageError, match="batch_size is 0"):
        load_embedder(folder, device="cpu", batch_size=0)
    (folder / "half").mkdir()
    (folder / "half" / "config.json").write_text((folder / "config.json").read_text())
    with pytest.raises(InputError, match="holds the whole model"):
        load_embedder(folder / "half", device="cpu")


def test_loading_prints_nothing_and_keeps_settings(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    before = transformers.utils.logging.get_verbosity(), transformers.utils.logging.is_progress_bar_enabled()
    capfd.readouterr()
    load_embedder(folder, device="cpu").embed_texts(["a" * 500])
    captured = capfd.readouterr()
    assert captured.out + captured.err == ""
    after = transformers.utils.logging.get_verbosity(), transformers.utils.logging.is_progress_bar_enabled()
    assert after == before


class FakeProcessor:
    """ruclip's processor as that package defines it: lower-case, at most length - 2 tokens between two marks."""

    text_seq_length = 6
    tokenizer = SimpleNamespace(encode=lambda texts: [[ord(letter) % 50 + 4 for letter in text] for text in texts])

    def __call__(self, text: Any = None, images: Any = None) -> dict[str, Any]:
        if images is not None:
            return {"pixel_values": torch.stack([torch.tensor(np.array(image)).float() for image in images])}
        rows = [[2, *tokens[:4], 3] for tokens in self.tokenizer.encode([each.lower() for each in text])]
        return {"input_ids": torch.tensor([row + [0] * (6 - len(row)) for row in rows])}


class FakeNetwork(torch.nn.Module):
    def encode_text(self, ids: Any) -> Any:
        return ids[:, :3].float()

    def encode_image(self, pixels: Any) -> Any:
        return pixels.mean((1, 2))


def test_ruclip_glue(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """ruclip itself needs torchvision and youtokentome; here a stand-in with its published interface is driven."""
    package = SimpleNamespace(
        MODELS={"ruclip-small": {}},
        CLIP=SimpleNamespace(from_pretrained=lambda name: FakeNetwork()),
        RuCLIPProcessor=SimpleNamespace(from_pretrained=lambda name: FakeProcessor()),
    )
    monkeypatch.setitem(sys.modules, "ruclip", package)
    (tmp_path / "bpe.model").write_bytes(b"x")
    embedder = load_embedder(tmp_path, device="cpu")
    result = embedder.embed_texts(["Ab", "abcdefg", "ab"])
    assert result.truncated == (1,)
    assert np.array_equal(result.vectors[0], result.vectors[2])
    np.testing.assert_allclose((result.vectors**2).sum(axis=1), 1.0)
    assert embedder.embed_images([drawn(0)]).vectors.shape == (1, 3)
    with pytest.raises(UsageError, match="expected ruclip-small"):
        load_embedder("ruclip-large", device="cpu")


def test_ruclip_absent() -> None:
    if "ruclip" in sys.modules:
        pytest.skip("ruclip is installed")
    with pytest.raises(MissingDependencyError, match="pip install ruclip"):
        load_embedder("ruclip-vit-large-patch14-336", device="cpu")
