"""The Ray engine: without Ray, the contract of engines, and what is lost in the middle of a run."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fullmarks.engines import ENGINES, ray_cluster
from fullmarks.engines.engine import Done, Engine, Task
from fullmarks.engines.here import Here
from fullmarks.engines.ray_cluster import RayCluster
from fullmarks.errors import MissingDependencyError, UsageError, WorkerError
from tests.engines.contract import CASES, very_large_results
from tests.engines.ray_nodes import Nodes
from tests.processes import PATIENCE_SECONDS, wait_until


def test_the_line_that_installs_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    engine = ENGINES.get("ray").from_text("")
    with pytest.raises(MissingDependencyError, match=r"pip install 'fullmarks\[ray\]'"):
        _ = engine.at_once
    with pytest.raises(MissingDependencyError, match=r"the engine 'ray' needs 'ray'"):
        next(engine.run(print, [Task(1)]))
    engine.close()


def test_it_is_imported_when_the_first_task_is_run() -> None:
    asked = "from fullmarks.engines.ray_cluster import RayCluster; RayCluster('host:1').close(); import sys; "
    subprocess.run([sys.executable, "-c", f"{asked}sys.exit('ray' in sys.modules)"], check=True)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"cpus_per_task": -1}, "cpus_per_task must be a number of 0 or more"),
        ({"cpus_per_task": float("nan")}, "cpus_per_task must be a number of 0 or more"),
        ({"retries": -1}, "retries must be a whole number of 0 or more"),
        ({"address": 6379}, "address"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, float], problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        RayCluster(**options)  # type: ignore[arg-type]


class ForgetfulRay:
    """Ray as far as tasks are cancelled: some go on until they have been cancelled several times."""

    def __init__(self, cancels: dict[str, int]) -> None:
        self.cancels = cancels
        self.cancelled: list[str] = []

    def wait(self, references: list[str], **_: Any) -> tuple[list[str], list[str]]:
        waiting = [each for each in references if self.cancels[each]]
        return [each for each in references if each not in waiting], waiting

    def cancel(self, reference: str, *, force: bool) -> None:
        assert force
        self.cancels[reference] -= 1
        self.cancelled.append(reference)


def test_a_task_that_goes_on_is_cancelled_again_and_one_that_is_done_never() -> None:
    forgetful = ForgetfulRay({"done": 0, "first": 1, "last": 3, "never": 1000})
    ray_cluster._cancel(forgetful, ["done", "first", "last", "never"])
    assert forgetful.cancelled[:3] == ["never", "last", "first"]
    assert forgetful.cancelled.count("last") == 3
    assert "done" not in forgetful.cancelled
    assert forgetful.cancels["never"] > 900  # nobody waits for ever
    ray_cluster._cancel(forgetful, [])


@pytest.fixture(scope="module", params=[1, 2, 4])
def engine_of_contract(request: pytest.FixtureRequest, nodes: Nodes) -> Iterator[Engine]:
    nodes.have(request.param)
    with RayCluster(nodes.address) as engine:
        assert engine.at_once == request.param
        yield engine


@pytest.mark.cluster
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_contract(case: Callable[[Engine], None], engine_of_contract: Engine) -> None:
    if case is very_large_results and engine_of_contract.at_once != 2:
        pytest.skip("gigabytes through one machine's memory: once is enough")
    case(engine_of_contract)


TASKS, PARCELS = 8, 2
SIZE = 20_000
"""Numbers in a result and in a parcel: large enough that Ray puts both into the object store of the node."""
KINDS = ["worker"] * 8 + ["node"] * 4 + ["raylet"] * 4 + ["results"] * 2 + ["parcels"] * 2
QUICK = (0, 5, 8, 12, 16, 18)
"""One round of each kind, two of the first; the others are a longer search."""
ROUNDS = [
    pytest.param(number, kind, marks=() if number in QUICK else pytest.mark.deep)
    for number, kind in random.Random(16).sample(list(enumerate(KINDS)), len(KINDS))
]


class Cut:
    """Makes numbers and parcels; the first attempt of the victim says where it runs, and waits to be killed."""

    def __init__(self, folder: Path | None = None, victim: int | None = None) -> None:
        self.folder = folder
        self.victim = victim

    def __call__(self, about: int, inputs: Sequence[Any]) -> tuple[Any, Sequence[bytes]]:
        if self.folder is not None:
            self._say_where(about)
        numbers = np.random.default_rng(about).random(SIZE)
        return (about, numbers), [np.roll(numbers, step).tobytes() for step in range(PARCELS)]

    def _say_where(self, about: int) -> None:
        place = self.folder / str(about)
        is_first = not place.exists()
        part = place.with_suffix(".part")
        part.write_text(f"{os.getpid()} {node_of_this_process()}")
        part.replace(place)
        if is_first and about == self.victim:
            wait_until((self.folder / "go").exists, 2 * PATIENCE_SECONDS)


def added(about: int, inputs: Sequence[Any]) -> tuple[Any, Sequence[bytes]]:
    """The parcels of one kind, added up in order."""
    total = np.zeros(SIZE)
    for parcel in inputs:
        total += np.frombuffer(parcel)
    return (about, total), ()


def node_of_this_process() -> str:
    import ray

    return ray.get_runtime_context().get_node_id()


def where(folder: Path, task: int) -> tuple[int, str]:
    """The process and the node that has a task, or had it."""
    wait_until((folder / str(task)).exists)
    pid, node = (folder / str(task)).read_text().split()
    return int(pid), node


def plain(done: Sequence[Done]) -> list[tuple[int, bytes]]:
    return [(about, numbers.tobytes()) for about, numbers in (item.result for item in done)]


def in_two_steps(engine: Any, cut: Cut, between: Callable[[], None] = lambda: None) -> list[tuple[int, bytes]]:
    """The results of cutting and of adding up the parcels, with something done in between."""
    first = list(engine.run(cut, [Task(number) for number in range(TASKS)], PARCELS))
    between()
    tasks = [Task(kind, [done.parcels[kind] for done in first]) for kind in range(PARCELS)]
    return plain(first) + plain(list(engine.run(added, tasks)))


@pytest.fixture(scope="module")
def expected() -> list[tuple[int, bytes]]:
    with Here() as here:
        return in_two_steps(here, Cut())


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture(scope="module")
def opened(nodes: Nodes) -> Iterator[RayCluster]:
    with RayCluster(nodes.address) as engine:
        yield engine


@pytest.fixture
def engine(nodes: Nodes, opened: RayCluster, said: list[str]) -> RayCluster:
    """The engine of all rounds, on two nodes; what it says goes to this round."""
    nodes.have(2)
    opened.tell = said.append
    return opened


def hit(nodes: Nodes, kind: str, folder: Path, victim: int) -> None:
    """Take away what the victim runs on."""
    pid, node = where(folder, victim)
    if kind == "worker":
        os.kill(pid, signal.SIGKILL)
    elif kind == "raylet":
        nodes.kill_raylet(node)
    elif kind == "node":
        nodes.remove(node)
    else:  # the node that holds the results of others, which wait for the victim's turn
        others = [where(folder, task)[1] for task in range(victim + 1, victim + 4)]
        nodes.remove(next(other for other in others if other != node))
        (folder / "go").touch()


@pytest.mark.cluster
@pytest.mark.parametrize(("number", "kind"), ROUNDS)
def test_round(
    number: int,
    kind: str,
    nodes: Nodes,
    engine: RayCluster,
    said: list[str],
    expected: list[tuple[int, bytes]],
    tmp_path: Path,
) -> None:
    if kind == "parcels":
        found = in_two_steps(engine, Cut(tmp_path), lambda: nodes.remove(where(tmp_path, number % TASKS)[1]))
    else:
        victim = number % (4 if kind == "results" else TASKS)
        thread = threading.Thread(target=hit, args=(nodes, kind, tmp_path, victim))
        thread.start()
        found = in_two_steps(engine, Cut(tmp_path, victim))
        thread.join()
    assert found == expected
    assert any("was run again" in text for text in said), said
    if kind != "worker":
        end = time.monotonic() + PATIENCE_SECONDS
        while not any("left the cluster" in text for text in said):  # the others may notice it after the loss of tasks
            assert time.monotonic() < end, said
            assert engine.at_once <= 2
            time.sleep(0.1)


@pytest.mark.cluster
def test_work_that_always_ends_its_worker_is_given_up(nodes: Nodes, opened: RayCluster) -> None:
    def ended(about: int, inputs: Sequence[Any]) -> Any:
        if about == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return about, ()

    nodes.have(2)
    with RayCluster(nodes.address, retries=1) as engine:
        run = engine.run(ended, [Task(number) for number in range(3)])
        assert next(run).result == 0
        with pytest.raises(WorkerError, match="task 2 was begun up to 2 times and lost"):
            next(run)
