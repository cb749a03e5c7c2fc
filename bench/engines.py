"""What an engine costs beside the work: tasks that compute for a while and answer with a million rows, 16 MB.

All processor time is compared with that of the same tasks in this process; that of this process alone, which has only
to take the answers and to add them up, with what it may cost and with the pool of the standard library.
"""

from __future__ import annotations

import multiprocessing
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from case import Case, Settings
from fullmarks.engines.cores import Cores
from fullmarks.engines.engine import Buffer, Engine, Task
from fullmarks.engines.here import Here
from fullmarks.engines.numbers import Numbers

ROWS, WIDTH = 1_000_000, 2
STEPS = 2_000_000
"""Some 0.2 seconds of computing."""
MOST_NANOSECONDS = 10
"""What a row may cost the process that takes the answers."""
WORKERS = 2

Seen = list[tuple[int, float]]


def compute(about: int, _: Sequence[Buffer] = ()) -> tuple[Numbers, tuple[()]]:
    total = sum(number * about for number in range(STEPS))
    return Numbers(array("d", [total, 0.5]) * ROWS), ()


def rows_alone(about: int, _: Sequence[Buffer] = ()) -> tuple[Numbers, tuple[()]]:
    return Numbers(array("d", [about, 0.5]) * ROWS), ()


def seen(results: Iterator[Numbers]) -> Seen:
    """The sum of each, so that every number is looked at; answers are taken one after the other and not kept."""
    return [(len(rows), float(np.add.reduce(np.frombuffer(rows.values)))) for rows in results]


def over(engine: Engine, work: Any, count: int) -> Callable[[], Seen]:
    return lambda: seen(done.result for done in engine.run(work, map(Task, range(count))))


def pool(work: Any, count: int) -> Seen:
    with multiprocessing.get_context("fork").Pool(WORKERS) as workers:
        return seen(rows for rows, _ in workers.imap(work, range(count)))


def allowance(seconds: float, answer: Seen) -> Seen:
    """Takes so long, and no longer: a ratio of one or more is within it."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
    return answer


def cases(settings: Settings) -> Iterator[Case]:
    count = 6 if settings.quick else 16
    size = count * ROWS
    cores = Cores(WORKERS)
    yield Case(
        "engine cores, all processor time",
        f"{count} tasks of 0.2 s, 16 MB each",
        size,
        over(cores, compute, count),
        {"engine here": over(Here(), compute, count)},
        wanted={"engine here": 0.83},
        rounds=3,
    )
    answer = seen(iter([rows_alone(number)[0] for number in range(count)]))
    yield Case(
        "engine cores, time of the caller alone",
        f"{count} answers, 16 MB each",
        size,
        over(cores, rows_alone, count),
        {
            f"{MOST_NANOSECONDS} ns a row": lambda: allowance(size * MOST_NANOSECONDS / 1e9, answer),
            "multiprocessing.Pool": lambda: pool(rows_alone, count),
        },
        wanted={f"{MOST_NANOSECONDS} ns a row": 1.0},
        rounds=5,
        clock=time.process_time,
    )
