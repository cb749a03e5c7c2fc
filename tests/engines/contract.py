"""What every engine must do, as functions that take one: a test of an engine calls each of them.

Works are functions of this module, so that processes on other machines can import them too.
"""

from __future__ import annotations

import random
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from fullmarks.engines.engine import Buffer, Done, Engine, Task
from fullmarks.engines.numbers import Numbers
from fullmarks.errors import InputError

Outcome = tuple[Any, Sequence[Buffer]]

PATIENCE_SECONDS = 120
"""What counts as at once, on the busiest machine: work that nobody waits for would last five times as long."""
MOST_AHEAD = 4
"""How many tasks for each one that may run at once may have been taken beyond those that were given out."""


def square(about: int, parcels: Sequence[Buffer]) -> Outcome:
    return about * about, ()


def after_a_while(about: tuple[int, float], parcels: Sequence[Buffer]) -> Outcome:
    number, seconds = about
    time.sleep(seconds)
    return number, ()


def fail_on(about: tuple[int, Exception | None, float], parcels: Sequence[Buffer]) -> Outcome:
    number, error, seconds = about
    time.sleep(seconds)
    if error is not None:
        raise error
    return number, ()


def split(about: list[int], parcels: Sequence[Buffer]) -> Outcome:
    """Three parcels by the remainder of the numbers: bytes, a bytearray and a view of an array."""
    shares = [array("q", [number for number in about if number % 3 == share]) for share in range(3)]
    return len(about), (shares[0].tobytes(), bytearray(shares[1].tobytes()), memoryview(shares[2]))


def numbers_in(about: str, parcels: Sequence[Buffer]) -> Outcome:
    numbers = array("q")
    for parcel in parcels:
        numbers.frombytes(bytes(parcel))
    return f"{about}: {numbers.tolist()}", ()


def large(about: tuple[str, int, int], parcels: Sequence[Buffer]) -> Outcome:
    """So many bytes of some kind; ten times as many of numbers."""
    kind, number, size = about
    size *= 10 if kind in ("array", "numbers") else 1
    doubles = array("d", [number + 0.25]) * (size // 8)
    made = {
        "array": lambda: doubles,
        "arrays": lambda: {"a": array("i", [number]) * (size // 8), "b": [array("d"), array("d", [0.5]), doubles[:-7]]},
        "bytes": lambda: bytes([number]) * size,
        "numpy": lambda: np.full((5, size // 40), number + 0.25),
        "numbers": lambda: {"a": Numbers(doubles), "b": Numbers(array("i")), "c": Numbers(array("i", [7, 8]))},
        "text": lambda: chr(200 + number) * size,
    }
    return made[kind](), ()


def results(done: Iterator[Done]) -> list[Any]:
    return [each.result for each in done]


def order(engine: Engine) -> None:
    """Results come in the order of the tasks, though early tasks take longer."""
    tasks = [Task((number, 0.1 if number in (0, 5) else 0.0)) for number in range(12)]
    assert results(engine.run(after_a_while, tasks)) == list(range(12))


def laziness(engine: Engine) -> None:
    """Tasks are taken as they are needed, a bounded number ahead; there may be any number of them."""
    taken = 0

    def tasks() -> Iterator[Task]:
        nonlocal taken
        while True:
            taken += 1
            yield Task(taken)

    run = engine.run(square, tasks())
    assert taken == 0
    for given in range(1, 30):
        assert next(run).result == given * given
        assert taken <= given + MOST_AHEAD * engine.at_once + 1
    run.close()


def no_tasks(engine: Engine) -> None:
    assert list(engine.run(square, [])) == []
    assert list(engine.run(square, iter(()), parcels=2)) == []


def one_task(engine: Engine) -> None:
    (done,) = engine.run(square, [Task(-7)])
    assert done.result == 49
    assert list(done.parcels) == []


def parcels_through_two_stages(engine: Engine) -> None:
    """What one stage makes, the next one reads, in the order in which a task names it; as often as it likes."""
    chunks = [list(range(start, start + size)) for start, size in ((0, 5), (10, 0), (20, 1), (30, 4))]
    first = list(engine.run(split, map(Task, chunks), parcels=3))
    assert results(iter(first)) == [5, 0, 1, 4]
    assert [len(done.parcels) for done in first] == [3] * 4
    second = [Task(f"{share}", [done.parcels[share] for done in first]) for share in (0, 1, 2)]
    wanted = [
        f"{share}: {[number for chunk in chunks for number in chunk if number % 3 == share]}" for share in (0, 1, 2)
    ]
    assert results(engine.run(numbers_in, second)) == wanted
    assert results(engine.run(numbers_in, second[::-1])) == wanted[::-1]


def errors_as_raised(engine: Engine) -> None:
    """The first error in the order of the tasks is raised, as it was, after the results of those before it."""
    late = InputError("here", "refused", "Do not.")
    tasks = [Task((0, None, 0.0)), Task((1, None, 0.1)), Task((2, late, 0.1)), Task((3, KeyError("early"), 0.0))]
    run = engine.run(fail_on, tasks)
    assert [next(run).result, next(run).result] == [0, 1]
    with pytest.raises(InputError) as caught:
        next(run)
    assert (caught.value.where, caught.value.problem, caught.value.advice) == ("here", "refused", "Do not.")
    assert list(run) == []
    assert results(engine.run(square, [Task(2)])) == [4]


def errors_of_the_tasks(engine: Engine) -> None:
    """What the iterable of tasks raises is raised in its place."""

    def tasks() -> Iterator[Task]:
        yield Task(2)
        yield Task(3)
        raise InputError("list", "is broken")

    run = engine.run(square, tasks())
    assert [next(run).result, next(run).result] == [4, 9]
    with pytest.raises(InputError, match="list: is broken"):
        next(run)
    assert list(run) == []


def closing_in_the_middle(engine: Engine) -> None:
    """Nobody waits for work that nobody wants."""
    seconds = 5.0 * PATIENCE_SECONDS
    run = engine.run(after_a_while, [Task((number, seconds if number else 0.0)) for number in range(50)])
    assert next(run).result == 0
    start = time.monotonic()
    run.close()
    assert time.monotonic() - start < PATIENCE_SECONDS
    assert list(run) == []


def leaving_it_unused(engine: Engine) -> None:
    """A run that nobody asked anything does nothing."""
    engine.run(square, [Task(1)])
    engine.run(square, [Task(1)]).close()


def large_results(engine: Engine, size: int = 250_000) -> None:
    """They are as they were, though they fit neither into a pipe nor beside their numbers into one message."""
    for kind in ("array", "arrays", "bytes", "numbers", "numpy", "text"):
        for number, done in enumerate(engine.run(large, [Task((kind, number, size)) for number in range(2)])):
            wanted = large((kind, number, size), ())[0]
            assert type(done.result) is type(wanted)
            if kind == "numpy":
                assert done.result.dtype == wanted.dtype
                assert np.array_equal(done.result, wanted)
            else:
                assert done.result == wanted
            if kind == "array":
                done.result.append(1.5)  # it is the caller's own


def very_large_results(engine: Engine) -> None:
    """50 MB of numbers."""
    large_results(engine, 5_000_000)


def two_runs_at_once(engine: Engine) -> None:
    one = engine.run(square, [Task(number) for number in range(20)])
    two = engine.run(split, [Task([number, number + 1, number + 2]) for number in range(20)], parcels=3)
    handles = []
    for number in range(20):
        assert next(one).result == number * number
        done = next(two)
        assert done.result == 3
        handles.append(done.parcels[0])
    one.close()
    both = list(engine.run(numbers_in, [Task("all", handles)]))
    wanted = [next(each for each in range(number, number + 3) if each % 3 == 0) for number in range(20)]
    assert results(iter(both)) == [f"all: {wanted}"]


def use_after_close(engine: Engine) -> None:
    assert len(list(engine.run(split, [Task([1, 2])], parcels=3))) == 1
    engine.close()
    engine.close()
    (done,) = engine.run(split, [Task([3, 6])], parcels=3)
    assert results(engine.run(numbers_in, [Task("x", [done.parcels[0]])])) == ["x: [3, 6]"]


def many_small_tasks(engine: Engine) -> None:
    source = random.Random(1)
    numbers = [source.randrange(1000) for _ in range(300)]
    assert results(engine.run(square, map(Task, numbers))) == [number * number for number in numbers]


CASES: list[Callable[[Engine], None]] = [
    order,
    laziness,
    no_tasks,
    one_task,
    parcels_through_two_stages,
    errors_as_raised,
    errors_of_the_tasks,
    closing_in_the_middle,
    leaving_it_unused,
    large_results,
    very_large_results,
    two_runs_at_once,
    use_after_close,
    many_small_tasks,
]
