"""Work on several processes: the digits of one, and an orderly end whatever happens."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import fullmarks
from fullmarks.engines import choice, parts
from fullmarks.engines.cores import Cores
from fullmarks.errors import InputError, UsageError
from fullmarks.metrics import METRICS
from fullmarks.metrics.answers import ExactMatch, TokenF1
from fullmarks.metrics.metric import Metric
from fullmarks.metrics.tally import chunk_rows
from fullmarks.types import Examples
from tests.engines.probe import Probe
from tests.processes import PATIENCE_SECONDS, command, group_members, started, wait_until

OPTIONS: dict[str, dict[str, Any]] = {"meteor": {"lexicon": "none"}}
YES_NO = ["mme_accuracy", "yes_no"]
"""Metrics whose references are yes or no."""
SMALL, LARGE = (130, 1, 270), (700, 1, 1500)
"""Sizes of chunks: parts end within them and with them."""


def text_metrics() -> list[str]:
    """All metrics of texts that need nothing but fullmarks."""
    kinds = {name: METRICS.get(name) for name in METRICS.own_names() if name not in YES_NO}
    return [name for name, kind in kinds.items() if issubclass(kind, Metric) and not kind.needs]


def chunks(sizes: tuple[int, ...] = SMALL, labels: tuple[str, ...] = ()) -> Iterator[Examples]:
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


def scored(
    metrics: Sequence[Metric], chunks: Iterator[Examples], workers: int | None
) -> Iterator[tuple[Examples, tuple[array[float], ...]]]:
    """The chunks with their rows, made by so many workers, or as it is done unasked."""
    if workers is None:
        yield from choice.scored_chunks(metrics, chunks, None)
        return
    with Cores(workers) as engine:
        yield from choice.scored_chunks(metrics, chunks, engine)


@pytest.fixture(autouse=True)
def _parts_small_enough_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "PART", 100)


@pytest.mark.parametrize(
    ("workers", "sizes"), [(2, SMALL), *(pytest.param(workers, LARGE, marks=pytest.mark.deep) for workers in (1, 2, 4))]
)
@pytest.mark.parametrize("labels", [(), ("yes", "no")], ids=["texts", "yes-no"])
def test_rows_are_those_of_one_process(workers: int, sizes: tuple[int, ...], labels: tuple[str, ...]) -> None:
    names = YES_NO if labels else text_metrics()
    metrics = [METRICS.get(name)(**OPTIONS.get(name, {})) for name in names]
    here = joined((examples, chunk_rows(metrics, examples)) for examples in chunks(sizes, labels))
    assert joined(scored(metrics, chunks(sizes, labels), workers)) == here


def table(count: int) -> list[dict[str, Any]]:
    return [
        {"id": example.id, "prediction": example.prediction, "references": example.references, "kind": example.id % 3}
        for example in next(chunks((count,)))
    ]


@pytest.mark.parametrize("workers", [2, *(pytest.param(workers, marks=pytest.mark.deep) for workers in (1, 4))])
@pytest.mark.parametrize("protocol", ["squad2", "squad1", "vqa", "qa"])
def test_results_are_those_of_one_process(protocol: str, workers: int) -> None:
    alone = fullmarks.score(protocol, table(250), by="kind")
    shared = fullmarks.score(protocol, table(250), by="kind", workers=workers)
    assert shared.to_dict() == alone.to_dict()
    assert [rows.tobytes() for rows in shared.tally.rows] == [rows.tobytes() for rows in alone.tally.rows]
    assert list(shared.per_example) == list(alone.per_example)


def test_no_examples_make_no_rows() -> None:
    assert list(scored([ExactMatch()], iter(()), 2)) == []


def test_a_number_of_workers_is_positive() -> None:
    with pytest.raises(UsageError, match="workers must be at least 1, found 0"):
        fullmarks.score("qa", iter(()), workers=0)


def probes(*predictions: str) -> Examples:
    return Examples(list(range(len(predictions))), list(predictions), [[]] * len(predictions))


def test_only_expensive_work_on_many_examples_is_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "WORTH_SHARING", 300)

    def processes(metric: Metric, sizes: tuple[int, ...]) -> set[float]:
        return {value for _, (rows,) in scored([metric], chunks(sizes), None) for value in rows}

    monkeypatch.setattr(choice, "available_cores", lambda: 2)
    ours = {float(os.getpid())}
    assert processes(Probe(), (299,)) == {0.0} | ours  # unanswered examples have zeros
    shared = processes(Probe(), (150, 150, 10))
    assert not shared & ours
    assert processes(Probe(), ()) == set()


def test_cheap_work_stays_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "scored_parts", lambda *_: pytest.fail("other processes were started"))
    assert sum(len(examples) for examples, _ in scored([TokenF1()], chunks((5000,)), None)) == 5000


def test_an_error_in_a_worker_arrives_as_it_was_raised() -> None:
    with pytest.raises(InputError, match="here: refused"):
        list(scored([Probe()], iter([probes(*["fine"] * 250, "refuse")]), 2))


def test_a_metric_that_cannot_be_sent_is_an_error() -> None:
    with pytest.raises(UsageError, match="cannot be sent to other processes"):
        list(scored([TokenF1(lambda values: values[0])], chunks(), 2))


SLOW = """
sys.path[:0] = {path!r}
from fullmarks.protocols.qa.protocol import Qa
from tests.engines.probe import Probe
Qa.metrics = lambda self: (Probe(),)
"""


class SlowRun(NamedTuple):
    """A command whose two workers would sleep for hours."""

    words: list[str]
    folder: Path
    """Every worker that sleeps has a file there."""

    def workers(self, process: subprocess.Popen[bytes]) -> set[int]:
        """Both workers, once they are at work."""
        wait_until(lambda: len(list(self.folder.iterdir())) >= 2 or process.poll() is not None)
        return {int(path.name) for path in self.folder.iterdir()}


@pytest.fixture
def slow(tmp_path: Path) -> SlowRun:
    folder = tmp_path / "sleeping"
    folder.mkdir()
    record = json.dumps({"prediction": f"sleep {folder}", "references": ["x"]})
    (tmp_path / "slow.jsonl").write_text(f"{record}\n" * 3000, encoding="utf-8")
    preparation = SLOW.format(path=[str(Path(__file__).parents[2])])
    words = command("score", "qa", tmp_path / "slow.jsonl", "--workers", 2, preparation=preparation)
    return SlowRun(words, folder)


@pytest.mark.parametrize("to_all", [True, False], ids=["from the keyboard", "to the parent alone"])
def test_interrupting_ends_everything_at_once(slow: SlowRun, to_all: bool) -> None:
    with started(slow.words) as process:
        assert len(slow.workers(process)) == 2
        (os.killpg if to_all else os.kill)(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE_SECONDS)
        assert group_members(process.pid) == []
    assert (process.returncode, out, err) == (130, b"", b"fullmarks: error: interrupted\n")


@pytest.mark.parametrize("moment", [0.0, *(pytest.param(each, marks=pytest.mark.deep) for each in (0.05, 0.1, 0.2))])
def test_spawned_workers_say_nothing_when_interrupted(slow: SlowRun, moment: float) -> None:
    """They begin with an interpreter that would show where it was."""
    thread = "import threading; threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
    slow.words[2] = thread + slow.words[2]
    with started(slow.words) as process:
        wait_until(lambda: len(group_members(process.pid)) >= 3)
        time.sleep(moment)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE_SECONDS)
        wait_until(lambda: not group_members(process.pid))
    assert (process.returncode, out, err) == (130, b"", b"fullmarks: error: interrupted\n")


@pytest.mark.parametrize(
    "number",
    [signal.SIGKILL, *(pytest.param(each, marks=pytest.mark.deep) for each in (signal.SIGTERM, signal.SIGHUP))],
    ids=lambda number: number.name,
)
def test_workers_end_with_their_parent(slow: SlowRun, number: signal.Signals) -> None:
    with started(slow.words) as process:
        assert len(slow.workers(process)) == 2
        os.kill(process.pid, number)
        process.communicate(timeout=PATIENCE_SECONDS)
        wait_until(lambda: not group_members(process.pid))


def test_workers_leave_signals_to_their_parent_and_are_replaced_when_they_are_killed(slow: SlowRun) -> None:
    """A signal to the whole group must not look like the death of a worker."""
    with started(slow.words) as process:
        before = slow.workers(process)
        for worker in before:
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                os.kill(worker, number)
        victim = max(before)
        os.kill(victim, signal.SIGKILL)
        wait_until(lambda: len(slow.workers(process) - before) == 1)
        assert set(group_members(process.pid)) == (slow.workers(process) - {victim}) | {process.pid}
        os.kill(process.pid, signal.SIGINT)
        err = process.communicate(timeout=PATIENCE_SECONDS)[1]
        assert group_members(process.pid) == []
    (told, last) = err.decode().splitlines()
    assert "a worker process was lost (it was killed by SIGKILL); task " in told
    assert last == "fullmarks: error: interrupted"


@pytest.mark.parametrize("workers", [65, 400, 99_999_999_999])
def test_a_number_of_workers_is_bounded(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "available_cores", lambda: 2)
    with pytest.raises(UsageError, match=f"workers must be at most 64 on this machine, found {workers}"):
        fullmarks.score("qa", iter(()), workers=workers)
    monkeypatch.setattr(choice, "available_cores", lambda: 100)
    if workers <= 400:
        choice.check_workers(workers)


def test_by_default_no_processes_are_started_from_a_worker_of_a_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "WORTH_SHARING", 1)
    monkeypatch.setitem(multiprocessing.current_process()._config, "daemon", True)  # type: ignore[attr-defined]
    (found,) = scored([Probe()], iter([probes("fine")]), None)
    assert found[1][0].tolist() == [os.getpid()]
    with pytest.raises(UsageError, match="a worker of a process pool cannot start processes of its own"):
        list(scored([Probe()], iter([probes("fine")]), 2))


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
for examples, rows in choice.scored_chunks([TokenF1()], iter([Examples([1], ["a cat"], [["cat"]])]), None):
    print(rows[0].tolist())
"""
    )
    ended = subprocess.run(
        [sys.executable, script], capture_output=True, check=True, text=True, timeout=PATIENCE_SECONDS
    )
    assert ended.stdout.split() == ["script", "[1.0]"]
