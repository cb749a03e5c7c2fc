"""The engine that runs tasks on a Ray cluster: tasks of Ray's core, results in order.

Results and parcels belong to the driver and lie in the object stores until they are taken. What is lost with a worker
or a node is made again by Ray, from the tasks that made it; the driver says so.
"""

from __future__ import annotations

import pickle
import time
import weakref
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from fullmarks.checks import check_kind
from fullmarks.engines.crew import raise_from_worker
from fullmarks.engines.engine import Done, Engine, Task, Work
from fullmarks.engines.facts import check_facts, facts
from fullmarks.engines.packing import Packed, unpacked
from fullmarks.engines.ray_connection import first_line, import_ray, join, leave
from fullmarks.engines.ray_worker import Served, WithSettings, settings_here
from fullmarks.errors import UsageError, WorkerError

if TYPE_CHECKING:
    from fullmarks.backends.batches import Opener
    from fullmarks.engines.pool_size import PoolSize

AHEAD_PER_PLACE = 3
"""How many tasks a place may have before it, done ones that wait for their turn included."""
LOOK_SECONDS = 1.0
"""How often the driver looks which nodes there are."""
RETRIES = 5
"""How often a task is begun again: a node may go at any time, but work that always ends its worker has to end, too."""
CANCEL_TRIES, CANCEL_SECONDS = 5, 1.0
"""How often a task is cancelled that goes on all the same, and how long it may take to end."""
KEPT_SHARE = 4
"""Results that the caller keeps may fill this part of the driver's object store before they are copied out of it."""


def _pool_size(text: str) -> PoolSize:
    from fullmarks.engines.pool_size import PoolSize

    return PoolSize.from_text(text)


class RayParcel:
    """The handle of a parcel: as long as somebody holds it and the engine is open, the parcel is there."""

    __slots__ = ("__weakref__", "reference")

    def __init__(self, reference: Any) -> None:
        self.reference = reference


class _UnderWay(NamedTuple):
    """A task that was handed to Ray."""

    name: str
    reference: Any
    parcels: list[RayParcel]
    error: Exception | None = None
    """Why there is none in this place."""


class RayCluster(Engine):
    """Runs tasks on a Ray cluster, joined when the first one is run.

    Without an address: the one this process has joined, the one that RAY_ADDRESS names, the one that runs on this
    machine, or else one that is started here and ends when the engine is closed.
    """

    name: ClassVar[str] = "ray"

    has_models: ClassVar[bool] = True

    def __init__(
        self,
        address: str | None = None,
        *,
        cpus_per_task: float = 1,
        retries: int = RETRIES,
        pool: PoolSize | None = None,
    ) -> None:
        check_kind("address", address, str, or_none=True)
        check_kind("cpus_per_task", cpus_per_task, float, least=0)
        check_kind("retries", retries, int, least=0)
        self._address = address
        self._pool = pool
        self._cpus = cpus_per_task
        self._retries = retries
        self._ray: Any = None
        self._is_ours = False
        self._runs = 0
        self._parcels: weakref.WeakSet[RayParcel] = weakref.WeakSet()
        self._nodes = _Nodes(cpus_per_task)
        self._said: set[tuple[str, int]] = set()
        self._kept_bytes = 0

    @classmethod
    def from_text(cls, argument: str) -> RayCluster:
        """The engine; the argument is an address, and after a question mark how many actors models have."""
        address, _, pool = argument.partition("?")
        return cls(address or None, pool=_pool_size(pool) if pool else None)

    @property
    def at_once(self) -> int:
        """How many tasks the nodes that are there now have room for."""
        self._look(self._joined(), always=True)
        return max(1, self._nodes.places)

    def run(self, work: Work, tasks: Iterable[Task], parcels: int = 0) -> Generator[Done, None, None]:
        """What comes of every task, in order."""
        ray = self._joined()
        self._runs += 1
        name = f"{ray.get_runtime_context().get_job_id()}-{self._runs}"
        begun = _begun(self._beginner(ray, name, work, parcels), tasks)
        under_way: deque[_UnderWay] = deque()
        try:
            while True:
                self._look(ray)
                most = AHEAD_PER_PLACE * max(1, self._nodes.places)
                under_way.extend(islice(begun, max(0, most - len(under_way))))
                if not under_way:
                    return
                if under_way[0].error is not None:
                    raise under_way[0].error
                if ray.wait([under_way[0].reference], timeout=LOOK_SECONDS, fetch_local=False)[0]:
                    yield self._taken(ray, under_way)
        finally:
            _cancel(ray, [task.reference for task in under_way if task.error is None])

    def spill_into(self, folder: str) -> None:
        """Nothing: Ray has parcels in its object stores, and on disks where these are full."""

    @contextmanager
    def models(self) -> Iterator[None]:
        """Let neural models run on actors of the cluster, which is joined when the first one is asked."""
        from fullmarks.backends.batches import using
        from fullmarks.engines.ray_models import RayModels

        models = RayModels(self._pool, self.tell)

        def opened(opener: Opener) -> Any:
            self._joined()
            return models.open(opener)

        try:
            with using(opened):
                yield
        finally:
            models.close()

    def close(self) -> None:
        """Let go of all parcels, and leave the cluster if it was joined here."""
        for parcel in self._parcels:
            parcel.reference = None
        self._parcels.clear()
        if self._ray is not None and self._is_ours:
            leave()
        self._ray = None

    def _joined(self) -> Any:
        if self._ray is not None and not self._ray.is_initialized():
            self._ray = None
        if self._ray is None:
            self._is_ours = join(self._address)
            self._ray = import_ray()
            self._nodes = _Nodes(self._cpus)
        return self._ray

    def _beginner(self, ray: Any, run: str, work: Work, parcels: int) -> Callable[[int, Task], _UnderWay]:
        """What hands a task of one run to Ray: the work lies in the object store, for all tasks."""
        remote = ray.remote(_task_function())
        remote = remote.options(
            num_cpus=self._cpus, num_returns=1 + parcels, max_retries=self._retries, name=f"fullmarks-{run}"
        )
        stored = ray.put(np.frombuffer(_pickled(ray, "work", WithSettings(work, settings_here())), np.uint8))
        version = facts().fullmarks
        count = self._runs

        def begin(number: int, task: Task) -> _UnderWay:
            name = _named(count, number)
            words = (version, run, name, parcels)
            inputs = [self._reference(parcel) for parcel in task.inputs]
            references = remote.remote(words, stored, _pickled(ray, "task", task.about), *inputs)
            if not parcels:
                return _UnderWay(name, references, [])
            made = [RayParcel(reference) for reference in references[1:]]
            self._parcels.update(made)
            return _UnderWay(name, references[0], made)

        return begin

    def _reference(self, parcel: Any) -> Any:
        if not isinstance(parcel, RayParcel) or parcel.reference is None:
            raise UsageError("a task names a parcel of another engine, or of one that was closed")
        return parcel.reference

    def _taken(self, ray: Any, under_way: deque[_UnderWay]) -> Done:
        """What came of the oldest task, which is under way no more."""
        done = Done(self._result(ray, under_way[0]), under_way[0].parcels)
        under_way.popleft()
        return done

    def _result(self, ray: Any, task: _UnderWay) -> Any:
        """The result of a task that is done, over the memory of the object store."""
        try:
            served = ray.get(task.reference)
        except ray.exceptions.RayError as error:
            raise WorkerError(_lost(task.name, error, self._retries)) from error
        if isinstance(served, str):
            raise _refused(served)
        check_facts(facts(), served.facts)
        self._say_what_was_lost(ray, task.name, served)
        answer = unpacked(Packed(served.answer.head, [self._kept(buffer) for buffer in served.answer.buffers]))
        raise_from_worker(answer)
        return answer.done.result

    def _kept(self, buffer: Any) -> Any:
        """A buffer in the object store, or a copy of it where the caller keeps so many that the store would fill up."""
        if (self._kept_bytes + buffer.nbytes) * KEPT_SHARE > self._nodes.store:
            return buffer.copy()
        self._kept_bytes += buffer.nbytes
        weakref.finalize(buffer, self._let_go, buffer.nbytes).atexit = False
        return memoryview(buffer)  # an array made over it holds this, and so the buffer; over the array only its memory

    def _let_go(self, size: int) -> None:
        self._kept_bytes -= size

    def _look(self, ray: Any, *, always: bool = False) -> None:
        """Look which nodes there are, and say what changed for the worse."""
        for text in self._nodes.look(ray, always=always):
            self.tell(text)

    def _say_what_was_lost(self, ray: Any, name: str, served: Served) -> None:
        """Say which tasks were run again to get this, each attempt once."""
        again = {*served.made_again, *([(name, served.attempt)] if served.attempt else [])} - self._said
        if again:
            self._said |= again
            self._look(ray, always=True)
        for task, attempt in sorted(again):
            self.tell(f"{self._nodes.what_was_lost} was lost; {task} was run again (attempt {attempt + 1})")


class _Nodes:
    """The nodes of the cluster, as they were a moment ago."""

    def __init__(self, cpus: float) -> None:
        self._cpus = cpus
        self._alive: dict[str, str] = {}
        self._next_look = 0.0
        self._told_none = False
        self.places = 0
        self.store = 0.0
        self.what_was_lost = "a worker process"

    def look(self, ray: Any, *, always: bool) -> list[str]:
        """What is to be said about the nodes; nothing as long as the last look is not long ago."""
        now = time.monotonic()
        if now < self._next_look and not always:
            return []
        self._next_look = now + LOOK_SECONDS
        nodes = [node for node in ray.nodes() if node["Alive"]]
        here = ray.get_runtime_context().get_node_id()
        self.places = sum(int(node["Resources"].get("CPU", 0) // self._cpus) for node in nodes)
        self.store = sum(node["Resources"].get("object_store_memory", 0) for node in nodes if node["NodeID"] == here)
        before, self._alive = self._alive, {node["NodeID"]: node["NodeManagerAddress"] for node in nodes}
        gone = [f"{before[node]} ({node[:8]})" for node in before.keys() - self._alive.keys()]
        texts = [f"the node {node} left the cluster; what it was doing and held is done again" for node in gone]
        if gone:
            self.what_was_lost = "a worker process or its node"
        if not self.places and not self._told_none:
            self._told_none = True
            texts.append(f"no node of the cluster has {self._cpus:g} CPU for a task; waiting for one")
        return texts


def _task_function() -> Callable[..., Any]:
    """What a worker runs. It is sent by value, so that one that lacks fullmarks, or has another, can say so."""

    def run_task(words: tuple[str, str, str, int], work: Any, about: bytes, *inputs: Any) -> Any:
        version, run, task, parcels = words
        try:
            from fullmarks.version import __version__ as found
        except ImportError as error:
            found = f"none ({error})"
        if found != version:
            return (found, *(None for _ in range(parcels))) if parcels else found
        from fullmarks.engines.ray_worker import serve

        answers = serve((run, task), work, about, inputs, parcels)
        return answers if parcels else answers[0]

    return run_task


def _refused(found: str) -> WorkerError:
    """Why a worker with this version of fullmarks was not given its task."""
    ours = facts()
    if found.startswith("none"):
        return WorkerError(
            "a worker of the Ray cluster lacks fullmarks. Install it on every node: "
            f"pip install 'fullmarks[ray]=={ours.fullmarks}', or name it in the runtime environment of the job"
        )
    try:
        check_facts(ours, ours._replace(fullmarks=found))
    except WorkerError as error:
        return error
    return WorkerError(f"a worker of the Ray cluster refused its task: {found}")


def _cancel(ray: Any, references: list[Any]) -> None:
    """End tasks at once, whatever they are doing, the last ones first.

    One that is done is left alone: Ray ends the whole process when a task is cancelled that it is just putting away.
    One that Ray is just handing to a worker may begin all the same: it is cancelled again.
    """
    with suppress(Exception):  # the cluster is gone, or has never been there
        for seconds in (0.0, *[CANCEL_SECONDS] * CANCEL_TRIES):
            if references:
                _, references = ray.wait(references, num_returns=len(references), timeout=seconds, fetch_local=False)
            for reference in reversed(references):
                ray.cancel(reference, force=True)


def _pickled(ray: Any, what: str, value: Any) -> bytes:
    try:
        pickled: bytes = ray.cloudpickle.dumps(value)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise UsageError(f"this {what} cannot be sent to other processes ({error}); use the engine 'here'") from error
    return pickled


def _lost(name: str, error: Exception, retries: int) -> str:
    """What to say of a task that Ray has given up."""
    cause = getattr(error, "cause", None)
    reason = first_line(cause if isinstance(cause, Exception) else error)
    tries = "once" if not retries else f"up to {retries + 1} times"
    return (
        f"{name} was begun {tries} and lost ({type(error).__name__}: {reason}). "
        "Its worker ran out of memory, was killed, or its node left; use smaller pieces or more memory for a task"
    )


def _named(run: int, number: int) -> str:
    return f"task {number + 1}" if run == 1 else f"task {number + 1} of run {run}"


def _begun(begin: Callable[[int, Task], _UnderWay], tasks: Iterable[Task]) -> Iterator[_UnderWay]:
    """Tasks that are begun as they are asked for; an error of their iterable takes the place of the next one."""
    try:
        for number, task in enumerate(tasks):
            yield begin(number, task)
    except Exception as error:  # noqa: BLE001 - it is raised when its turn has come
        yield _UnderWay("", None, [], error)
