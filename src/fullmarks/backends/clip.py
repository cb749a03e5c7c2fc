"""CLIP-like networks: any such model of `transformers`, and `ruclip` where it is installed.

Invariant: a text longer than the model takes is cut so that its end token stays, and said to be cut.
"""

from __future__ import annotations

import importlib.metadata
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from fullmarks.backends.batches import Opener, opened
from fullmarks.backends.digests import directory_digest
from fullmarks.backends.embedding_cache import DiskCache
from fullmarks.backends.embeddings import Embedder, Encoder, NeuralEmbedder
from fullmarks.backends.model_source import check_model_name, identify, load_pretrained
from fullmarks.backends.torch_device import choose_device
from fullmarks.errors import InputError, MissingDependencyError, UsageError
from fullmarks.optional import require

if TYPE_CHECKING:
    from PIL.Image import Image


def load_embedder(
    model: str | os.PathLike[str],
    *,
    device: str | None = None,
    batch_size: int = 32,
    cache: str | os.PathLike[str] | None = None,
) -> Embedder:
    """An embedder for a model's name or directory; `cache` is the file that keeps embeddings between runs."""
    found = opened(Opener(load_encoder, (os.fspath(model),), device))
    return NeuralEmbedder(found, batch_size=batch_size, cache=None if cache is None else DiskCache(cache))


def load_encoder(name: str, *, device: str | None = None) -> Encoder:
    """The network of a model's name or directory.

    Names that start with "ruclip-", and directories with a `bpe.model`, are loaded by the package ruclip.
    """
    is_ruclip = (name.startswith("ruclip-") and not Path(name).is_dir()) or Path(name, "bpe.model").is_file()
    return (RuclipEncoder if is_ruclip else TransformersEncoder)(name, device=device)


class TransformersEncoder:
    """A model of `transformers` with text and image features in one space (CLIP, SigLIP, AltCLIP, ...)."""

    def __init__(self, model: str | os.PathLike[str], *, device: str | None = None) -> None:
        self._torch = require("torch", needed_by="clip_score", extra="vision")
        transformers = require("transformers", needed_by="clip_score", extra="vision")
        require("PIL.Image", needed_by="clip_score", extra="vision")
        self._device = choose_device(self._torch, device)
        name = check_model_name(model)
        network = load_pretrained(transformers, transformers.AutoModel, name)
        if not (hasattr(network, "get_text_features") and hasattr(network, "get_image_features")):
            raise InputError(
                f"model {name}", f"is a {type(network).__name__}, which has no text and image features", "Use a CLIP"
            )
        self._network = network.float().to(self._device).eval()
        self._tokenizer = load_pretrained(transformers, transformers.AutoTokenizer, name)
        self._image_processor = load_pretrained(
            transformers, transformers.AutoImageProcessor, name, **_pillow_backend(transformers)
        )
        self._identity = identify(name, network.config)
        self._limit = _text_limit(network.config, self._tokenizer)
        # SigLIP reads its text vector off the last position, so it must see the padding it was trained with.
        self._padding = "max_length" if "siglip" in str(network.config.model_type) else "longest"

    @property
    def identity(self) -> str:
        """The model's name and content."""
        return self._identity

    def encode_texts(self, texts: Sequence[str]) -> tuple[NDArray[Any], list[bool]]:
        """The text features, and which texts had more tokens than the model takes."""
        whole = self._tokenizer(list(texts), verbose=False)["input_ids"]
        inputs = self._tokenizer(
            list(texts), padding=self._padding, truncation=True, max_length=self._limit, return_tensors="pt"
        )
        with self._torch.inference_mode():
            output = self._network.get_text_features(**inputs.to(self._device))
        return self._array(output), [len(tokens) > self._limit for tokens in whole]

    def encode_images(self, images: Sequence[Image]) -> NDArray[Any]:
        """The image features."""
        pixels = self._image_processor(images=list(images), return_tensors="pt")["pixel_values"]
        with self._torch.inference_mode():
            output = self._network.get_image_features(pixel_values=pixels.to(self._device))
        return self._array(output)

    def _array(self, output: Any) -> NDArray[Any]:
        """The features themselves: older versions of transformers give a tensor, newer ones a record."""
        tensor = output if self._torch.is_tensor(output) else output.pooler_output
        array: NDArray[Any] = tensor.double().cpu().numpy()
        return array


def _pillow_backend(transformers: Any) -> dict[str, Any]:
    """The option that asks for the image processor on Pillow and NumPy, which needs no torchvision."""
    major = int(str(transformers.__version__).split(".", maxsplit=1)[0])
    return {"backend": "pil"} if major >= 5 else {"use_fast": False}


def _text_limit(config: Any, tokenizer: Any) -> int:
    text = getattr(config, "text_config", config)
    limits = (getattr(text, "max_position_embeddings", None), tokenizer.model_max_length)
    known = [int(limit) for limit in limits if limit and limit < 1e6]
    if not known:
        where = f"model {config.name_or_path}"
        raise InputError(where, "does not say how long a text it takes", "Add max_position_embeddings to its config")
    return min(known)


class RuclipEncoder:
    """A model of the package ruclip, by its name there or from a directory."""

    def __init__(self, model: str | os.PathLike[str], *, device: str | None = None) -> None:
        self._torch = require("torch", needed_by="clip_score", extra="vision")
        self._device = choose_device(self._torch, device)
        name = os.fspath(model)
        try:
            ruclip = require("ruclip", needed_by="ruclip models", extra="vision")
        except MissingDependencyError as error:
            raise MissingDependencyError(f"{error} and: pip install ruclip") from error
        if Path(name).is_dir():
            self._network = ruclip.CLIP.from_pretrained(name).eval().to(self._device)
            self._processor = ruclip.RuCLIPProcessor.from_pretrained(name)
            self._identity = f"{Path(name).resolve().name}#{directory_digest(name)[:8]}"
        else:
            self._network, self._processor = _fetch_ruclip(ruclip, name, self._device)
            self._identity = f"{name},ruclip-{importlib.metadata.version('ruclip')}"

    @property
    def identity(self) -> str:
        """The model's name and content, or its name and the package's version."""
        return self._identity

    def encode_texts(self, texts: Sequence[str]) -> tuple[NDArray[Any], list[bool]]:
        """The text features; the processor lower-cases, and cuts before the end token."""
        room = self._processor.text_seq_length - 2
        tokens = self._processor.tokenizer.encode([text.lower() for text in texts])
        inputs = self._processor(text=list(texts))["input_ids"]
        with self._torch.inference_mode():
            output = self._network.encode_text(inputs.to(self._device))
        return output.double().cpu().numpy(), [len(row) > room for row in tokens]

    def encode_images(self, images: Sequence[Image]) -> NDArray[Any]:
        """The image features."""
        pixels = self._processor(images=list(images))["pixel_values"]
        with self._torch.inference_mode():
            output = self._network.encode_image(pixels.to(self._device))
        array: NDArray[Any] = output.double().cpu().numpy()
        return array


def _fetch_ruclip(ruclip: Any, name: str, device: Any) -> tuple[Any, Any]:
    if name not in ruclip.MODELS:
        raise UsageError(f"unknown ruclip model {name!r}: expected {', '.join(ruclip.MODELS)} or a directory")
    try:
        network, processor = ruclip.load(name, device=device)
    except (OSError, ValueError, RuntimeError) as error:
        raise InputError(
            f"model {name}", f"could not be fetched ({error})", "Give the directory with its three files instead"
        ) from error
    return network.eval(), processor
