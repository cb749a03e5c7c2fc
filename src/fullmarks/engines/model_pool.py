"""A network that several Ray actors have opened: which of them are alive, and what they compute with.

Invariant: all actors of a pool have the same model and the same versions. One that was lost is started again by Ray and
takes part when it has come back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar

from fullmarks.backends.batches import Batch, Model, Opener, Outcome
from fullmarks.engines.model_actor import NetworkActor, Presence
from fullmarks.engines.model_stream import TRIES, Seat, Stream, cause_of, last_line
from fullmarks.engines.pool_size import Needs, PoolSize, needs_of
from fullmarks.errors import UsageError, WorkerError
from fullmarks.optional import require
from fullmarks.version import __version__

PATIENCE_SECONDS = 30.0
"""How long nothing is said while no actor is ready."""

Tell = Callable[[str], None]


class ModelPool(Model):
    """A network that several actors have opened."""

    is_here: ClassVar[bool] = False

    def __init__(self, opener: Opener, size: PoolSize, tell: Tell, make_room: Callable[[ModelPool], None]) -> None:
        self._opener = opener
        self._size, self._tell, self._make_room = size, tell, make_room
        self._facts: dict[str, str] = {}
        self._seats: list[Seat] = []
        self._arriving: dict[Any, Seat] = {}
        self._needs: Needs | None = None
        self._streams = 0

    @property
    def identity(self) -> str:
        """What the networks say they are, all of them the same."""
        if not self._facts:
            self.grow(1)
            while not self._facts:
                self.wait([])
        return self._facts["model"]

    @property
    def is_busy(self) -> bool:
        """Whether batches are under way."""
        return self._streams > 0

    @property
    def processes(self) -> list[int]:
        """The process ids of the actors that are known to be alive."""
        return [seat.presence.process for seat in self._seats if seat.presence is not None]

    def each(self, work: Callable[[Any, Batch], Outcome], batches: Iterable[Batch]) -> Iterator[Outcome]:
        """What comes of every batch, in order; batches are held until they are computed, to be computed again."""
        stream = Stream(self, work, batches)
        self._streams += 1
        try:
            yield from stream.run()
        finally:
            self._streams -= 1
            stream.cancel()

    def close(self) -> None:
        """End the actors."""
        ray = require("ray", needed_by="models on a cluster", extra="ray")
        for seat in self._seats:
            if ray.is_initialized():
                ray.kill(seat.actor)
        self._seats, self._arriving, self._needs = [], {}, None

    def most(self) -> int:
        """How many actors there may be."""
        return self._needed().actors

    def grow(self, wanted: int) -> None:
        """Start actors until there are that many, or as many as there may be."""
        ray = require("ray", needed_by="models on a cluster", extra="ray")
        needs = self._needed()
        while len(self._seats) < min(wanted, needs.actors):
            actor = ray.remote(NetworkActor).options(
                num_cpus=needs.cpus,
                num_gpus=needs.gpus,
                max_restarts=TRIES,
                max_task_retries=TRIES,
                scheduling_strategy="SPREAD",
            )
            seat = Seat(actor.remote(self._opener, needs.threads, str(Path.cwd())))
            self._seats.append(seat)
            self._arriving[seat.actor.ready.remote()] = seat

    def present(self) -> list[Seat]:
        """The actors that can be given something to do."""
        return [seat for seat in self._seats if seat.presence is not None]

    def wait(self, under_way: list[Any], timeout: float | None = None) -> list[Any]:
        """Those of the answers under way that have come; waits for one, or for an actor to arrive."""
        ray = require("ray", needed_by="models on a cluster", extra="ray")
        if not self._arriving and not under_way:
            return []
        patience = PATIENCE_SECONDS if timeout is None and not under_way else timeout
        done, _ = ray.wait([*self._arriving, *under_way], num_returns=1, timeout=patience)
        if not done and timeout is None:
            needs = self._needed()
            self._tell(
                f"{self._name}: no actor is ready after {PATIENCE_SECONDS:g} s; the model is still being opened, or "
                f"the cluster has no room for an actor with {needs.cpus} CPUs and {needs.gpus:g} GPUs"
            )
            done, _ = ray.wait([*self._arriving, *under_way], num_returns=1)
        for reference in done:
            if reference in self._arriving:
                self._arrive(reference)
        return [reference for reference in done if reference in under_way]

    def lose(self, seat: Seat, presence: Presence) -> None:
        """Note that the actor did not survive; once for all batches it had."""
        if seat.presence is not presence:
            return
        seat.presence = None
        self._tell(
            f"{self._name}: process {presence.process} on {presence.host} was lost; its batches are computed again"
        )
        self._arriving[seat.actor.ready.remote()] = seat

    def _needed(self) -> Needs:
        """What is asked of the cluster: found out once, after idle pools have made room."""
        if self._needs is None:
            self._make_room(self)
            self._needs = needs_of(self._opener, self._size)
        return self._needs

    @property
    def _name(self) -> str:
        return self._facts.get("model") or " ".join(filter(None, self._opener.arguments)) or "images"

    def _arrive(self, reference: Any) -> None:
        ray = require("ray", needed_by="models on a cluster", extra="ray")
        seat = self._arriving.pop(reference)
        try:
            presence = ray.get(reference)
        except ray.exceptions.RayTaskError as error:
            self.close()
            raise cause_of(error) from error
        except ray.exceptions.RayError as error:
            self._drop(seat, error)
            return
        try:
            self._check(presence)
        except UsageError:
            self.close()
            raise
        seat.presence = presence

    def _drop(self, seat: Seat, error: Exception) -> None:
        """Go on without an actor that cannot be started; an error if it was the last one."""
        self._seats = [other for other in self._seats if other is not seat]
        reason = last_line(error)
        if not self._seats:
            self.close()
            raise WorkerError(
                f"{self._name}: no actor could be started ({reason}). Check that fullmarks {__version__} with its "
                "extras is installed on every node, and that the model fits into a node's memory"
            ) from error
        self._needs = self._needed()._replace(actors=len(self._seats))
        self._tell(f"{self._name}: an actor could not be started ({reason}); {len(self._seats)} go on")

    def _check(self, presence: Presence) -> None:
        """An error unless this actor computes with what the others do, and with our own version."""
        wanted = self._facts or {**presence.facts, "fullmarks": __version__}
        for name, value in presence.facts.items():
            if value != wanted[name]:
                raise UsageError(
                    f"{presence.host} has {name} {value}, expected {wanted[name]} as elsewhere: other ones give "
                    "other digits. Install the same on every node"
                )
        self._facts = presence.facts
