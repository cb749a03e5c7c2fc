"""The engine that uses the cores of this machine: worker processes that read and score their own tasks.

A task goes to whichever worker is free; what comes of it is given out in the order of the tasks, so that the digits are
those of one process. A worker that is lost is replaced and its task run again. Whatever ends a run, nobody waits for a
worker: each is killed and reaped. A worker whose parent is gone ends itself.
"""

from __future__ import annotations

import heapq
import multiprocessing
import pickle
import time
from collections.abc import Callable, Generator, Iterable
from itertools import count
from typing import Any, ClassVar

from fullmarks.engines.choice import available_cores, check_workers
from fullmarks.engines.crew import Crew, Worker, raise_from_worker
from fullmarks.engines.engine import Done, Engine, Task, Work
from fullmarks.engines.parcels import ParcelFolder
from fullmarks.engines.worker import Answer, Errand, NamedTask
from fullmarks.errors import UsageError, WorkerError

AHEAD = 2
"""How many tasks for each worker may be begun beyond the one whose result is wanted next: results that wait for it
take memory."""
MOSTLY = 0.9
"""The share of its time that the caller waits for workers, from which on they need no second task in advance."""
MOST_LOSSES = 3
"""How often a task may lose its worker: one that always does takes more memory than there is, or ends its process."""
NOT_STARTED = (
    "a worker process ended before its work was done (out of memory, killed, or started by a script that "
    'lacks if __name__ == "__main__"). Run again with --engine here, or with fewer workers'
)


class Cores(Engine):
    """Runs tasks in worker processes of this machine; parcels lie in a folder, written and read by the workers."""

    name: ClassVar[str] = "cores"

    def __init__(self, workers: int | None = None, spill: str | None = None) -> None:
        check_workers(workers)
        self._workers = workers or available_cores()
        self._folder = ParcelFolder(spill)
        self._runs = count(1)
        self._crews: set[Crew] = set()

    @classmethod
    def from_text(cls, argument: str) -> Cores:
        """The engine with that number of workers; without a number, one for each core that may be used."""
        if argument and not (argument.isascii() and argument.removeprefix("-").isdigit()):
            raise UsageError(f"the engine 'cores' takes a number of workers, as in cores:4, found '{argument}'")
        return cls(int(argument) if argument else None)

    def spill_into(self, folder: str) -> None:
        """Let parcels lie in this folder."""
        self._folder = ParcelFolder(folder)

    @property
    def at_once(self) -> int:
        """The number of workers."""
        return self._workers

    def run(self, work: Work, tasks: Iterable[Task], parcels: int = 0) -> Generator[Done, None, None]:
        """What comes of every task, in order. No more workers are started than there are tasks."""
        _check_process()
        errand = _sendable("this work", Errand(work, self._folder.path if parcels else None))
        crew = Crew(errand)
        self._crews.add(crew)
        try:
            yield from _Run(crew, self._workers, self.tell, f"{next(self._runs)}-").results(tasks)
        finally:
            crew.end()
            self._crews.discard(crew)

    def close(self) -> None:
        """Remove all parcels and end all workers; a run that is under way fails."""
        for crew in tuple(self._crews):
            crew.end()
        self._folder.remove()


class _Run:
    """One run: which tasks wait for a worker, which are under way, and which answers wait for their turn."""

    def __init__(self, crew: Crew, workers: int, tell: Callable[[str], None], name: str) -> None:
        self._crew = crew
        self._workers = workers
        self._tell = tell
        self._name = name
        self._taken = 0
        self._wanted = 0
        """The number of the task whose result is given out next."""
        self._packed: dict[int, bytes] = {}
        """The tasks that are not answered yet."""
        self._waiting: list[int] = []
        """The tasks that no worker has, as a heap: lost ones come first."""
        self._answers: dict[int, Answer] = {}
        self._losses: dict[int, int] = {}
        self._start = time.monotonic()
        self._waited = 0.0
        self._last: int | None = None
        """The number at which tasks end or the first error is: later ones are not begun."""

    def results(self, tasks: Iterable[Task]) -> Generator[Done, None, None]:
        """What comes of every task, in order; the first error in that order is raised in its place."""
        rest = iter(tasks)
        self._hand_out(rest)
        while self._last is None or self._wanted < self._last or self._wanted in self._answers:
            self._collect(0.0 if self._wanted in self._answers else None)
            self._hand_out(rest)
            answer = self._answers.pop(self._wanted, None)
            if answer is None:
                continue
            raise_from_worker(answer)
            self._wanted += 1
            yield answer.done  # type: ignore[misc]
            del answer
            if self._crew.has_ended:
                raise UsageError("the engine was closed while it ran. Close it when its results have been taken")

    def _take(self, tasks: Any) -> None:
        """Take so many tasks that every worker could get one more."""
        while self._last is None and len(self._waiting) <= self._workers:
            number = self._taken
            try:
                task = next(tasks)
                self._packed[number] = _sendable("this task", NamedTask(f"{self._name}{number}", *task))
            except StopIteration:
                self._last = number
                return
            except Exception as error:  # noqa: BLE001 - it is raised when its turn has come
                self._fail(number, Answer(None, error))
                return
            heapq.heappush(self._waiting, number)
            self._taken += 1

    def _hand_out(self, tasks: Any) -> None:
        """Give tasks to workers, as far ahead as is allowed."""
        self._take(tasks)
        while self._waiting and self._may_begin(self._waiting[0]):
            worker = self._free_worker()
            if worker is None:
                return
            number = heapq.heappop(self._waiting)
            worker.give(number, self._packed[number])
            self._take(tasks)

    def _may_begin(self, number: int) -> bool:
        return number <= self._wanted + AHEAD * self._workers and (self._last is None or number < self._last)

    def _free_worker(self) -> Worker | None:
        """A worker for the next task: an idle or a new one, else one that would have to wait for more.

        A task is put behind another only where we are seldom here to hand it to whoever is done first, and never if it
        is one of the last.
        """
        workers = self._crew.workers
        idle = next((worker for worker in workers if not worker.tasks), None)
        if idle is not None:
            return idle
        if len(workers) < self._workers:
            try:
                return self._crew.add()
            except OSError as error:
                reason = error.strerror or error
                text = f"{self._workers} processes cannot be started ({reason}). Use fewer workers"
                raise WorkerError(text) from error
        if self._is_mostly_here or len(self._waiting) <= self._workers:
            return None
        return min((worker for worker in workers if len(worker.tasks) == 1), key=_oldest_task, default=None)

    @property
    def _is_mostly_here(self) -> bool:
        """Whether a worker that is done mostly finds us waiting for it, and not busy with what others have done."""
        return self._wanted == 0 or self._waited > MOSTLY * (time.monotonic() - self._start)

    def _collect(self, seconds: float | None) -> None:
        """Take the answers that are there, waiting so long for one."""
        start = time.monotonic()
        self._crew.wait(seconds)
        self._waited += time.monotonic() - start
        for worker, answer in self._crew.answers():
            if answer is None:
                self._replace(worker)
                continue
            number = worker.tasks.popleft()
            del self._packed[number]
            if answer.error is None:
                self._answers[number] = answer
            else:
                self._fail(number, answer)

    def _fail(self, number: int, answer: Answer) -> None:
        """Keep an error for its turn; nothing after it is begun."""
        self._answers[number] = answer
        self._last = number if self._last is None else min(number, self._last)

    def _replace(self, worker: Worker) -> None:
        """Let the tasks of a lost worker wait for others; the one that it was at may be why it was lost."""
        how = self._crew.dismiss(worker)
        if not self._crew.can_start:
            raise WorkerError(NOT_STARTED)
        for number in worker.tasks:
            heapq.heappush(self._waiting, number)
        if not worker.tasks:
            return
        lost = worker.tasks[0]
        self._losses[lost] = self._losses.get(lost, 0) + 1
        if self._losses[lost] == MOST_LOSSES:
            raise WorkerError(
                f"task {lost + 1} lost its worker process {MOST_LOSSES} times (the last time {how}). Where memory "
                "is short, use fewer workers; --engine here shows an error that ends a process"
            )
        self._tell(f"a worker process was lost ({how}); task {lost + 1} is run again")


def _oldest_task(worker: Worker) -> int:
    return worker.tasks[0]


def _check_process() -> None:
    """An error in a process that is itself a worker, or that would become one if it did not run this script again."""
    process = multiprocessing.current_process()
    if process.daemon:
        raise UsageError("a worker of a process pool cannot start processes of its own; use the engine 'here'")
    if getattr(process, "_inheriting", False):
        raise UsageError(
            'the script was run again by a process that it started. Put what it does under if __name__ == "__main__"'
        )


def _sendable(what: str, thing: Any) -> bytes:
    try:
        return pickle.dumps(thing, pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise UsageError(f"{what} cannot be sent to other processes ({error}); use the engine 'here'") from error
