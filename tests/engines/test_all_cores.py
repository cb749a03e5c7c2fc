"""Work on several processes: the digits of one, and an orderly end whatever happens."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

import fullmarks
from fullmarks.engines import all_cores, choice
from fullmarks.engines.crew import Crew
from fullmarks.errors import InputError, UsageError, WorkerError
from fullmarks.metrics import METRICS
from fullmarks.metrics.answers import ExactMatch, TokenF1
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.tally import chunk_rows
from fullmarks.types import Examples
from processes import command, group_members, started, wait_until

OPTIONS: dict[str, dict[str, Any]] = {"meteor": {"lexicon": "none"}}
YES_NO = ["mme_accuracy", "yes_no"]
"""Metrics whose references are yes or no."""
TEXT_METRICS = [name for name in METRICS.own_names() if not METRICS.get(name).needs and name not in YES_NO]
WORKERS = pytest.mark.parametrize("workers", [1, 2, 4])


def chunks(sizes: tuple[int, ...] = (700, 1, 1500), labels: tuple[str, ...] = ()) -> Iterator[Examples]:
    """Random texts; with labels, each example has one of them as its only reference."""
    source = random.Random(5)
    words = ["the", "cat", "sat", "on", "a", "mat", ",", "two", "dogs", "don't", "Москва", "."]

    def text() -> str:
        return " ".join(source.choices([*words, *labels], k=source.randrange(9)))

    def references() -> list[str]:
        return [source.choice(labels)] if labels else [text() for _ in range(4)]

    first = 0
    for size in sizes:
        ids = list(range(first, first + size))
        yield Examples(ids, [text() for _ in ids], [references() for _ in ids], {}, (0, size - 1))
        first += size


def joined(parts: Iterator[tuple[Examples, tuple[array[float], ...]]]) -> tuple[list[Any], list[bytes]]:
    ids: list[Any] = []
    rows: list[array[float]] = []
    for examples, made in parts:
        ids += examples.ids
        rows = rows or [array("d") for _ in made]
        for kept, values in zip(rows, made, strict=True):
            kept.extend(values)
    return ids, [values.tobytes() for values in rows]


@pytest.fixture(autouse=True)
def _parts_small_enough_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(all_cores, "PART", 100)


@WORKERS
@pytest.mark.parametrize(("names", "labels"), [(TEXT_METRICS, ()), (YES_NO, ("yes", "no"))], ids=["texts", "yes-no"])
def test_rows_are_those_of_one_process(workers: int, names: list[str], labels: tuple[str, ...]) -> None:
    metrics = [METRICS.get(name)(**OPTIONS.get(name, {})) for name in names]
    here = joined((examples, chunk_rows(metrics, examples)) for examples in chunks(labels=labels))
    assert joined(choice.run(metrics, chunks(labels=labels), workers)) == here
    assert joined(all_cores.run_on_cores(metrics, chunks(labels=labels), workers)) == here


def table(count: int) -> list[dict[str, Any]]:
    return [
        {"id": example.id, "prediction": example.prediction, "references": example.references, "kind": example.id % 3}
        for example in next(chunks((count,)))
    ]


@WORKERS
@pytest.mark.parametrize("protocol", ["squad2", "squad1", "vqa", "qa"])
def test_results_are_those_of_one_process(protocol: str, workers: int) -> None:
    alone = fullmarks.score(protocol, table(450), by="kind")
    shared = fullmarks.score(protocol, table(450), by="kind", workers=workers)
    assert shared.to_dict() == alone.to_dict()
    assert [rows.tobytes() for rows in shared.tally.rows] == [rows.tobytes() for rows in alone.tally.rows]
    assert list(shared.per_example) == list(alone.per_example)


def test_no_examples_make_no_rows() -> None:
    assert list(all_cores.run_on_cores([ExactMatch()], iter(()), 2)) == []


def test_a_number_of_workers_is_positive() -> None:
    with pytest.raises(UsageError, match="workers must be at least 1, found 0"):
        choice.run([ExactMatch()], chunks(), 0)


@dataclass(frozen=True)
class Probe(Metric):
    """Tells which process made a row; what else it does is said by the prediction."""

    name: ClassVar[str] = "probe"
    summary: ClassVar[str] = "for these tests"
    is_expensive: ClassVar[bool] = True

    @property
    def columns(self) -> tuple[str, ...]:
        return ("process",)

    def rows(self, examples: Examples) -> array[float]:
        for text in examples.predictions:
            if text == "die":
                os._exit(7)
            if text == "refuse":
                raise InputError("here", "refused", "Do not.")
            if text == "sleep":
                time.sleep(60)
        return array("d", [os.getpid()] * len(examples))


def probes(*predictions: str) -> Examples:
    return Examples(list(range(len(predictions))), list(predictions), [[]] * len(predictions))


def test_only_expensive_work_on_many_examples_is_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "WORTH_SHARING", 300)

    def processes(metric: Metric, sizes: tuple[int, ...]) -> set[float]:
        return {value for _, (rows,) in choice.run([metric], chunks(sizes), None) for value in rows}

    monkeypatch.setattr(choice, "available_cores", lambda: 2)
    ours = {float(os.getpid())}
    assert processes(Probe(), (299,)) == {0.0} | ours  # unanswered examples have zeros
    shared = processes(Probe(), (150, 150, 10))
    assert not shared & ours
    assert processes(Probe(), ()) == set()


def test_cheap_work_stays_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(all_cores, "run_on_cores", lambda *_: pytest.fail("other processes were started"))
    assert sum(len(examples) for examples, _ in choice.run([TokenF1()], chunks((5000,)), None)) == 5000


def test_a_worker_that_dies_is_an_error() -> None:
    with pytest.raises(WorkerError, match="ended before its work was done"):
        list(all_cores.run_on_cores([Probe()], iter([probes(*["fine"] * 250, "die")]), 2))


def test_an_error_in_a_worker_arrives_as_it_was_raised() -> None:
    with pytest.raises(InputError, match="here: refused"):
        list(all_cores.run_on_cores([Probe()], iter([probes(*["fine"] * 250, "refuse")]), 2))


def test_a_metric_that_cannot_be_sent_is_an_error() -> None:
    with pytest.raises(UsageError, match="cannot be sent to other processes"):
        list(all_cores.run_on_cores([TokenF1(lambda values: values[0])], chunks(), 2))


def test_what_nobody_waits_for_is_ended() -> None:
    start = time.monotonic()
    work = all_cores.run_on_cores([Probe()], iter([probes(*["fine"] * 100, *["sleep"] * 900)]), 2)
    next(work)
    work.close()  # type: ignore[attr-defined]
    assert time.monotonic() - start < 20


SLOW = """
sys.path[:0] = {path!r}
from fullmarks.protocols.qa.protocol import Qa
from test_all_cores import Probe
Qa.metrics = lambda self: (Probe(),)
"""


@pytest.fixture
def slow(tmp_path: Path) -> list[str]:
    """A command whose workers would sleep for hours."""
    (tmp_path / "slow.jsonl").write_text('{"prediction": "sleep", "references": ["x"]}\n' * 3000, encoding="utf-8")
    preparation = SLOW.format(path=[str(folder) for folder in Path(__file__).parents[:2]])
    return command("score", "qa", tmp_path / "slow.jsonl", "--workers", 2, preparation=preparation)


@pytest.mark.parametrize("to_all", [True, False], ids=["from the keyboard", "to the parent alone"])
def test_interrupting_ends_everything_at_once(slow: list[str], to_all: bool) -> None:
    with started(slow) as process:
        wait_until(lambda: len(group_members(process.pid)) >= 3)
        time.sleep(0.3)
        (os.killpg if to_all else os.kill)(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=5)
        assert group_members(process.pid) == []
    assert (process.returncode, out, err) == (130, b"", b"fullmarks: error: interrupted\n")


@pytest.mark.parametrize("moment", [0.0, 0.05, 0.1, 0.2])
def test_spawned_workers_say_nothing_when_interrupted(slow: list[str], moment: float) -> None:
    """They begin with an interpreter that would show where it was."""
    thread = "import threading; threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
    slow[2] = thread + slow[2]
    with started(slow) as process:
        wait_until(lambda: len(group_members(process.pid)) >= 3)
        time.sleep(moment)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=5)
        wait_until(lambda: not group_members(process.pid), 2)
    assert (process.returncode, out, err) == (130, b"", b"fullmarks: error: interrupted\n")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_workers_end_with_their_parent(slow: list[str], number: signal.Signals) -> None:
    with started(slow) as process:
        wait_until(lambda: len(group_members(process.pid)) >= 3)
        os.kill(process.pid, number)
        process.communicate(timeout=5)
        wait_until(lambda: not group_members(process.pid), 2)


def test_a_killed_worker_is_noticed_while_others_work(slow: list[str]) -> None:
    with started(slow) as process:
        wait_until(lambda: len(group_members(process.pid)) >= 3)
        time.sleep(0.3)
        os.kill(max(set(group_members(process.pid)) - {process.pid}), signal.SIGKILL)
        err = process.communicate(timeout=5)[1]
        assert group_members(process.pid) == []
    assert process.returncode == 2
    assert b"a worker process ended before its work was done" in err


def test_workers_leave_signals_to_their_parent(slow: list[str]) -> None:
    """A signal to the whole group must not look like the death of a worker."""
    with started(slow) as process:
        wait_until(lambda: len(group_members(process.pid)) >= 3)
        time.sleep(0.3)
        workers = set(group_members(process.pid)) - {process.pid}
        for worker in workers:
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                os.kill(worker, number)
        time.sleep(0.3)
        assert workers < set(group_members(process.pid))


def test_a_run_that_is_left_unfinished_does_not_keep_the_interpreter(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        """
from fullmarks.engines.all_cores import run_on_cores
from fullmarks.metrics.answers import TokenF1
from fullmarks.types import Examples

work = run_on_cores([TokenF1()], iter([Examples(list(range(9000)), ["a"] * 9000, [["a"]] * 9000)]), 2)
kept = [work, next(work)]
kept.append(kept)
"""
    )
    with started([sys.executable, str(script)]) as process:
        assert process.communicate(timeout=20) == (b"", b"")
        assert group_members(process.pid) == []
    assert process.returncode == 0


def test_spawned_workers_give_the_same_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(all_cores, "_can_fork", lambda: False)
    here = joined((examples, chunk_rows([TokenF1()], examples)) for examples in chunks((300,)))
    assert joined(all_cores.run_on_cores([TokenF1()], chunks((300,)), 2)) == here


def test_no_more_workers_than_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    start = Crew.start
    monkeypatch.setattr(Crew, "start", lambda crew, count, metrics: (asked.append(count), start(crew, count, metrics)))
    assert len(joined(all_cores.run_on_cores([ExactMatch()], chunks((250,)), 60))[0]) == 250
    assert asked == [3]


def test_large_answers_and_large_parts_do_not_block_each_other() -> None:
    """Either alone would fill a pipe, and then both sides would wait."""
    size, wide = 100, 30_000
    examples = Examples(list(range(8 * size)), ["x" * wide] * 8 * size, [[]] * 8 * size)
    rows = [values for _, (values,) in all_cores.run_on_cores([Wide()], iter([examples]), 1)]
    assert [len(values) for values in rows] == [size * Wide.width] * 8


@dataclass(frozen=True)
class Wide(Metric):
    name: ClassVar[str] = "wide"
    summary: ClassVar[str] = "for these tests"
    width: ClassVar[int] = 5000

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(map(str, range(self.width)))

    def rows(self, examples: Examples) -> array[float]:
        return array("d", bytes(8 * self.width * len(examples)))


class UnsendableError(Exception):
    def __init__(self, one: str, two: str) -> None:
        super().__init__(one + two)


@dataclass(frozen=True)
class Failing(Metric):
    name: ClassVar[str] = "failing"
    summary: ClassVar[str] = "for these tests"

    @property
    def columns(self) -> tuple[str, ...]:
        return ("x",)

    def rows(self, examples: Examples) -> array[float]:
        if examples.predictions[0] == "unsendable":
            raise UnsendableError("no", "way")
        raise KeyError("lost")


def test_an_error_that_cannot_be_sent_is_told_in_words() -> None:
    with pytest.raises(WorkerError, match="a worker failed: UnsendableError: noway"):
        list(all_cores.run_on_cores([Failing()], iter([probes("unsendable")]), 2))


def test_an_error_says_where_in_the_worker_it_was_raised() -> None:
    with pytest.raises(KeyError) as caught:
        list(all_cores.run_on_cores([Failing()], iter([probes("x")]), 2))
    assert ", in rows\n" in str(caught.value.__cause__)


def test_examples_that_cannot_be_sent_are_an_error() -> None:
    examples = Examples([1], ["a"], [["a"]], {"column": [lambda: None]})
    with pytest.raises(UsageError, match="these examples cannot be sent to other processes"):
        list(all_cores.run_on_cores([ExactMatch()], iter([examples]), 2))


@pytest.mark.parametrize("workers", [65, 400, 99_999_999_999])
def test_a_number_of_workers_is_bounded(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "available_cores", lambda: 2)
    with pytest.raises(UsageError, match=f"workers must be at most 64 on this machine, found {workers}"):
        fullmarks.score("qa", iter(()), workers=workers)
    monkeypatch.setattr(choice, "available_cores", lambda: 100)
    if workers <= 400:
        choice.check_workers(workers)


def test_processes_that_cannot_be_started_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr("multiprocessing.context.ForkProcess.start", refuse)
    monkeypatch.setattr("multiprocessing.context.SpawnProcess.start", refuse)
    with pytest.raises(WorkerError, match=r"3 processes cannot be started \(Resource temporarily unavailable\)"):
        list(all_cores.run_on_cores([ExactMatch()], chunks((300,)), 3))


def test_by_default_no_processes_are_started_from_a_worker_of_a_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "WORTH_SHARING", 1)
    monkeypatch.setitem(multiprocessing.current_process()._config, "daemon", True)  # type: ignore[attr-defined]
    (found,) = choice.run([Probe()], iter([probes("fine")]), None)
    assert found[1][0].tolist() == [os.getpid()]
    with pytest.raises(UsageError, match="a worker of a process pool cannot start processes of its own; use workers=1"):
        list(choice.run([Probe()], iter([probes("fine")]), 2))


def test_a_script_is_not_run_again_without_being_asked(tmp_path: Path) -> None:
    """With a second thread forking is not safe, and spawned processes would begin with the script itself."""
    script = tmp_path / "script.py"
    script.write_text(
        """
import os, sys, threading
print("script")
threading.Thread(target=threading.Event().wait, daemon=True).start()
from fullmarks.engines import choice
from fullmarks.metrics.answers import TokenF1
from fullmarks.types import Examples

TokenF1.is_expensive = True
choice.WORTH_SHARING = 1
for examples, rows in choice.run([TokenF1()], iter([Examples([1], ["a cat"], [["cat"]])]), None):
    print(rows[0].tolist())
"""
    )
    ended = subprocess.run([sys.executable, script], capture_output=True, check=True, text=True, timeout=60)
    assert ended.stdout.split() == ["script", "[1.0]"]
