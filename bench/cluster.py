"""What the engine `ray` costs beside one process, on a cluster of this machine. Run by hand; needs Ray, and Linux.

    python bench/cluster.py [--quick]

Time is that of processors: the driver, and the workers whole, with all that Ray does inside of them. What Ray's own
servers take is told apart. `Subject` is what is measured: a work, its tasks, and what the driver does with a result.
"""

from __future__ import annotations

import argparse
import gc
import os
import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fullmarks.engines.engine import Engine, Task, Work
from fullmarks.engines.here import Here
from fullmarks.engines.ray_cluster import RayCluster
from fullmarks.protocols import PROTOCOLS
from fullmarks.text.kernel import fold
from fullmarks.types import Examples

TICK = os.sysconf("SC_CLK_TCK")
STORE = 1_000_000_000
WIDTH = 2
"""Numbers in a row of SQuAD: 16 bytes."""


@dataclass(frozen=True)
class Subject:
    """Something to measure: what runs in tasks, what each is about, and what the driver does with a result."""

    work: Work
    abouts: Sequence[Any]
    rows: int
    take: Callable[[Any], None]


@dataclass(frozen=True)
class Cost:
    """Seconds of processors, and of the clock."""

    driver: float
    workers: float
    servers: float
    clock: float

    @property
    def scoring(self) -> float:
        """What was paid for the work: the servers are there anyway."""
        return self.driver + self.workers


class Folding:
    """What the driver does: rows are added up from left to right."""

    def __init__(self) -> None:
        self.sums = [0.0] * WIDTH

    def __call__(self, result: Any) -> None:
        self.sums = fold(result, WIDTH, self.sums)


def scored(about: int, _: Sequence[Any]) -> tuple[Any, Sequence[bytes]]:
    """So many SQuAD answers, made on the spot and scored."""
    answers = [f"the answer number {number} of many" for number in range(1000)]
    golds = [[f"answer number {number}", f"Number {number}, of many!"] for number in range(0, 2000, 2)]
    times = -(-about // 1000)
    examples = Examples(range(about), (answers * times)[:about], (golds * times)[:about])
    (metric,) = PROTOCOLS.get("squad1")().metrics()
    return np.frombuffer(metric.rows(examples)), ()


def generated(about: tuple[int, int], _: Sequence[Any]) -> tuple[Any, Sequence[bytes]]:
    """So many rows of random numbers, by a seed."""
    seed, rows = about
    return np.random.default_rng(seed).random(WIDTH * rows), ()


def as_array(about: tuple[int, int], inputs: Sequence[Any]) -> tuple[Any, Sequence[bytes]]:
    """The same as `array.array`, which cannot be made over memory that it does not own."""
    from array import array

    return array("d", generated(about, inputs)[0].tobytes()), ()


def measured(engine: Engine, subject: Subject) -> Cost:
    """What one run costs; results are taken one by one and dropped."""
    workers, servers = processes()
    before = time.process_time(), used(workers), used(servers), time.monotonic()
    for done in engine.run(subject.work, map(Task, subject.abouts)):
        subject.take(done.result)
        del done
    after = time.process_time(), used(workers), used(servers), time.monotonic()
    return Cost(*(late - early for early, late in zip(before, after, strict=True)))


def processes() -> tuple[list[int], list[int]]:
    """The workers of Ray and its servers, of those that this process has started."""
    parents, names = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            names[int(folder.name)] = (folder / "cmdline").read_bytes()
        except OSError:
            continue  # it has ended
    ours: set[int] = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in ours} - ours:
        ours |= more
    ours.remove(os.getpid())
    workers = [pid for pid in ours if names[pid].startswith(b"ray::")]
    return workers, [pid for pid in ours if pid not in workers]


def used(pids: Sequence[int]) -> float:
    """The seconds that these processes have computed."""
    total = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / TICK


def own_megabytes(pid: int | str) -> float:
    """The memory of a process that is its own: without the object store and files, which it shares."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("RssAnon"):
            return int(line.split()[1]) / 1000
    return 0.0


def resident_megabytes(pid: int | str) -> float:
    """All pages that a process has in memory, shared ones included."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def warm_up(engine: Engine) -> None:
    """Let every place have a worker that has imported all there is to import."""
    for _ in engine.run(scored, [Task(20_000)] * 4 * engine.at_once):
        pass


def overhead(ray: Engine, rows: int, turns: int) -> list[str]:
    lines = []
    for tasks in (8, 40):
        subject = Subject(scored, [rows // tasks] * tasks, rows, Folding())
        ratios, costs = [], []
        for _ in range(turns):
            with Here() as here:
                plain = measured(here, subject)
            costs.append(measured(ray, subject))
            ratios.append(costs[-1].scoring / plain.scoring)
        middle = sorted(costs, key=lambda cost: cost.scoring)[turns // 2]
        lines.append(
            f"| warm tasks against one process, {rows:,} answers of squad1 in {tasks} tasks | "
            f"{statistics.median(ratios):.2f} times ({', '.join(f'{ratio:.2f}' for ratio in ratios)}); "
            f"servers {middle.servers / middle.scoring:.0%} besides |"
        )
    return lines


def driver(ray: Engine, tasks: int, rows: int) -> list[str]:
    lines = []
    for name, work in (("over the store", generated), ("as `array.array`", as_array)):
        for what, take in (("taken", lambda _: None), ("taken and folded", Folding())):
            cost = measured(ray, Subject(work, [(seed, rows) for seed in range(tasks)], rows * tasks, take))
            each = cost.driver / (tasks * rows) * 1e9
            lines.append(f"| driver, pieces of {rows:,} rows {name}, {what} | {each:.1f} ns a row |")
    return lines


def linearity(ray: Engine, rows: int, counts: Sequence[int]) -> list[str]:
    lines, first = [], 0.0
    for count in counts:
        cost = measured(ray, Subject(scored, [rows] * count, rows * count, Folding()))
        each = cost.scoring / (rows * count) * 1e9
        first = first or each
        lines.append(f"| {count} tasks of {rows:,} answers | {each:.0f} ns a row ({each / first:.3f} of the first) |")
    return lines


def memory(ray: Engine, rows: int) -> list[str]:
    lines = []
    for count in (5, 20):
        gc.collect()
        measured(ray, Subject(generated, [(seed, rows) for seed in range(count)], rows * count, Folding()))
        lines.append(
            f"| driver after {count * rows:,} rows | {own_megabytes('self'):.0f} MB of its own, "
            f"{resident_megabytes('self'):.0f} MB with what it has seen of the store |"
        )
    workers, _ = processes()
    own, all_pages = max(map(own_megabytes, workers)), max(map(resident_megabytes, workers))
    lines.append(f"| largest worker | {own:.0f} MB of its own, {all_pages:.0f} MB with shared pages |")
    return lines


def on_the_fly(ray: Engine, tasks: int, rows: int) -> list[str]:
    folding = Folding()
    cost = measured(ray, Subject(generated, [(seed, rows) for seed in range(tasks)], rows * tasks, folding))
    each = cost.driver / (tasks * rows) * 1e9
    return [
        f"| {tasks} tasks of {rows:,} rows, generated on the fly | {cost.clock:.1f} s, driver {each:.1f} ns a row, "
        f"workers {cost.workers:.1f} s, servers {cost.servers:.1f} s, sum {folding.sums[0]!r} |"
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description="What the engine `ray` costs beside one process.")
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows")
    share = 10 if parser.parse_args().quick else 1
    from ray.cluster_utils import Cluster

    head = {"num_cpus": os.cpu_count(), "object_store_memory": STORE, "include_dashboard": False}
    with ExitStack() as stack:
        cluster: Any = Cluster(initialize_head=True, head_node_args=head)
        stack.callback(cluster.shutdown)
        start = time.monotonic()
        ray = stack.enter_context(RayCluster(cluster.address))
        next(iter(ray.run(generated, [Task((0, 10))])))
        first = time.monotonic() - start
        warm_up(ray)
        print("| what | measured |\n|---|---|")
        print(f"| from joining a running cluster to the first result | {first:.1f} s |")
        for lines in (
            lambda: overhead(ray, 2_000_000 // share, 5),
            lambda: driver(ray, 10, 1_000_000 // share),
            lambda: memory(ray, 1_000_000 // share),
            lambda: linearity(ray, 100_000 // share, (40, 80, 160)),
            lambda: on_the_fly(ray, 200, 1_000_000 // share),
        ):
            print("\n".join(lines()), flush=True)


if __name__ == "__main__":
    main()
