"""Which engine runs a job: this process, unless the work is heavy enough to gain from others or somebody says so."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import chain
from typing import TYPE_CHECKING, Any

from fullmarks.checks import check_kind, wrong_value
from fullmarks.errors import UsageError
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.tally import Rows, chunk_rows
from fullmarks.types import Examples

if TYPE_CHECKING:
    from fullmarks.engines.engine import Engine

WORTH_SHARING = 4096
"""Fewer examples than this are done before other processes have started."""
MOST_WORKERS, MOST_PER_CORE = 64, 4
"""How many workers may be asked for: the first number, or the second for each core where that is more."""


def available_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_workers(workers: int | None) -> None:
    """An error unless this many workers can be had; None leaves the choice to us."""
    check_kind("workers", workers, int, or_none=True)
    if workers is None:
        return
    if workers < 1:
        raise UsageError(f"workers must be at least 1, found {workers}")
    most = max(MOST_WORKERS, MOST_PER_CORE * available_cores())
    if workers > most:
        raise UsageError(f"workers must be at most {most} on this machine, found {workers}. One for each core is best")


@contextmanager
def chosen_engine(
    engine: str | Engine | None, workers: int | None, spill: str | None = None
) -> Iterator[Engine | None]:
    """The engine that was asked for, closed at the end if it was made here; None leaves the choice to us.

    `workers` alone asks for so many processes, one for none but this. `spill` is the folder for its parcels.
    """
    check_workers(workers)
    check_kind("spill", spill, str, or_none=True)
    if engine is None and workers is None and spill is None:
        yield None
        return
    if workers is not None and engine not in {None, "cores"}:
        raise UsageError(f"workers is the number of processes of the engine 'cores', found the engine {engine!r}")
    if engine is None or isinstance(engine, str):
        is_here = engine is None and workers in {None, 1}
        with engine_of("here" if is_here else _with_workers(engine, workers)) as made:
            if spill is not None:
                made.spill_into(spill)
            yield made
        return
    if not is_engine(engine):
        raise wrong_value("engine", "the name of an engine or an engine", engine, "Leave it out for the default")
    if spill is not None:
        engine.spill_into(spill)
    yield engine


def _with_workers(engine: str | None, workers: int | None) -> str:
    return engine if engine is not None and workers is None else f"cores:{workers}"


def engine_of(text: str) -> Engine:
    """The engine that `name` or `name:argument` asks for."""
    from fullmarks.engines import ENGINES

    name, _, argument = text.partition(":")
    made: Engine = ENGINES.get(name).from_text(argument)
    return made


def is_engine(value: object) -> bool:
    """Whether a value is an engine; imports the contract only if it could be one."""
    from fullmarks.engines.engine import Engine

    return isinstance(value, Engine)


@contextmanager
def for_expensive_metrics() -> Iterator[Engine | None]:
    """All cores of this machine, where processes can be started unasked; None otherwise."""
    from fullmarks.engines.starting import can_start_unasked

    if available_cores() < 2 or not can_start_unasked():
        yield None
        return
    from fullmarks.engines.cores import Cores

    with Cores() as engine:
        yield engine


def models_of(engine: Engine | None) -> AbstractContextManager[Any]:
    """A context in which neural models run where the engine has them."""
    return nullcontext() if engine is None else engine.models()


def runs_models_here(engine: Engine | None, metrics: Sequence[Metric]) -> bool:
    """Whether metrics have to be asked in this process, because they run models that the engine has elsewhere."""
    return engine is not None and engine.has_models and any(metric.runs_models for metric in metrics)


def scored_chunks(
    metrics: Sequence[Metric], chunks: Iterable[Examples], engine: Engine | None
) -> Generator[tuple[Examples, Rows], None, None]:
    """Chunks that were read here, with their rows, in input order; closing it ends all work at once.

    Without an engine, other cores are used for expensive metrics on many examples only.
    """
    if engine is None and any(metric.is_expensive for metric in metrics):
        count, chunks = _looked_ahead(chunks)
        if count >= WORTH_SHARING:
            with for_expensive_metrics() as found:
                if found is not None:
                    yield from _shared(metrics, chunks, found)
                    return
    if engine is not None and engine.works_elsewhere and not runs_models_here(engine, metrics):
        yield from _shared(metrics, chunks, engine)
        return
    for examples in chunks:
        yield examples, chunk_rows(metrics, examples)


def _shared(
    metrics: Sequence[Metric], chunks: Iterable[Examples], engine: Engine
) -> Generator[tuple[Examples, Rows], None, None]:
    from fullmarks.engines.parts import scored_parts

    return scored_parts(metrics, chunks, engine)


def _looked_ahead(chunks: Iterable[Examples]) -> tuple[int, Iterable[Examples]]:
    """How many examples there are, counted no further than needed, and all chunks again."""
    rest = iter(chunks)
    head: list[Examples] = []
    count = 0
    for chunk in rest:
        head.append(chunk)
        count += len(chunk)
        if count >= WORTH_SHARING:
            break
    return count, chain(head, rest)
