"""Batches on their way through a pool of actors, a bounded number at once; what comes of them is given back in order.

A batch whose actor was lost is given to another one; how often, is bounded. An error waits for its turn, so that the
first one in the order of the batches is raised, as in a single process.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from fullmarks.engines.model_actor import Presence
from fullmarks.errors import WorkerError
from fullmarks.optional import require

QUEUED = 2
"""How many batches an actor has before it, so that it need not wait for the next one."""
AHEAD = 3
"""How many batches are held for each actor: those before it, and what came back and waits for its turn."""
TRIES = 4
"""How often a batch is computed before it is held to be what ends the actors; how often Ray starts one again."""


@dataclass(eq=False)
class Seat:
    """An actor of a pool; it is present while it is known to be alive."""

    actor: Any
    presence: Presence | None = None


class Actors(Protocol):
    """What a stream needs of its pool."""

    def most(self) -> int:
        """How many actors there may be."""

    def grow(self, wanted: int) -> None:
        """Start actors until there are that many, or as many as there may be."""

    def present(self) -> list[Seat]:
        """The actors that can be given something to do."""

    def wait(self, under_way: list[Any], timeout: float | None = None) -> list[Any]:
        """Those of the answers under way that have come; waits for one, or for an actor to arrive."""

    def lose(self, seat: Seat, presence: Presence) -> None:
        """Note that an actor did not survive."""


class Stream:
    """Batches on their way through a pool."""

    def __init__(self, pool: Actors, work: Callable[[Any, Any], Any], batches: Iterable[Any]) -> None:
        self._pool, self._work = pool, work
        self._source = enumerate(batches)
        self._is_exhausted = False
        self._turn = 0
        self._taken = 0
        self._held: dict[int, Any] = {}
        self._unsent: list[int] = []
        self._under_way: dict[Any, tuple[int, Seat, Presence]] = {}
        self._settled: dict[int, tuple[Any, Exception | None]] = {}
        self._tries: Counter[int] = Counter()

    def run(self) -> Iterator[Any]:
        """The outcomes in order; an error at its turn."""
        while True:
            self._take()
            self._send()
            if self._turn in self._settled:
                outcome, error = self._settled.pop(self._turn)
                self._turn += 1
                if error is not None:
                    raise error
                self._collect(timeout=0)
                yield outcome
            elif self._turn == self._taken:
                return
            else:
                self._collect()

    def cancel(self) -> None:
        """Spare the actors what nobody waits for any more."""
        ray = require("ray", needed_by="models on a cluster", extra="ray")
        for reference in self._under_way:
            if ray.is_initialized():
                ray.cancel(reference)

    def _take(self) -> None:
        """Take batches, as many as may be held at once."""
        while not self._is_exhausted and self._taken - self._turn < AHEAD * self._pool.most():
            for number, batch in self._source:
                self._held[number] = batch
                heapq.heappush(self._unsent, number)
                self._taken += 1
                break
            else:
                self._is_exhausted = True

    def _send(self) -> None:
        """Give batches to the actors with the least to do, the earliest first; no more actors than batches."""
        self._pool.grow(len(self._unsent) + len(self._under_way))
        loads = Counter(id(seat) for _, seat, _ in self._under_way.values())
        present = self._pool.present()
        while self._unsent and present:
            seat = min(present, key=lambda one: loads[id(one)])
            if loads[id(seat)] >= QUEUED or seat.presence is None:
                return
            number = heapq.heappop(self._unsent)
            loads[id(seat)] += 1
            self._tries[number] += 1
            reference = seat.actor.compute.options(max_task_retries=0).remote(self._work, self._held[number])
            self._under_way[reference] = (number, seat, seat.presence)

    def _collect(self, timeout: float | None = None) -> None:
        """Wait for an answer, or for an actor to come back."""
        ray = require("ray", needed_by="models on a cluster", extra="ray")
        for reference in self._pool.wait(list(self._under_way), timeout):
            number, seat, presence = self._under_way.pop(reference)
            try:
                self._settle(number, ray.get(reference))
            except ray.exceptions.RayTaskError as error:
                self._settle(number, None, cause_of(error))
            except ray.exceptions.RayError as error:
                self._pool.lose(seat, presence)
                self._again(number, error)

    def _settle(self, number: int, outcome: Any, error: Exception | None = None) -> None:
        del self._held[number], self._tries[number]
        self._settled[number] = (outcome, error)

    def _again(self, number: int, error: Exception) -> None:
        if self._tries[number] < TRIES:
            heapq.heappush(self._unsent, number)
            return
        reason = last_line(error)
        told = f"batch {number + 1} was lost with its actor {TRIES} times ({reason})"
        self._settle(number, None, WorkerError(f"{told}. Make batches smaller, or give actors more memory"))


def cause_of(error: Any) -> Exception:
    """What the actor itself raised."""
    return error.cause if isinstance(error.cause, Exception) else WorkerError(last_line(error))


def last_line(error: Exception) -> str:
    """What Ray says at the end of its long reports."""
    return str(error).strip().splitlines()[-1].strip()
