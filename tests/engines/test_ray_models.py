"""Models on actors of a Ray cluster on this machine: the digits, findings and errors of a single process."""

from __future__ import annotations

import json
import logging
import os
import signal
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fullmarks
from fullmarks.backends import sent_images
from fullmarks.backends.batches import using
from fullmarks.backends.inception import packaged_inception
from fullmarks.backends.progress import listening
from fullmarks.engines import model_pool
from fullmarks.engines.pool_size import PoolSize
from fullmarks.engines.ray_models import RayModels, models_on_ray
from fullmarks.errors import FullmarksError, InputError, MissingDependencyError
from fullmarks.metrics.fid import Fid
from tests.backends.tiny_models import save_tiny_bart, save_tiny_clip
from tests.engines.ray_nodes import Nodes
from tests.processes import PATIENCE_SECONDS
from tests.protocols.contest import Contest, draw_images, write_contest

pytestmark = [pytest.mark.neural, pytest.mark.cluster, pytest.mark.filterwarnings("ignore::DeprecationWarning")]

WORDS = ("the cat", "red mat", "some river", "a dog sat", "e", "green house by the sea", "blue")


@pytest.fixture(scope="module", autouse=True)
def torch(nodes: Nodes) -> Iterator[Any]:
    """One thread here and in every actor, for a machine with few cores; three nodes with one CPU each."""
    torch = pytest.importorskip("torch", reason="needs torch: make test-all")
    for needed in ("transformers", "PIL.Image"):
        pytest.importorskip(needed, reason=f"needs {needed}: make test-all")
    import ray

    nodes.have(3)
    ray.init(address=nodes.address, log_to_driver=False)
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(model_pool, "PATIENCE_SECONDS", 10 * PATIENCE_SECONDS)  # nothing is said of a busy machine
        yield torch
    torch.set_num_threads(before)
    ray.shutdown()


def refuse(text: str) -> None:
    pytest.fail(text)


def on_actors(models: int) -> AbstractContextManager[RayModels]:
    """New actors for every network, of which none may be lost."""
    return models_on_ray(PoolSize(models=models, threads=1), refuse)


class TwoActors:
    """Two actors that tests share; what they say is the test's that asks them."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.models = RayModels(PoolSize(models=2, threads=1), self.told.append)

    @contextmanager
    def used(self) -> Iterator[RayModels]:
        self.told.clear()
        with using(self.models.open):
            yield self.models


def kill_one(models: RayModels) -> None:
    """Kill an actor of the network that is at work."""
    (pool,) = (pool for pool in models._pools.values() if pool.is_busy)
    os.kill(pool.processes[0], signal.SIGKILL)


@pytest.fixture(scope="module")
def two_actors() -> Iterator[TwoActors]:
    made = TwoActors()
    yield made
    made.models.close()


@pytest.fixture(scope="module")
def networks(tmp_path_factory: pytest.TempPathFactory, torch: Any) -> dict[str, str]:
    class Colours(torch.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, pixels: torch.Tensor) -> torch.Tensor:
            return torch.nn.functional.adaptive_avg_pool2d(pixels, 2).flatten(1) * 10

    folder = tmp_path_factory.mktemp("networks")
    torch.jit.script(Colours()).save(str(folder / "colours.pt"))
    return {
        "clip": str(save_tiny_clip(folder / "clip")),
        "bart": str(save_tiny_bart(folder / "bart", seed=4)),
        "inception": str(folder / "colours.pt"),
    }


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Seventy images, of which some are alike, two are none and one is not there."""
    from PIL import Image

    folder = tmp_path_factory.mktemp("images")
    paths = [folder / f"{number}.png" for number in range(70)]
    for number, path in enumerate(paths):
        pixels = np.random.default_rng(number % 60).integers(0, 256, size=(20, 20 + number % 60, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(path)
    paths[7].write_bytes(b"no image")
    paths[33].write_bytes(paths[32].read_bytes()[:90])
    paths[50].unlink()
    return [str(path) for path in paths]


@pytest.fixture(scope="module")
def whole(images: list[str]) -> list[str]:
    return [path for number, path in enumerate(images) if number not in (7, 33, 50)]


def texts(count: int, seed: int = 0) -> list[str]:
    drawn = np.random.default_rng(seed)
    return [" ".join(drawn.choice(WORDS, size=drawn.integers(1, 4))) for _ in range(count)]


class TestClip:
    @pytest.mark.parametrize("actors", [3, *(pytest.param(actors, marks=pytest.mark.deep) for actors in (1, 2))])
    def test_scores_and_warnings(
        self, networks: dict[str, str], images: list[str], actors: int, caplog: pytest.LogCaptureFixture
    ) -> None:
        captions, more = texts(len(images)), texts(len(images), seed=1)
        references = [list(pair) for pair in zip(captions, more, strict=True)]
        with on_actors(actors):
            there = [self.scores(networks["clip"], images, references, size, caplog) for size in (1, 7, 32)]
        here = [self.scores(networks["clip"], images, references, size, caplog) for size in (1, 7, 32)]
        assert there == here
        assert len(here[0][1]) == 6  # three images cannot be read, and each is compared with two texts

    @staticmethod
    def scores(
        model: str, images: list[str], references: list[list[str]], size: int, caplog: pytest.LogCaptureFixture
    ) -> tuple[list[float], list[str], str]:
        caplog.clear()
        metric = fullmarks.load("clip_score", model=model, batch_size=size)
        with caplog.at_level(logging.WARNING, "fullmarks"):
            each = metric.each(predictions=images, references=references)
        return each, [record.getMessage() for record in caplog.records], metric.signature(len(images))


class TestBart:
    def test_scores_progress_and_a_killed_actor(self, networks: dict[str, str], two_actors: TwoActors) -> None:
        predictions, references = texts(60), [[text] for text in texts(60, seed=2)]

        def scores(size: int, listener: Any) -> list[float]:
            metric = fullmarks.load("bart_score", model=networks["bart"], batch_size=size)
            with listening(listener):
                found: list[float] = metric.each(predictions=predictions, references=references)
            return found

        steps: dict[str, list[Any]] = {"here": [], "there": []}
        with two_actors.used() as models:
            there = [scores(size, lambda *step: steps["there"].append(step)) for size in (1, 3, 16)]
            assert two_actors.told == []

            def kill(what: str, done: int, total: int) -> None:
                if done == 6:
                    kill_one(models)

            killed = scores(3, kill)
        here = [scores(size, lambda *step: steps["here"].append(step)) for size in (1, 3, 16)]
        assert there == here
        assert steps["there"] == steps["here"]
        assert killed == here[1]
        (text,) = two_actors.told
        assert "was lost; its batches are computed again" in text

    def test_fluency_of_webqa(self, networks: dict[str, str], two_actors: TwoActors, tmp_path: Path) -> None:
        rows = ["Guid\tQcate\tA\tKeywords_A\tOutput"]
        for number, (ours, theirs) in enumerate(zip(texts(25), texts(25, seed=3), strict=True)):
            rows.append(f"q{number}\ttext\t{json.dumps([theirs, 'the red cat'])}\tcat\t{json.dumps([ours])}")
        (tmp_path / "outputs.tsv").write_text("\n".join(rows) + "\n")

        def scored() -> Any:
            options: dict[str, Any] = {"measures": "accuracy,fluency", "spacy_model": "simple", "batch_size": 5}
            result = fullmarks.score("webqa", tmp_path / "outputs.tsv", bart_model=networks["bart"], **options)
            return result.official, result.signature, list(result.per_example)

        with two_actors.used():
            there = scored()
        assert there == scored()


def _other_time(image: Any) -> Any:
    """The stamp of a file that is another one elsewhere."""
    return image._replace(changed=image.changed + 1) if isinstance(image, sent_images.StampedFile) else image


class TestFid:
    def test_features_distance_and_errors(
        self,
        networks: dict[str, str],
        images: list[str],
        whole: list[str],
        two_actors: TwoActors,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        from PIL import Image

        metric = Fid(networks["inception"])
        monkeypatch.chdir(Path(whole[0]).parent)
        given: list[Any] = [Path(path).name for path in whole[:40]] + [Path(path) for path in whole[40:-1]]
        with Image.open(whole[-1]) as image:
            given.append(image.convert("L"))

        def measured() -> Any:
            found = metric.feature_set(given)
            assert found.features is not None
            with pytest.raises(InputError) as caught:
                metric.feature_set(images)
            return (
                found.features.tobytes(),
                found.statistics.covariance.tobytes(),
                metric.measure(given[:30], given[30:]),
                metric.signature_parts(),
                str(caught.value),
            )

        with two_actors.used():
            there = measured()
            with monkeypatch.context() as unseen:
                stamped = sent_images._stamped
                unseen.setattr(sent_images, "_stamped", lambda image: _other_time(stamped(image)))
                by_content = measured()
        here = measured()
        assert there == here
        assert by_content == here
        assert "7.png: cannot be decoded" in here[-1]

    def test_a_killed_actor(self, networks: dict[str, str], whole: list[str], two_actors: TwoActors) -> None:
        metric = Fid(networks["inception"])
        many = whole * 6

        there = []
        with two_actors.used() as models:
            for rows in metric._features(many):
                there.append(rows)
                if len(there) == 3:
                    kill_one(models)
        assert len(there) == 13
        assert np.array_equal(np.concatenate(there), np.concatenate(list(metric._features(many))))
        assert len(two_actors.told) == 1

    def test_the_real_inception(self, whole: list[str]) -> None:
        try:
            packaged_inception()
        except MissingDependencyError as error:
            pytest.skip(str(error))
        metric = Fid()
        with on_actors(2):
            there = metric.feature_set(whole[:33]).features
        here = metric.feature_set(whole[:33]).features
        assert there is not None
        assert there.shape == (33, 2048)
        assert np.array_equal(there, here)


class TestFusionbrain:
    @pytest.fixture
    def contest(self, tmp_path: Path) -> Contest:
        for needed in ("pymorphy3", "razdel"):
            pytest.importorskip(needed, reason=f"{needed} is not installed")
        draw_images(tmp_path)
        (tmp_path / "images/g1.png").write_bytes(b"no image")
        (tmp_path / "images/g3.png").unlink()
        return write_contest(tmp_path)

    @pytest.mark.parametrize("is_seen", [True, False], ids=["by path", "by content"])
    def test_result_findings_and_errors(
        self, contest: Contest, networks: dict[str, str], is_seen: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        options = {**contest.options, "clip": networks["clip"], "inception": networks["inception"], "batch_size": 3}

        def scored() -> Any:
            result = fullmarks.score("fusionbrain", *contest.files, synonyms="none", **options)
            findings = {code: vars(finding) for code, finding in result.audit.findings.items()}
            return result.official, result.signature, list(result.per_example), list(findings), findings

        def refused() -> str:
            broken = {**contest.options, **options, "gold_images": str(contest.folder / "images")}
            with pytest.raises(FullmarksError) as caught:
                fullmarks.score("fusionbrain", *contest.files, synonyms="none", task="ImageGeneration", **broken)
            return str(caught.value)

        with on_actors(2), monkeypatch.context() as m:
            if not is_seen:
                stamped = sent_images._stamped
                m.setattr(sent_images, "_stamped", lambda image: _other_time(stamped(image)))
            there, error = scored(), refused()
        here = scored()
        assert there == here
        assert error == refused()
        assert here[4]["unreadable-images"]["first_ids"] == ["g1", "g3"]
