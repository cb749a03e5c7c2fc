"""A network on a pool of Ray actors: what any network does there, and what is lost on the way."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from fullmarks.backends.batches import Opener
from fullmarks.engines import model_pool
from fullmarks.engines.model_pool import ModelPool
from fullmarks.engines.pool_size import Needs
from fullmarks.engines.ray_models import RayModels
from fullmarks.errors import UsageError, WorkerError
from tests.engines.model_work import Doubler, double, end_at_two, end_once, fail_from_five, torch_threads
from tests.engines.ray_nodes import Nodes
from tests.processes import PATIENCE_SECONDS

pytestmark = [pytest.mark.cluster, pytest.mark.filterwarnings("ignore::DeprecationWarning")]

OPENER = Opener(Doubler, ("doubler",))


@pytest.fixture(scope="module", autouse=True)
def joined(nodes: Nodes) -> Iterator[Nodes]:
    """Three nodes with one CPU each."""
    import ray

    nodes.have(3)
    ray.init(address=nodes.address, log_to_driver=False)
    yield nodes
    ray.shutdown()


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the pools of a test have said; that they wait for room on a busy machine they never say."""
    monkeypatch.setattr(model_pool, "PATIENCE_SECONDS", 10 * PATIENCE_SECONDS)
    return []


@pytest.fixture
def pool(told: list[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., RayModels]]:
    """Makes pools of actors, which are ended with the test."""
    made: list[RayModels] = []

    def make(models: int = 2, threads: int | None = None) -> RayModels:
        monkeypatch.setattr(model_pool, "needs_of", lambda opener, size: Needs(models, 1, 0, threads))
        made.append(RayModels(None, told.append))
        return made[-1]

    yield make
    for models in made:
        models.close()


def numbers_until(true: Callable[[], object], first: int = 0) -> Iterator[int]:
    """Batches for actors until something has happened."""
    end = time.monotonic() + PATIENCE_SECONDS
    for number in count(first):
        if true() or time.monotonic() > end:
            return
        yield number


def have_both(model: ModelPool) -> None:
    """Let both actors of a pool arrive."""
    for number in numbers_until(lambda: len(model.processes) == 2):
        assert len(list(model.each(double, [number, number]))) == 2


@pytest.mark.parametrize("models", [1, 3])
def test_order_and_how_far_ahead(pool: Callable[..., RayModels], models: int) -> None:
    taken: list[int] = []

    def batches() -> Iterator[int]:
        for number in range(40):
            taken.append(number)
            yield number

    model = pool(models).open(OPENER)
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


def test_no_more_actors_than_batches(pool: Callable[..., RayModels]) -> None:
    model = pool(3).open(OPENER)
    assert [value for value, _ in model.each(double, [5])] == [10]
    assert len(model.processes) == 1


def test_a_killed_actor_is_told_once_and_changes_nothing(pool: Callable[..., RayModels], told: list[str]) -> None:
    model = pool(2).open(OPENER)
    have_both(model)
    killed: list[int] = []

    def batches() -> Iterator[int]:
        yield from range(20)
        killed.append(model.processes[0])
        os.kill(killed[0], signal.SIGKILL)
        yield from numbers_until(lambda: told, 20)
        yield from range(1000, 1020)

    found = list(model.each(double, batches()))
    numbers = [*range(len(found) - 20), *range(1000, 1020)]
    assert [value for value, _ in found] == [2 * number for number in numbers]
    assert len(told) == 1
    assert told[0].startswith(f"doubler: process {killed[0]} on ")
    assert told[0].endswith(" was lost; its batches are computed again")
    assert len({process for _, process in found}) >= 2


def test_the_only_actor_comes_back(pool: Callable[..., RayModels], told: list[str], tmp_path: Path) -> None:
    model = pool(1).open(OPENER)
    work = partial(end_once, str(tmp_path / "was here"))
    assert list(model.each(work, range(8))) == [10 * number for number in range(8)]
    assert len(told) == 1


def test_work_that_always_ends_its_actor_ends(pool: Callable[..., RayModels], told: list[str]) -> None:
    found = pool(2).open(OPENER).each(end_at_two, range(6))
    assert [next(found), next(found)] == [0, 1]
    with pytest.raises(WorkerError, match=r"batch 3 was lost with its actor 4 times .*Make batches smaller"):
        next(found)
    assert 1 <= len(told) <= 4


def test_the_first_error_in_order_is_raised_as_it_was(pool: Callable[..., RayModels]) -> None:
    model = pool(3).open(OPENER)
    found = model.each(fail_from_five, range(20))
    assert [next(found) for _ in range(5)] == [0, 1, 2, 3, 4]
    with pytest.raises(ValueError, match="batch 5 is not liked"):
        next(found)
    assert not model.is_busy
    assert [value for value, _ in model.each(double, [1])] == [2]


def test_two_streams_at_once(pool: Callable[..., RayModels]) -> None:
    model = pool(2).open(OPENER)
    pairs = zip(model.each(double, range(12)), model.each(double, range(100, 112)), strict=True)
    assert [(one[0], two[0]) for one, two in pairs] == [(2 * at, 200 + 2 * at) for at in range(12)]


def test_an_idle_pool_makes_room(pool: Callable[..., RayModels]) -> None:
    models = pool(2)
    first, second = models.open(OPENER), models.open(Opener(Doubler, ("other",)))
    assert len(list(first.each(double, range(4)))) == 4
    assert first.processes
    assert second.identity == "other"
    assert first.processes == []
    assert first.identity == "doubler"
    assert [value for value, _ in first.each(double, [3])] == [6]
    assert second.processes == []


def test_files_are_named_from_where_the_caller_works(
    pool: Callable[..., RayModels], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert pool(1).open(Opener(Doubler, ("where",))).identity == str(tmp_path)


def test_what_cannot_be_opened(pool: Callable[..., RayModels]) -> None:
    with pytest.raises(FileNotFoundError, match="no such weights"):
        list(pool().open(Opener(Doubler, ("broken",))).each(double, [1]))
    with pytest.raises(UsageError, match=r"has model different-\d+, expected different-\d+ as elsewhere"):
        list(pool().open(Opener(Doubler, ("different",))).each(double, numbers_until(lambda: False)))
    with pytest.raises(UsageError, match="'cuda:1' names one GPU of one machine"):
        pool().open(Opener(Doubler, ("doubler",), "cuda:1"))


def test_waiting_for_room_is_told(
    pool: Callable[..., RayModels], told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody else holds all CPUs, and lets go of them when the driver says that it waits."""
    import ray

    others = [ray.remote(Doubler).options(num_cpus=1).remote() for _ in range(3)]
    ray.get([other.__ray_ready__.remote() for other in others])
    models = pool(1)

    def tell(text: str) -> None:
        told.append(text)
        monkeypatch.setattr(model_pool, "PATIENCE_SECONDS", PATIENCE_SECONDS)
        for other in others:
            ray.kill(other)

    monkeypatch.setattr(models, "_tell", tell)
    monkeypatch.setattr(model_pool, "PATIENCE_SECONDS", 1.0)
    assert models.open(OPENER).identity == "doubler"
    (text,) = told
    assert text.startswith("doubler: no actor is ready after 1 s; ")
    assert text.endswith("the cluster has no room for an actor with 1 CPUs and 0 GPUs")


def test_actors_have_the_threads_that_are_asked_for(pool: Callable[..., RayModels]) -> None:
    pytest.importorskip("torch", reason="needs torch: make test-all")
    assert list(pool(1, threads=3).open(OPENER).each(torch_threads, [0])) == [3]


def test_the_others_go_on_when_a_node_is_gone(joined: Nodes, pool: Callable[..., RayModels], told: list[str]) -> None:
    """The lost actor has nowhere to start again; its batches do not wait for it."""
    joined.have(2)
    model = pool(2).open(OPENER)
    have_both(model)

    def batches() -> Iterator[int]:
        """Twenty, and so many more that the other actor gets one after its node is gone."""
        yield from range(20)
        joined.remove_any()
        yield from numbers_until(lambda: len(model.processes) == 1, 20)

    found = [value for value, _ in model.each(double, batches())]
    assert found == [2 * number for number in range(len(found))]
    assert len(model.processes) == 1
    assert len(told) == 1
    assert "was lost; its batches are computed again" in told[0]
