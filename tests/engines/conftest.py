"""A Ray cluster on loopback, started for the first test that uses it and shared by all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from fullmarks.engines import ray_connection
from tests.engines.ray_nodes import Nodes
from tests.processes import PATIENCE_SECONDS

ENVIRONMENT = {
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # Ray's way to stay on loopback
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_AUTH_MODE": "disabled",  # one that a test starts would ask for a token, and leave it in the home folder
    # A node whose process is gone refuses the connection, and is given up after two seconds; a busy one may take long.
    "RAY_health_check_initial_delay_ms": "500",
    "RAY_health_check_period_ms": "500",
    "RAY_health_check_timeout_ms": "60000",
    "RAY_health_check_failure_threshold": "4",
}
FOLDERS = [Path(__file__).parents[2]]
"""Where workers find the modules of tests: what they hold is sent by name."""


def import_path() -> str:
    return os.pathsep.join([*map(str, FOLDERS), *filter(None, [os.environ.get("PYTHONPATH")])])


@pytest.fixture(scope="session")
def ray_environment() -> Iterator[None]:
    """What Ray reads once, when it is imported: tests import it in functions, after this."""
    before = dict(os.environ)
    with tempfile.TemporaryDirectory(prefix="fm-", dir="/tmp", ignore_cleanup_errors=True) as folder:
        os.environ.pop("RAY_ADDRESS", None)
        os.environ.update(ENVIRONMENT, RAY_TMPDIR=folder, PYTHONPATH=import_path())
        Path(folder, "ray").mkdir()
        yield
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture(scope="session")
def nodes(ray_environment: None) -> Iterator[Nodes]:
    """A cluster whose head holds the driver and runs no tasks; tests say how many nodes they need besides."""
    pytest.importorskip("ray", reason="needs ray: make test-cluster")
    nodes = Nodes()
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(ray_connection, "SECONDS_TO_ANSWER", PATIENCE_SECONDS)  # a busy machine takes long
        yield nodes
    nodes.end()


@pytest.fixture
def joined(nodes: Nodes) -> Iterator[Nodes]:
    """The same, joined by this process."""
    import ray

    ray.init(address=nodes.address, log_to_driver=False)
    yield nodes
    ray.shutdown()
