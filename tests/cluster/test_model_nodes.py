"""Models on several nodes of a Ray cluster on this machine, of which one goes away in the middle."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from fullmarks.backends.batches import Opener
from fullmarks.engines import model_pool
from fullmarks.engines.pool_size import Needs
from fullmarks.engines.ray_models import RayModels
from tests.cluster.model_work import Doubler, double

if find_spec("ray") is None:  # not imported before its environment is set
    pytest.skip("ray is not installed (make test-cluster)", allow_module_level=True)

pytestmark = [pytest.mark.cluster, pytest.mark.filterwarnings("ignore::DeprecationWarning")]


@pytest.fixture
def cluster() -> Iterator[Any]:
    """A head that runs nothing and two nodes with one CPU each."""
    folder = tempfile.mkdtemp(prefix="fm-", dir="/tmp")
    Path(folder, "ray").mkdir()
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")  # Ray's way to stay on loopback
        environment.setenv("RAY_USAGE_STATS_ENABLED", "0")
        environment.setenv("RAY_TMPDIR", folder)
        environment.setenv("PYTHONPATH", str(Path(__file__).parents[2]), prepend=os.pathsep)
        import ray
        from ray.cluster_utils import Cluster

        small: dict[str, Any] = {"object_store_memory": 80_000_000, "include_dashboard": False, "num_gpus": 0}
        nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, **small})
        nodes.workers = [nodes.add_node(num_cpus=1, **small) for _ in range(2)]
        ray.init(address=nodes.address, log_to_driver=False)
        yield nodes
        ray.shutdown()
        nodes.shutdown()
    shutil.rmtree(folder, ignore_errors=True)


def test_the_others_go_on_when_a_node_is_gone(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lost actor has nowhere to start again; its batches do not wait for it."""
    monkeypatch.setattr(model_pool, "needs_of", lambda opener, size: Needs(2, 1, 0, None))
    told: list[str] = []
    models = RayModels(None, told.append)
    model = models.open(Opener(Doubler, ("doubler",)))
    while len(model.processes) < 2:
        assert len(list(model.each(double, range(6)))) == 6

    def batches() -> Iterator[int]:
        """Twenty, and so many more that the other actor gets one after its node is gone."""
        yield from range(20)
        cluster.remove_node(cluster.workers[0], allow_graceful=False)
        latest = time.monotonic() + 60
        for number in count(20):
            if len(model.processes) == 1 or time.monotonic() > latest:
                return
            yield number

    found = [value for value, _ in model.each(double, batches())]
    assert found == [2 * number for number in range(len(found))]
    assert len(model.processes) == 1
    models.close()
    assert len(told) == 1
    assert "was lost; its batches are computed again" in told[0]
