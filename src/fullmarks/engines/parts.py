"""Examples that were read here and are scored elsewhere: for inputs that are joined in memory, where nothing is cut."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence

from fullmarks.engines.engine import Buffer, Engine, Task
from fullmarks.frozen import frozen
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.tally import Rows, chunk_rows
from fullmarks.types import Examples

PART = 512
"""Examples per task: small enough that an interrupted run ends at once, large enough to hide the cost of sending."""


@frozen
class RowsOf:
    """The rows of some examples."""

    metrics: tuple[Metric, ...]

    def __call__(self, examples: Examples, inputs: Sequence[Buffer]) -> tuple[Rows, list[bytes]]:
        """Score them."""
        del inputs
        return chunk_rows(self.metrics, examples), []


def scored_parts(
    metrics: Sequence[Metric], chunks: Iterable[Examples], engine: Engine
) -> Generator[tuple[Examples, Rows], None, None]:
    """Every part of every chunk with its rows, in input order."""
    waiting: deque[Examples] = deque()

    def tasks() -> Iterator[Task]:
        for chunk in chunks:
            for start in range(0, len(chunk), PART):
                waiting.append(chunk.part(start, start + PART))
                yield Task(waiting[-1])

    for done in engine.run(RowsOf(tuple(metrics)), tasks()):
        yield waiting.popleft(), done.result
