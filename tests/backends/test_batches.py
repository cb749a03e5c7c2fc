"""Batches of a model: cut here, computed wherever the model is, given back in order; images sent by path or content."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from fullmarks.backends.batches import Model, ModelHere, Opener, cut, open_here, opened, using
from fullmarks.backends.embeddings import NeuralEmbedder
from fullmarks.backends.images import UnreadableImage, load_image
from fullmarks.backends.sent_images import digests_of, each_of_images, load_sent

Image = pytest.importorskip("PIL.Image", reason="needs Pillow: make install")


class Counting:
    """A network that says how often it was opened."""

    times: ClassVar[int] = 0

    def __init__(self, name: str, *, device: str | None = None) -> None:
        type(self).times += 1
        self.identity = f"{name} on {device}"


class Means:
    """Stands in for a CLIP: a text's vector is made of its letters, an image's of its colours."""

    identity = "means"

    def encode_texts(self, texts: Iterable[str]) -> tuple[np.ndarray, list[bool]]:
        rows = [[len(text) + 1.0, text.count("a"), text.count("e")] for text in texts]
        return np.array(rows), [len(text) > 5 for text in texts]

    def encode_images(self, images: Iterable[Any]) -> np.ndarray:
        return np.stack([np.asarray(image, dtype=float).mean(axis=(0, 1)) for image in images])


class Elsewhere(Model):
    """A model behind a wall that only bytes pass, which looks `ahead` batches ahead and sees `folder` alone."""

    is_here: ClassVar[bool] = False

    def __init__(self, network: Any, ahead: int = 3) -> None:
        self._network, self._ahead = network, ahead
        self.sent: list[Any] = []

    @property
    def identity(self) -> str:
        return str(self._network.identity)

    def each(self, work: Callable[[Any, Any], Any], batches: Iterable[Any]) -> Iterator[Any]:
        waiting: list[Any] = []
        for batch in batches:
            packed = pickle.dumps((work, batch))
            self.sent.append(packed)
            waiting.append(packed)
            if len(waiting) > self._ahead:
                yield self._answer(waiting.pop(0))
        for packed in waiting:
            yield self._answer(packed)

    def _answer(self, packed: bytes) -> Any:
        work, batch = pickle.loads(packed)
        return pickle.loads(pickle.dumps(work(self._network, batch)))


def times(factor: int, network: Any, batch: int) -> int:
    return factor * batch


def test_pieces_of_any_size() -> None:
    assert cut([1, 2, 3, 4, 5], 2) == [[1, 2], [3, 4], [5]]
    assert cut([1, 2], 5) == [[1, 2]]
    assert cut([], 5) == []


def test_a_model_is_opened_once_and_computes_in_order() -> None:
    before, opener = Counting.times, Opener(Counting, ("x",), "cpu")
    first, second = opened(opener), opened(Opener(Counting, ("x",), "cpu"))
    assert first is second
    assert first.identity == "x on cpu"
    assert Counting.times == before + 1
    assert opened(Opener(Counting, ("y",))).identity == "y on None"
    assert list(first.each(partial(times, 3), iter([2, 1, 5]))) == [6, 3, 15]
    open_here.cache_clear()


def test_batches_are_taken_as_they_are_needed() -> None:
    taken: list[int] = []

    def batches() -> Iterator[int]:
        for number in range(3):
            taken.append(number)
            yield number

    found = ModelHere(None).each(partial(times, 2), batches())
    assert taken == []
    assert next(found) == 0
    assert taken == [0]


def test_models_run_elsewhere_inside_the_block_alone() -> None:
    asked: list[Opener] = []

    def elsewhere(opener: Opener) -> Model:
        asked.append(opener)
        return Elsewhere(Means())

    opener = Opener(Counting, ("z",))
    with using(elsewhere):
        assert not opened(opener).is_here
        with using(lambda _: ModelHere(Means())):
            assert opened(opener).is_here
        assert not opened(opener).is_here
    assert opened(opener).is_here
    assert asked == [opener, opener]
    open_here.cache_clear()


def test_an_opener_can_be_sent_and_is_equal_then() -> None:
    opener = Opener(load_image, ("a",), "cuda", is_neural=False)
    assert pickle.loads(pickle.dumps(opener)) == opener
    assert hash(opener) == hash(Opener(load_image, ("a",), "cuda", is_neural=False))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number in range(7):
        pixels = np.random.default_rng(number % 5).integers(0, 256, size=(4, 5, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(tmp_path / f"{number}.png")
    (tmp_path / "text.png").write_text("no image at all")
    (tmp_path / "cut.png").write_bytes((tmp_path / "0.png").read_bytes()[:60])
    (tmp_path / "folder.png").mkdir()
    return tmp_path


NAMES = [
    "0.png", "text.png", "1.png", "absent.png", "2.png", "cut.png", "3.png", "4.png", "folder.png", "5.png", "6.png",
    "nul\0.png", "text.png",
]  # fmt: skip


@pytest.mark.parametrize("batch_size", [1, 2, 3, 32])
@pytest.mark.parametrize("is_seen", [True, False], ids=["by path", "by content"])
def test_images_are_the_same_whichever_way_they_come(
    folder: Path, monkeypatch: pytest.MonkeyPatch, batch_size: int, is_seen: bool
) -> None:
    monkeypatch.chdir(folder)
    images: list[Any] = [*NAMES, folder / "0.png", Image.new("L", (3, 2), 7)]
    here = NeuralEmbedder(ModelHere(Means()), batch_size=batch_size).embed_images(images)
    if not is_seen:
        monkeypatch.setattr("fullmarks.backends.sent_images.StampedFile.is_seen", False)
    model = Elsewhere(Means())
    there = NeuralEmbedder(model, batch_size=batch_size).embed_images(images)
    assert np.array_equal(there.vectors, here.vectors)
    assert there.unreadable == here.unreadable
    assert list(here.unreadable) == [1, 3, 5, 8, 11, 12]
    content = (folder / "2.png").read_bytes()
    assert any(content in packed for packed in model.sent) is not is_seen


def test_files_are_sent_by_content_once_one_was_not_seen(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fullmarks.backends.sent_images.StampedFile.is_seen", False)
    model = Elsewhere(None, ahead=1)
    paths = [folder / f"{number}.png" for number in range(7)]
    found = list(each_of_images(model, digests_of, [[path] for path in paths]))
    assert found == list(each_of_images(ModelHere(None), digests_of, [[path] for path in paths]))
    # Two went by path before the first answer came, and each of these again.
    assert len(model.sent) == 7 + 2


def test_a_file_of_the_same_name_is_another_file(folder: Path) -> None:
    """Between here and there the file is replaced, as it may be where machines share no disk."""
    path = folder / "0.png"
    content = path.read_bytes()

    class Other(Elsewhere):
        def _answer(self, packed: bytes) -> Any:
            path.write_bytes((folder / "1.png").read_bytes())
            os.utime(path, ns=(1, 1))
            answer = super()._answer(packed)
            path.write_bytes(content)
            return answer

    (found,) = each_of_images(Other(None), digests_of, [[path]])
    assert found == digests_of(None, [path])


def test_a_reason_names_no_open_file(folder: Path) -> None:
    """What Pillow says holds the number of the open file, which is another one in every process."""
    path = folder / "text.png"
    with Path(os.devnull).open() as _:
        first = load_image(path)
    assert first == load_image(path)
    assert isinstance(first, UnreadableImage)
    assert first.reason == "cannot be decoded (UnidentifiedImageError: cannot identify image file text.png)"


def test_open_images_are_taken_in_rgb() -> None:
    found = load_sent(Image.new("L", (3, 2), 7))
    assert not isinstance(found, UnreadableImage)
    assert (found.mode, found.getpixel((0, 0))) == ("RGB", (7, 7, 7))


def test_texts_come_back_in_input_order_from_elsewhere() -> None:
    texts = ["banana", "a", "pear", "eel", "a", "", "apple pie"]
    here = NeuralEmbedder(ModelHere(Means()), batch_size=2).embed_texts(texts)
    there = NeuralEmbedder(Elsewhere(Means()), batch_size=2).embed_texts(texts)
    assert np.array_equal(there.vectors, here.vectors)
    assert there.truncated == here.truncated == (0, 6)


def test_the_hook_needs_no_heavy_package() -> None:
    script = "import sys, fullmarks.backends.batches; print(*({'torch', 'ray', 'PIL', 'numpy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_nothing_is_sent_for_no_images() -> None:
    model = Elsewhere(Means())
    assert NeuralEmbedder(model).embed_images([]).vectors.shape == (0, 0)
    assert model.sent == []
