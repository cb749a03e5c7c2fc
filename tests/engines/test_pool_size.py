"""How many actors a model gets, and what each asks for, on clusters of several shapes."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from fullmarks.backends.batches import Opener
from fullmarks.engines.model_pool import ModelPool
from fullmarks.engines.pool_size import Needs, PoolSize, needs_of
from fullmarks.engines.ray_models import RayModels
from fullmarks.errors import UsageError

NETWORK, FILES = Opener(dict, ("x",)), Opener(dict, is_neural=False)


def cluster_of(monkeypatch: pytest.MonkeyPatch, *nodes: tuple[int, int]) -> None:
    """Let Ray tell of nodes with so many CPUs and GPUs; one that is gone is told of, too."""
    told = [{"Alive": True, "Resources": {"CPU": float(cpus), "GPU": float(gpus)}} for cpus, gpus in nodes]
    gone = {"Alive": False, "Resources": {"CPU": 512.0}}
    total = {kind: sum(node["Resources"][kind] for node in told) for kind in ("CPU", "GPU")}
    fake = SimpleNamespace(cluster_resources=lambda: total, nodes=lambda: [*told, gone])
    monkeypatch.setitem(sys.modules, "ray", fake)


@pytest.mark.parametrize(
    ("nodes", "size", "expected"),
    [
        ([(8, 0)], PoolSize(threads=4), Needs(2, 4, 0, 4)),
        ([(8, 0), (8, 0)], PoolSize(threads=8), Needs(2, 8, 0, 8)),
        # More threads than any node has: one actor each, so that there is room for it.
        ([(2, 0), (2, 0), (1, 0)], PoolSize(threads=8), Needs(2, 2, 0, 8)),
        ([(4, 0)], PoolSize(models=3, threads=4), Needs(3, 1, 0, 4)),
        ([(2, 0)], PoolSize(models=3, threads=1), Needs(3, 0, 0, 1)),
        ([(32, 4), (32, 4)], PoolSize(threads=2), Needs(8, 1, 1.0, 2)),
        ([(32, 4)], PoolSize(gpus=0.5, threads=2), Needs(8, 1, 0.5, 2)),
        ([(32, 4)], PoolSize(gpus=2, threads=2), Needs(2, 1, 2, 2)),
        ([(32, 4)], PoolSize(models=3, threads=2), Needs(3, 1, 1.0, 2)),
        ([(32, 4)], PoolSize(gpus=0, threads=8), Needs(4, 8, 0, 8)),
        ([(0, 0)], PoolSize(threads=2), Needs(1, 0, 0, 2)),
    ],
)
def test_actors_and_their_needs(
    monkeypatch: pytest.MonkeyPatch, nodes: list[tuple[int, int]], size: PoolSize, expected: Needs
) -> None:
    cluster_of(monkeypatch, *nodes)
    assert needs_of(NETWORK, size) == expected


def test_a_network_on_the_cpu_takes_no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster_of(monkeypatch, (32, 4))
    assert needs_of(Opener(dict, ("x",), "cpu"), PoolSize(threads=16)) == Needs(2, 16, 0, 16)


def test_work_without_a_network_takes_all_cpus_and_no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster_of(monkeypatch, (32, 4), (8, 0))
    assert needs_of(FILES, PoolSize(models=2, gpus=1)) == Needs(40, 1, 0, None)


def test_settings_in_words() -> None:
    assert PoolSize.from_text("") == PoolSize()
    assert PoolSize.from_text("models=4&gpus=1&threads=8") == PoolSize(4, 1.0, 8)
    assert PoolSize.from_text("gpus=0.25") == PoolSize(gpus=0.25)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("model=4", "'model=4' is no setting of a pool: expected models=4, gpus=1 or threads=8, each once"),
        ("models", "'models' is no setting"),
        ("models=four", "'models=four' is no setting"),
        ("models=-1", "'models=-1' is no setting"),
        ("models=1&models=2", "'models=2' is no setting"),
        ("models=1.5", "models must be a whole number, found 1.5"),
        ("models=0", "models must be at least 1, found 0"),
        ("threads=0", "threads must be at least 1, found 0"),
        ("gpus=1.5", "gpus must be a whole number or a part of one, found 1.5"),
    ],
)
def test_settings_that_are_none(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        PoolSize.from_text(text)
    assert str(caught.value).startswith(message)


def test_a_model_is_one_pool_and_nothing_is_started_before_its_first_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)  # whoever imports it fails
    models = RayModels()
    pool = models.open(NETWORK)
    assert isinstance(pool, ModelPool)
    assert models.open(Opener(dict, ("x",))) is pool
    assert models.open(Opener(dict, ("y",))) is not pool
    assert not pool.is_here
    assert pool.processes == []
    with pytest.raises(UsageError, match="'cuda:1' names one GPU of one machine"):
        models.open(Opener(dict, ("x",), "cuda:1"))
