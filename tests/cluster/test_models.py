"""Models on actors of a Ray cluster on this machine: the digits, findings and errors of a single process."""

from __future__ import annotations

import json
import logging
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fullmarks
from fullmarks.backends import sent_images
from fullmarks.backends.batches import Opener
from fullmarks.backends.inception import packaged_inception
from fullmarks.backends.progress import listening
from fullmarks.engines import model_pool
from fullmarks.engines.pool_size import Needs, PoolSize
from fullmarks.engines.ray_models import RayModels, models_on_ray
from fullmarks.errors import FullmarksError, InputError, MissingDependencyError, UsageError, WorkerError
from fullmarks.metrics.fid import Fid
from tests.backends.tiny_models import save_tiny_bart, save_tiny_clip
from tests.cluster.model_work import Doubler, double, end_at_two, end_once, fail_from_five
from tests.protocols.contest import Contest, draw_images, write_contest

if find_spec("ray") is None:  # not imported before its environment is set
    pytest.skip("ray is not installed (make test-cluster)", allow_module_level=True)
torch = pytest.importorskip("torch", reason="torch is not installed (make test-all)")
pytest.importorskip("transformers", reason="transformers is not installed (make test-all)")
Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed (make test-all)")

pytestmark = [pytest.mark.neural, pytest.mark.cluster, pytest.mark.filterwarnings("ignore::DeprecationWarning")]

WORDS = ("the cat", "red mat", "some river", "a dog sat", "e", "green house by the sea", "blue")


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    """A cluster of one node with four CPUs in name, on loopback, whose actors find the network of `model_work`."""
    folder = tempfile.mkdtemp(prefix="fm-", dir="/tmp")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")  # Ray's way to stay on loopback
        environment.setenv("RAY_USAGE_STATS_ENABLED", "0")
        environment.setenv("PYTHONPATH", str(Path(__file__).parents[2]), prepend=os.pathsep)
        import ray

        ray.init(
            address="local",
            num_cpus=4,
            num_gpus=0,
            include_dashboard=False,
            log_to_driver=False,
            object_store_memory=100_000_000,
            _temp_dir=folder,
        )
        yield
        ray.shutdown()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def pool(told: list[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., RayModels]]:
    """Makes pools of actors that need no torch, which are ended with the test."""
    made: list[RayModels] = []

    def make(models: int = 2) -> RayModels:
        monkeypatch.setattr(model_pool, "needs_of", lambda opener, size: Needs(models, 1, 0, None))
        made.append(RayModels(None, told.append))
        return made[-1]

    yield make
    for models in made:
        models.close()


def on_actors(models: int, tell: Callable[[str], Any] | None = None) -> AbstractContextManager[RayModels]:
    return models_on_ray(PoolSize(models=models, threads=torch.get_num_threads()), tell or nothing_is_lost)


def nothing_is_lost(text: str) -> None:
    assert "no actor is ready after" in text  # a slow machine may say so


@pytest.fixture(scope="module")
def networks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    class Colours(torch.nn.Module):
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


class TestPool:
    """What any network does on a pool."""

    OPENER = Opener(Doubler, ("doubler",))

    @pytest.mark.parametrize("models", [1, 3])
    def test_order_and_how_far_ahead(self, pool: Callable[..., RayModels], models: int) -> None:
        taken: list[int] = []

        def batches() -> Iterator[int]:
            for number in range(40):
                taken.append(number)
                yield number

        model = pool(models).open(self.OPENER)
        while len(model.processes) < models:
            assert [value for value, _ in model.each(double, range(6))] == [0, 2, 4, 6, 8, 10]
        seen, processes = [], set()
        for number, (value, process) in enumerate(model.each(double, batches())):
            assert len(taken) - number <= 3 * models
            seen.append(value)
            processes.add(process)
        assert seen == [2 * number for number in range(40)]
        assert len(processes) == models
        assert processes == set(model.processes)
        assert model.identity == "doubler"
        assert list(model.each(double, [])) == []

    def test_no_more_actors_than_batches(self, pool: Callable[..., RayModels]) -> None:
        model = pool(3).open(self.OPENER)
        assert [value for value, _ in model.each(double, [5])] == [10]
        assert len(model.processes) == 1

    def test_a_killed_actor_is_told_once_and_changes_nothing(
        self, pool: Callable[..., RayModels], told: list[str]
    ) -> None:
        model = pool(2).open(self.OPENER)
        killed: list[int] = []

        def batches() -> Iterator[int]:
            for number in range(40):
                if number == 20:
                    killed.append(model.processes[0])
                    os.kill(killed[0], signal.SIGKILL)
                yield number

        found = list(model.each(double, batches()))
        assert [value for value, _ in found] == [2 * number for number in range(40)]
        assert len(told) == 1
        assert told[0].startswith(f"doubler: process {killed[0]} on ")
        assert told[0].endswith(" was lost; its batches are computed again")
        assert len({process for _, process in found}) >= 2

    def test_the_only_actor_comes_back(self, pool: Callable[..., RayModels], told: list[str], tmp_path: Path) -> None:
        model = pool(1).open(self.OPENER)
        work = partial(end_once, str(tmp_path / "was here"))
        assert list(model.each(work, range(8))) == [10 * number for number in range(8)]
        assert len(told) == 1

    def test_work_that_always_ends_its_actor_ends(self, pool: Callable[..., RayModels], told: list[str]) -> None:
        found = pool(2).open(self.OPENER).each(end_at_two, range(6))
        assert [next(found), next(found)] == [0, 1]
        with pytest.raises(WorkerError, match=r"batch 3 was lost with its actor 4 times .*Make batches smaller"):
            next(found)
        assert 1 <= len(told) <= 4

    def test_the_first_error_in_order_is_raised_as_it_was(self, pool: Callable[..., RayModels]) -> None:
        model = pool(3).open(self.OPENER)
        found = model.each(fail_from_five, range(20))
        assert [next(found) for _ in range(5)] == [0, 1, 2, 3, 4]
        with pytest.raises(ValueError, match="batch 5 is not liked"):
            next(found)
        assert not model.is_busy
        assert [value for value, _ in model.each(double, [1])] == [2]

    def test_two_streams_at_once(self, pool: Callable[..., RayModels]) -> None:
        model = pool(2).open(self.OPENER)
        pairs = zip(model.each(double, range(12)), model.each(double, range(100, 112)), strict=True)
        assert [(one[0], two[0]) for one, two in pairs] == [(2 * at, 200 + 2 * at) for at in range(12)]

    def test_an_idle_pool_makes_room(self, pool: Callable[..., RayModels]) -> None:
        models = pool(2)
        first, second = models.open(self.OPENER), models.open(Opener(Doubler, ("other",)))
        assert len(list(first.each(double, range(4)))) == 4
        assert first.processes
        assert second.identity == "other"
        assert first.processes == []
        assert first.identity == "doubler"
        assert [value for value, _ in first.each(double, [3])] == [6]
        assert second.processes == []

    def test_files_are_named_from_where_the_caller_works(
        self, pool: Callable[..., RayModels], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        assert pool(1).open(Opener(Doubler, ("where",))).identity == str(tmp_path)

    def test_what_cannot_be_opened(self, pool: Callable[..., RayModels]) -> None:
        with pytest.raises(FileNotFoundError, match="no such weights"):
            list(pool().open(Opener(Doubler, ("broken",))).each(double, [1]))
        with pytest.raises(UsageError, match=r"has model different-\d+, expected different-\d+ as elsewhere"):
            list(pool().open(Opener(Doubler, ("different",))).each(double, range(60)))
        with pytest.raises(UsageError, match="'cuda:1' names one GPU of one machine"):
            pool().open(Opener(Doubler, ("doubler",), "cuda:1"))

    def test_waiting_for_room_is_told(
        self, pool: Callable[..., RayModels], told: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Somebody else holds all CPUs, and lets go of them when the driver says that it waits."""
        import ray

        monkeypatch.setattr(model_pool, "PATIENCE_SECONDS", 1.0)
        other = ray.remote(Doubler).options(num_cpus=4).remote()

        models = pool(1)
        monkeypatch.setattr(models, "_tell", lambda text: (told.append(text), ray.kill(other)))
        assert models.open(self.OPENER).identity == "doubler"
        (text,) = told
        assert text.startswith("doubler: no actor is ready after 1 s; ")
        assert text.endswith("the cluster has no room for an actor with 1 CPUs and 0 GPUs")


class TestClip:
    @pytest.mark.parametrize("actors", [1, 2, 3])
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
    def test_scores_progress_and_a_killed_actor(self, networks: dict[str, str], told: list[str]) -> None:
        predictions, references = texts(60), [[text] for text in texts(60, seed=2)]

        def scores(size: int, listener: Any) -> list[float]:
            metric = fullmarks.load("bart_score", model=networks["bart"], batch_size=size)
            with listening(listener):
                found: list[float] = metric.each(predictions=predictions, references=references)
            return found

        steps: dict[str, list[Any]] = {"here": [], "there": []}
        with on_actors(2, told.append) as models:
            there = [scores(size, lambda *step: steps["there"].append(step)) for size in (1, 3, 16)]
            assert told == []
            (opened,) = models._pools.values()

            def kill(what: str, done: int, total: int) -> None:
                if done == 6:
                    os.kill(opened.processes[-1], signal.SIGKILL)

            killed = scores(3, kill)
        here = [scores(size, lambda *step: steps["here"].append(step)) for size in (1, 3, 16)]
        assert there == here
        assert steps["there"] == steps["here"]
        assert killed == here[1]
        assert len(told) == 1
        assert "was lost; its batches are computed again" in told[0]

    def test_fluency_of_webqa(self, networks: dict[str, str], tmp_path: Path) -> None:
        rows = ["Guid\tQcate\tA\tKeywords_A\tOutput"]
        for number, (ours, theirs) in enumerate(zip(texts(25), texts(25, seed=3), strict=True)):
            rows.append(f"q{number}\ttext\t{json.dumps([theirs, 'the red cat'])}\tcat\t{json.dumps([ours])}")
        (tmp_path / "outputs.tsv").write_text("\n".join(rows) + "\n")

        def scored() -> Any:
            options: dict[str, Any] = {"measures": "accuracy,fluency", "spacy_model": "simple", "batch_size": 5}
            result = fullmarks.score("webqa", tmp_path / "outputs.tsv", bart_model=networks["bart"], **options)
            return result.official, result.signature, list(result.per_example)

        with on_actors(2):
            there = scored()
        assert there == scored()


def _other_time(image: Any) -> Any:
    """The stamp of a file that is another one elsewhere."""
    return image._replace(changed=image.changed + 1) if isinstance(image, sent_images.StampedFile) else image


class TestFid:
    def test_features_distance_and_errors(
        self, networks: dict[str, str], images: list[str], whole: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
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

        with on_actors(3):
            there = measured()
            with monkeypatch.context() as unseen:
                stamped = sent_images._stamped
                unseen.setattr(sent_images, "_stamped", lambda image: _other_time(stamped(image)))
                by_content = measured()
        here = measured()
        assert there == here
        assert by_content == here
        assert "7.png: cannot be decoded" in here[-1]

    def test_a_killed_actor(self, networks: dict[str, str], whole: list[str], told: list[str]) -> None:
        metric = Fid(networks["inception"])
        many = whole * 6

        there = []
        with on_actors(2, told.append) as models:
            for rows in metric._features(many):
                there.append(rows)
                if len(there) == 3:
                    (pool,) = models._pools.values()
                    os.kill(pool.processes[0], signal.SIGKILL)
        assert len(there) == 13
        assert np.array_equal(np.concatenate(there), np.concatenate(list(metric._features(many))))
        assert len(told) == 1

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

        with (
            on_actors(2),
            monkeypatch.context() as m,
        ):
            if not is_seen:
                stamped = sent_images._stamped
                m.setattr(sent_images, "_stamped", lambda image: _other_time(stamped(image)))
        with on_actors(2):
            there, error = scored(), refused()
        here = scored()
        assert there == here
        assert error == refused()
        assert here[4]["unreadable-images"]["first_ids"] == ["g1", "g3"]
