"""One table scored by every engine: processor time of all processes, and the clock. Run by hand; needs Ray, and Linux.

    python bench/scoring_engines.py [--rows 2000000] [--turns 5]

The engines take turns, and ratios are those within a turn. The table is JSON lines of made answers with ids, so that
repeated ids are looked for; the same with positions for ids has none to look for, but its records are counted first.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import fullmarks
from cluster import STORE, own_megabytes, processes, used
from fullmarks.engines.cores import Cores
from fullmarks.engines.engine import Engine
from fullmarks.engines.here import Here
from fullmarks.engines.ray_cluster import RayCluster

WORDS = ("the", "of", "a", "river", "Denver", "1987", "north", "king", "blue", "seven", "and", "Paris", "in", "war")


def write_table(path: Path, rows: int, *, has_ids: bool) -> None:
    chance = random.Random(3)
    texts = [" ".join(chance.choices(WORDS, k=chance.randint(1, 5))) for _ in range(20_000)]
    with path.open("w") as stream:
        for number in range(rows):
            given, one, other = chance.choices(texts, k=3)
            identifier = f'"id": "question-{number:09}", ' if has_ids else ""
            answers = f'"prediction": "{given}", "references": ["{one}", "{other}"]'
            stream.write(f'{{{identifier}{answers}, "kind": "k{number % 50}"}}\n')


def cost(run: Callable[[], Any]) -> tuple[float, float, float]:
    """Processor seconds of all processes and of this one, and seconds of the clock."""
    workers, _ = processes()
    before = time.process_time(), os.times(), used(workers), time.monotonic()
    run()
    after = time.process_time(), os.times(), used(workers), time.monotonic()
    own = after[0] - before[0]
    ended = sum(after[1][2:4]) - sum(before[1][2:4])  # the workers of `cores`, which are gone
    return own + ended + after[2] - before[2], own, after[3] - before[3]


def compared(
    protocol: str, table: Path, rows: int, engines: dict[str, Engine], turns: int, by: tuple[str, ...] = ()
) -> None:
    found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in engines}
    official: dict[str, Any] = {}
    for _ in range(turns):
        for name, engine in engines.items():

            def run(engine: Engine = engine, name: str = name) -> None:
                result = fullmarks.score(protocol, str(table), by=by, keep=False, engine=engine)
                official[name] = (result.official, result.by(by[0]) if by else None)

            found[name].append(cost(run))
    if any(value != official["here"] for value in official.values()):
        raise SystemExit(f"{protocol}: the engines differ: {official}")
    what = f"{protocol}, {table.stem}{', by a column' if by else ''}, {rows:,} rows"
    for name in engines:
        if name == "here":
            continue
        pairs = list(zip(found["here"], found[name], strict=True))
        ratios = [other[0] / here[0] for here, other in pairs]
        gains = [here[2] / other[2] for here, other in pairs]
        driver = statistics.median(other[1] for other in found[name]) / rows * 1e9
        print(
            f"| {what}: {name} | {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}) | "
            f"{statistics.median(gains):.2f} ({min(gains):.2f} to {max(gains):.2f}) | {driver:.1f} |",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description="One table scored by every engine.")
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--turns", type=int, default=5)
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        with_ids, without = folder / "with ids.jsonl", folder / "positions.jsonl"
        write_table(with_ids, options.rows, has_ids=True)
        write_table(without, options.rows, has_ids=False)

        def compare_all(engines: dict[str, Engine]) -> None:
            compared("squad1", with_ids, options.rows, engines, options.turns)
            compared("squad1", without, options.rows, engines, options.turns)
            compared("squad1", with_ids, options.rows, engines, options.turns, ("kind",))
            compared("qa", with_ids, options.rows, engines, options.turns)

        print("| what | processor time over `here` | clock: times as fast | caller, ns a row |\n|---|--:|--:|--:|")
        compare_all({"here": Here(), "cores": Cores()})  # before Ray's threads are there: workers are forked
        from ray.cluster_utils import Cluster

        head = {"num_cpus": os.cpu_count(), "object_store_memory": STORE, "include_dashboard": False}
        cluster: Any = Cluster(initialize_head=True, head_node_args=head)
        stack.callback(cluster.shutdown)
        ray = stack.enter_context(RayCluster(cluster.address))
        for _ in range(2):
            fullmarks.score("squad1", str(with_ids), keep=False, engine=ray)  # warm workers
        compare_all({"here": Here(), "ray": ray})
        workers, _ = processes()
        largest = max(map(own_megabytes, workers))
        print(f"\nLargest worker: {largest:.0f} MB of its own; caller: {own_megabytes('self'):.0f} MB")


if __name__ == "__main__":
    main()
