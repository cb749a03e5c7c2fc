"""The complete contest with images and networks: a tiny CLIP, a small TorchScript network, one command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fullmarks
from fullmarks.cli.run import run
from fullmarks.errors import InputError
from fullmarks.protocols.fusionbrain.subtasks import TASKS
from tests.backends.tiny_models import save_tiny_clip
from tests.protocols.contest import METEOR, TEXT_SCORES, Contest, draw_images, write_contest

for package in ("torch", "transformers", "PIL", "pymorphy3", "razdel", "rapidfuzz"):
    pytest.importorskip(package, reason=f"needs {package}: make test-all")
pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("ignore::DeprecationWarning")]


@pytest.fixture(scope="module")
def networks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    import torch

    class Colours(torch.nn.Module):
        def forward(self, pixels: torch.Tensor) -> torch.Tensor:
            return pixels.mean(dim=(2, 3)) * 10

    folder = tmp_path_factory.mktemp("networks")
    torch.jit.script(Colours()).save(str(folder / "colours.pt"))
    return {"clip": str(save_tiny_clip(folder / "clip")), "inception": str(folder / "colours.pt")}


@pytest.fixture
def contest(tmp_path: Path) -> Contest:
    draw_images(tmp_path)
    return write_contest(tmp_path)


def score(contest: Contest, networks: dict[str, str], **given: Any) -> fullmarks.Result:
    return fullmarks.score(
        "fusionbrain", *contest.files, **{**contest.options, **networks, "synonyms": "none", **given}
    )


def plain_cosine(clip: str, text: str, path: Path) -> float:
    """The cosine by transformers alone, one text and one image at a time."""
    import torch
    from PIL import Image
    from transformers import AutoTokenizer, CLIPImageProcessor, CLIPModel

    model = CLIPModel.from_pretrained(clip).eval()
    tokens = AutoTokenizer.from_pretrained(clip)([text], truncation=True, max_length=12, return_tensors="pt")
    pixels = CLIPImageProcessor.from_pretrained(clip)(images=[Image.open(path).convert("RGB")], return_tensors="pt")
    with torch.inference_mode():
        output = model(pixel_values=pixels["pixel_values"], **tokens)
    return float((output.text_embeds * output.image_embeds).sum())


def plain_features(paths: list[Path]) -> np.ndarray[Any, Any]:
    """What the small network makes of images in RGB at 256 x 256, then 299 x 299, from -1 to 1."""
    import torch
    from PIL import Image

    rows = []
    for path in paths:
        small = np.asarray(Image.open(path).convert("RGB").resize((256, 256), Image.Resampling.BILINEAR))
        pixels = torch.from_numpy(small.copy()).permute(2, 0, 1)[None].float() / 255
        large = torch.nn.functional.interpolate(pixels, size=(299, 299), mode="bilinear", align_corners=False)
        rows.append(((2 * large - 1).mean(dim=(2, 3)) * 10)[0].double().numpy())
    return np.stack(rows)


def test_the_complete_contest_in_one_command(
    contest: Contest, networks: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = contest.folder
    words = ["--ids", folder / "ids.json", "--input", folder / "input.json", "--images", folder / "images"]
    words += ["--gold-images", folder / "gold", "--synonyms", "none", "--hidden", "memes=0.5"]
    words += ["--clip", networks["clip"], "--inception", networks["inception"], "-f", "json"]
    assert run(["score", "fusionbrain", *map(str, [*contest.files, *words])]) == 0
    shown = capsys.readouterr()
    found = json.loads(shown.out)
    assert list(found) == ["S", *TASKS, "hidden"]
    assert {task: found[task]["score"] for task in TEXT_SCORES} == pytest.approx(TEXT_SCORES, rel=1e-15)
    captions, drawn = found["ImageCaptioning"], found["ImageGeneration"]
    told = [
        plain_cosine(networks["clip"], "у реки красный дом", folder / "shown/red.png"),
        plain_cosine(networks["clip"], "машина", folder / "shown/blue.png"),
    ]
    colours = enumerate(["red", "green", "blue", "grey"], start=1)
    cosines = [plain_cosine(networks["clip"], name, folder / f"images/g{at}.png") for at, name in colours]
    # The network works in float32: one batch and single images differ by a few roundings of 6e-8.
    assert captions["CLIP"] == pytest.approx(np.mean(told), abs=1e-6)
    assert captions["METEOR"] == pytest.approx(METEOR, rel=1e-15)
    assert drawn["CLIP"] == pytest.approx(np.mean(cosines), abs=1e-6)
    one = plain_features([folder / f"images/g{at}.png" for at in range(1, 5)])
    two = plain_features([folder / f"gold/{at}.png" for at in range(1, 5)])
    product = np.linalg.eigvals(np.cov(one.T) @ np.cov(two.T))
    apart = ((one.mean(axis=0) - two.mean(axis=0)) ** 2).sum()
    textbook = (
        apart + np.trace(np.cov(one.T)) + np.trace(np.cov(two.T)) - 2 * np.sqrt(np.maximum(product.real, 0)).sum()
    )
    # float32 features of size 10 are good to 1e-6, the textbook formula itself to 1e-6 of its largest term.
    assert drawn["FID"] == pytest.approx(textbook, abs=1e-6 * np.trace(np.cov(one.T)) + 1e-5)
    assert drawn["score"] == 0.5 * ((200 - drawn["FID"]) / 200 + drawn["CLIP"])
    assert captions["score"] == 0.5 * (captions["METEOR"] + captions["CLIP"])
    tasks = sum(found[task]["score"] for task in TASKS)
    assert found["S"] == pytest.approx(tasks / 15 + 0.5 / 10, rel=1e-15)
    assert "image statistics from few images" in shown.err


def test_default_folders_are_beside_the_files(contest: Contest, networks: dict[str, str]) -> None:
    folders = {name: contest.folder / folder for name, folder in (("images", "images"), ("gold_images", "gold"))}
    assert score(contest, networks).official == score(contest, networks, **folders).official


def test_statistics_can_be_kept_and_used_again(contest: Contest, networks: dict[str, str]) -> None:
    path = contest.folder / "kept.npz"
    first = score(contest, networks, save_stats=path)
    again = score(contest, networks, gold_images=path)
    # Covariances from a file have other square roots than rows have: the last digits move.
    assert again.official["ImageGeneration"]["FID"] == pytest.approx(first.official["ImageGeneration"]["FID"], rel=1e-6)
    kept = plain_features([contest.folder / f"gold/{at}.png" for at in range(1, 5)])
    assert np.load(path)["mu"] == pytest.approx(kept.mean(axis=0), abs=1e-5)


def test_broken_images_score_zero_and_are_named(contest: Contest, networks: dict[str, str]) -> None:
    (contest.folder / "images/g1.png").write_bytes(b"no image")
    (contest.folder / "images/g3.png").unlink()
    result = score(contest, networks, task="ImageGeneration")
    cosines = {record["id"]: record["CLIP"] for record in result.per_example}
    assert cosines["g1"] == cosines["g3"] == 0.0
    assert cosines["g2"] != 0.0
    assert result.official["ImageGeneration"]["n"] == 4
    assert result.audit.findings["unreadable-images"].first_ids == ["g1", "g3"]
    assert result.official["ImageGeneration"]["CLIP"] == pytest.approx((cosines["g2"] + cosines["g4"]) / 4)


def test_without_two_images_the_distance_is_the_worst(contest: Contest, networks: dict[str, str]) -> None:
    for at in (1, 2, 3):
        (contest.folder / f"images/g{at}.png").write_bytes(b"no image")
    result = score(contest, networks, task="ImageGeneration")
    assert result.official["ImageGeneration"]["FID"] == 200.0
    assert "no-predicted-images" in result.audit.findings


def test_cut_texts_are_counted(contest: Contest, networks: dict[str, str]) -> None:
    result = score(contest, networks, task="ImageCaptioning")
    assert result.audit.findings["cut-texts"].first_ids == ["c1", "c2"]


def test_features_that_are_no_numbers_are_an_error(contest: Contest, networks: dict[str, str], tmp_path: Path) -> None:
    import torch

    class Nothing(torch.nn.Module):
        def forward(self, pixels: torch.Tensor) -> torch.Tensor:
            return pixels.mean(dim=(2, 3)) * float("nan")

    torch.jit.script(Nothing()).save(str(tmp_path / "nothing.pt"))
    with pytest.raises(InputError, match="every feature must be finite"):
        score(contest, {**networks, "inception": str(tmp_path / "nothing.pt")}, task="ImageGeneration")


def test_embeddings_are_kept_between_runs(contest: Contest, networks: dict[str, str], tmp_path: Path) -> None:
    cache = tmp_path / "embeddings.db"
    first = score(contest, networks, clip_cache=cache)
    assert cache.stat().st_size > 0
    assert score(contest, networks, clip_cache=cache).official == first.official


class TestAlone:
    def test_clip_score(self, contest: Contest, networks: dict[str, str]) -> None:
        red, blue = (str(contest.folder / f"shown/{name}.png") for name in ("red", "blue"))
        metric = fullmarks.load("clip_score", model=networks["clip"])
        each = metric.each(predictions=[red, blue], references=[["red", "grey"], "blue"])
        assert each[0] == pytest.approx(
            max(plain_cosine(networks["clip"], name, Path(red)) for name in ("red", "grey")), abs=1e-6
        )
        assert metric.compute(predictions=[red, blue], references=[["red", "grey"], "blue"]) == {
            "clip_score": (each[0] + each[1]) / 2
        }
        turned = fullmarks.load("clip_score", model=networks["clip"], judged="texts")
        assert turned.each(predictions=["blue"], references=[blue]) == pytest.approx([each[1]], abs=1e-6)
        assert metric.explain(prediction=blue, references=["blue"]).scores["clip_score"] == pytest.approx(
            each[1], abs=1e-6
        )
        assert metric.signature(2).startswith("clip_score|model:clip#")

    def test_an_unreadable_image_is_logged(
        self, networks: dict[str, str], tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        (tmp_path / "x.png").write_bytes(b"no image")
        metric = fullmarks.load("clip_score", model=networks["clip"])
        assert metric.each(predictions=[str(tmp_path / "x.png")], references=["red"]) == [0.0]
        assert "scores 0" in caplog.text

    def test_fid(self, contest: Contest, networks: dict[str, str], tmp_path: Path) -> None:
        ours = [contest.folder / f"images/g{at}.png" for at in range(1, 5)]
        theirs = [contest.folder / f"gold/{at}.png" for at in range(1, 5)]
        metric = fullmarks.load("fid", inception=networks["inception"])
        whole = metric.compute(predictions=ours, references=theirs)
        assert whole == {"fid": score(contest, networks).official["ImageGeneration"]["FID"]}
        metric.add_batch(predictions=ours[:1], references=theirs[:3])
        metric.add_batch(predictions=ours[1:], references=theirs[3:])
        assert metric.compute() == whole
        assert metric.compute(predictions=ours, references=ours) == {"fid": 0.0}
        assert "colours.pt#" in metric.signature(4)
        assert "rgb,256x256,bilinear" in metric.signature(4)
        (tmp_path / "x.png").write_bytes(b"no image")
        with pytest.raises(InputError, match=r"x\.png"):
            metric.compute(predictions=[*ours, tmp_path / "x.png"], references=theirs)
