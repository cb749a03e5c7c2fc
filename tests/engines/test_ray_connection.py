"""Which cluster is joined, what is left when the engine is closed, and what is said where there is none."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fullmarks.engines import ENGINES, ray_cluster, ray_connection
from fullmarks.engines.engine import Task
from fullmarks.engines.facts import facts
from fullmarks.engines.ray_cluster import RayCluster
from fullmarks.errors import FullmarksError, UsageError, WorkerError
from tests.engines.ray_nodes import Nodes
from tests.processes import PATIENCE_SECONDS, wait_until

pytestmark = pytest.mark.cluster


def process(about: Any, inputs: Sequence[Any]) -> tuple[Any, Sequence[bytes]]:
    return os.getpid(), ()


def rows(about: int, inputs: Sequence[Any]) -> tuple[Any, Sequence[bytes]]:
    return np.full(1_000_000, float(about)), ()


@pytest.fixture(autouse=True)
def ray(nodes: Nodes) -> Any:
    import ray

    nodes.have(1)
    assert not ray.is_initialized()
    yield ray
    ray.shutdown()


def test_it_is_found_by_its_name() -> None:
    assert isinstance(ENGINES.get("ray").from_text("10.0.0.1:6379"), RayCluster)


def test_what_was_joined_by_the_caller_stays_joined(nodes: Nodes, ray: Any) -> None:
    ray.init(address=nodes.address, log_to_driver=False)
    for address in (None, "auto", nodes.address):
        with RayCluster(address) as engine:
            assert engine.at_once == 1
        assert ray.is_initialized()
    with pytest.raises(UsageError, match=r"has joined the Ray cluster at .* already; leave out 'other:1'"):
        _ = RayCluster("other:1").at_once


def test_what_was_joined_by_the_engine_is_left(nodes: Nodes, ray: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", nodes.address)
    with RayCluster() as engine:
        assert engine.at_once == 1
        assert ray.get_runtime_context().gcs_address == nodes.address
    assert not ray.is_initialized()


def test_a_cluster_on_this_machine_is_found(nodes: Nodes, ray: Any) -> None:
    with RayCluster() as engine:
        assert engine.at_once == 1
        assert ray.get_runtime_context().gcs_address == nodes.address


def test_handlers_of_signals_stay(nodes: Nodes) -> None:
    before = signal.getsignal(signal.SIGTERM)
    with RayCluster(nodes.address) as engine:
        assert engine.at_once == 1
        assert signal.getsignal(signal.SIGTERM) is before


def test_a_cluster_of_our_own_ends_with_the_engine(ray: Any) -> None:
    with RayCluster("local") as engine:
        (done,) = engine.run(process, [Task(0)])
        assert Path(f"/proc/{done.result}").exists()
    wait_until(lambda: not Path(f"/proc/{done.result}").exists())


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        ("127.0.0.1:1", "no Ray cluster answers at 127.0.0.1:1 .*refused"),
        ("no-such-host.invalid:6379", "no Ray cluster answers at no-such-host.invalid:6379"),
        ("here", "'here' is no address"),
        ("host:99999999", "is no address"),
        ("ray://127.0.0.1:10001", "Ray's client"),
    ],
)
def test_a_wrong_address_is_told_at_once(address: str, problem: str, ray: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray, which tries for minutes, is not asked."""
    monkeypatch.setattr(ray, "init", lambda **_: pytest.fail("Ray was asked to join"))
    with pytest.raises(FullmarksError, match=problem):
        _ = RayCluster(address).at_once


def test_an_address_of_the_environment_is_named_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    with pytest.raises(WorkerError, match=r"no Ray cluster answers at 127.0.0.1:1 \(RAY_ADDRESS\)"):
        _ = RayCluster().at_once


@pytest.mark.parametrize(
    ("answer", "seconds", "problem"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", PATIENCE_SECONDS, "what answers there is something else"),
        (b"", 0.2, r"no answer in 0\.2 s"),
    ],
    ids=["another answer", "no answer"],
)
def test_a_server_of_another_kind_is_told_at_once(
    answer: bytes, seconds: float, problem: str, ray: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray_connection, "SECONDS_TO_ANSWER", seconds)
    monkeypatch.setattr(ray, "init", lambda **_: pytest.fail("Ray was asked to join"))

    def serve() -> None:
        connection, _ = server.accept()
        with connection:
            connection.recv(1000)
            if answer:
                connection.sendall(answer)
            else:
                asked.wait(PATIENCE_SECONDS)

    asked = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=serve)
        thread.start()
        with pytest.raises(WorkerError, match=rf"no Ray cluster answers at .*{problem}"):
            _ = RayCluster(f"127.0.0.1:{server.getsockname()[1]}").at_once
        asked.set()
        thread.join()


def test_results_lie_in_the_object_store_until_they_are_many(nodes: Nodes) -> None:
    """8 MB each: those that the caller keeps fill a quarter of the store, the rest are copies; all stay right."""
    with RayCluster(nodes.address) as engine:
        kept = [done.result for done in engine.run(rows, map(Task, range(12)))]
        assert [result[-1] for result in kept] == list(range(12))
        held = sum(not result.flags.writeable for result in kept)
        assert 0 < held < 12
        assert engine._kept_bytes == held * 8_000_000 <= engine._nodes.store / 4
        del kept
        assert engine._kept_bytes == 0


def test_a_worker_with_another_version_is_refused(nodes: Nodes, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = facts()
    monkeypatch.setattr(ray_cluster, "facts", lambda: ours._replace(fullmarks="99.1"))
    with RayCluster(nodes.address) as engine:
        for parcels in (0, 1):
            with pytest.raises(WorkerError, match=f"a worker has fullmarks {ours.fullmarks}, this process 99.1"):
                list(engine.run(process, [Task(0)], parcels))


def test_a_worker_with_another_python_is_refused(nodes: Nodes, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = facts()
    monkeypatch.setattr(ray_cluster, "facts", lambda: ours._replace(python="3.1.4"))
    with RayCluster(nodes.address) as engine, pytest.raises(WorkerError, match=r"this process 3\.1\.4"):
        list(engine.run(process, [Task(0)]))


def test_a_worker_without_fullmarks_is_refused(nodes: Nodes, ray: Any, tmp_path: Path) -> None:
    (tmp_path / "fullmarks").mkdir()
    (tmp_path / "fullmarks" / "__init__.py").write_text("raise ImportError('it is not here')")
    ray.init(address=nodes.address, log_to_driver=False, runtime_env={"env_vars": {"PYTHONPATH": str(tmp_path)}})
    with RayCluster() as engine:
        for parcels in (0, 1):
            with pytest.raises(WorkerError, match="a worker of the Ray cluster lacks fullmarks"):
                list(engine.run(process, [Task(0)], parcels))


def test_an_interrupted_run_cancels_its_tasks_at_once(nodes: Nodes, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import os, signal, sys, time\n"
        "from pathlib import Path\n"
        "from fullmarks.engines.engine import Task\n"
        "from fullmarks.engines.ray_cluster import RayCluster\n"
        "from fullmarks.engines import ray_connection\n"
        "ray_connection.SECONDS_TO_ANSWER = 60\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "def wait(about, inputs):\n"
        "    number, folder = about\n"
        "    Path(folder, str(number)).write_text(str(os.getpid()))\n"
        "    end = time.monotonic() + 600\n"
        "    while number and time.monotonic() < end: pass\n"
        "    return number, ()\n"
        "with RayCluster(sys.argv[1]) as engine:\n"
        "    for done in engine.run(wait, [Task((number, sys.argv[2])) for number in range(9)]):\n"
        "        print('taken', done.result, flush=True)\n"
    )
    words = [sys.executable, str(script), nodes.address, str(tmp_path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as driver:
        wait_until(lambda: ((tmp_path / "1").exists() and (tmp_path / "1").read_text()) or driver.poll() is not None)
        worker = int((tmp_path / "1").read_text())
        driver.send_signal(signal.SIGINT)
        out, err = driver.communicate(timeout=PATIENCE_SECONDS)
    assert out == "taken 0\n"
    assert "KeyboardInterrupt" in err
    wait_until(lambda: not Path(f"/proc/{worker}").exists())
    assert not (tmp_path / "2").exists()
